// Lists, read as far as somebody wants to.
import type { Page, Pages } from './model.ts'

export function createPages<Item>(
  fetchPage: (after: string | undefined) => Promise<Page<Item>>,
  firstAfter: string | undefined,
): Pages<Item> {
  async function* pages() {
    let after = firstAfter
    for (;;) {
      const page = await fetchPage(after)
      yield page
      if (page.paging.next === null) return
      after = page.paging.next
    }
  }
  return {
    pages,
    page: (after = firstAfter) => fetchPage(after),
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}
