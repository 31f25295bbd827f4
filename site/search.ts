// What the search box looks through: every section and every named row, with the words in it.
import type { Token, Tokens } from 'marked'
import { type Document, plainText } from './markdown.ts'
import { rowAnchor } from './render.ts'

/** Short names, for there are many: where, under which headings, and what is said there. */
export interface SearchEntry {
  /** Address below /docs. */
  a: string
  /** The document's title. */
  p: string
  /** The section's heading, or the row's name. */
  h: string
  /** Its words. */
  t: string
}

export function searchEntries(page: string, title: string, document: Document): SearchEntry[] {
  const headings = new Map(document.headings.map((heading) => [heading.token as Token, heading]))
  const taken = new Set(document.headings.map(({ anchor }) => anchor))
  let section: SearchEntry = { a: page, p: title, h: title, t: '' }
  const entries = [section]
  const add = (words: string) => {
    section.t = `${section.t} ${words}`.trim()
  }
  for (const token of document.tokens) {
    const heading = headings.get(token)
    if (heading && heading.depth > 1) {
      section = { a: `${page}#${heading.anchor}`, p: title, h: heading.text, t: '' }
      entries.push(section)
    } else if (token.type === 'table') {
      for (const row of (token as Tokens.Table).rows) {
        const anchor = rowAnchor(row)
        const [name = '', ...words] = row.map(({ tokens }) => plainText(tokens))
        if (anchor === undefined || taken.has(anchor)) add([name, ...words].join(' '))
        else {
          taken.add(anchor)
          const said = words.filter(Boolean).join(' · ')
          entries.push({ a: `${page}#${anchor}`, p: title, h: name, t: said })
        }
      }
    } else if (!heading) add(wordsOf(token))
  }
  return entries
}

function wordsOf(token: Token): string {
  if (token.type === 'list') {
    return (token as Tokens.List).items.map((item) => item.tokens.map(wordsOf).join(' ')).join(' ')
  }
  if ('tokens' in token && token.tokens) return plainText(token.tokens)
  return 'text' in token ? String(token.text) : ''
}
