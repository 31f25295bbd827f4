// The pages of the list as they are kept: changed in place, or put in order when nobody is looking closely.
import type { Conversation, List } from '../../../api/types.ts'

export interface Pages {
  pages: List<Conversation>[]
}

/** Each once: what moved up stands on a later page again. */
export function rowsOf(pages: Pages | undefined): Conversation[] {
  const seen = new Set<string>()
  const rows: Conversation[] = []
  for (const page of pages?.pages ?? []) {
    for (const row of page.data) {
      if (seen.has(row.id)) continue
      seen.add(row.id)
      rows.push(row)
    }
  }
  return rows
}

/** Where it is, with what is new about it. */
export function changeRow(
  pages: Pages,
  id: string,
  change: (before: Conversation) => Conversation,
): Pages {
  return {
    ...pages,
    pages: pages.pages.map((page) =>
      page.data.some((row) => row.id === id)
        ? { ...page, data: page.data.map((row) => (row.id === id ? change(row) : row)) }
        : page,
    ),
  }
}

export function removeRow(pages: Pages, id: string): Pages {
  return settle(
    pages,
    rowsOf(pages).filter((row) => row.id === id),
    () => false,
  )
}

type Placed = Pick<Conversation, 'last_message_at' | 'id'>

/** The list's order: the latest first. */
export function comesBefore(one: Placed, other: Placed): boolean {
  return one.last_message_at === other.last_message_at
    ? one.id > other.id
    : one.last_message_at > other.last_message_at
}

/** Where the next page begins; null after the last. */
export const nextOf = ({ pages }: Pages): string | null => pages.at(-1)?.paging.next ?? null

const hasMore = (pages: Pages) => nextOf(pages) !== null

export type Move = 'none' | 'arrives' | 'leaves'

/** What would become of the list if this conversation took its place. */
export function moveOf(pages: Pages, conversation: Conversation, isWanted: boolean): Move {
  const rows = rowsOf(pages)
  const at = rows.findIndex(({ id }) => id === conversation.id)
  if (at >= 0 && !isWanted) return 'leaves'
  if (!isWanted) return 'none'
  const above = rows[(at < 0 ? rows.length : at) - 1]
  const isHigher = above !== undefined && comesBefore(conversation, above)
  if (at >= 0) return isHigher ? 'arrives' : 'none'
  // Below the last row that was loaded it is loaded in its turn.
  return isHigher || !hasMore(pages) ? 'arrives' : 'none'
}

/** Everything in its place; those that are not wanted go. */
export function settle(
  pages: Pages,
  news: Iterable<Conversation>,
  isWanted: (conversation: Conversation) => boolean,
): Pages {
  const byId = new Map([...news].map((one) => [one.id, one]))
  const rest = pages.pages.map((page) => ({
    ...page,
    data: page.data.filter(({ id }) => !byId.has(id)),
  }))
  for (const conversation of byId.values()) {
    if (!isWanted(conversation)) continue
    const home = rest.find(({ data }) => data.some((row) => comesBefore(conversation, row)))
    const page = home ?? (hasMore(pages) ? undefined : rest.at(-1))
    if (!page) continue
    const at = page.data.findIndex((row) => comesBefore(conversation, row))
    page.data.splice(at < 0 ? page.data.length : at, 0, conversation)
  }
  return { ...pages, pages: rest }
}
