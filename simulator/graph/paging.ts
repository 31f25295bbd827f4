// Meta's cursor paging. Cursors are opaque to callers; ours hold the id they stand beside.
import { invalidRequest } from './errors.ts'
import { type Fields, textIn } from './fields.ts'

const defaultLimit = 25
const maxLimit = 1000

export interface Page<T> {
  data: T[]
  paging?: {
    cursors: { before: string; after: string }
    next?: string
    previous?: string
  }
}

/** `url` is the address of the edge, without a query. */
export function pageOf<T extends { id: string }>(items: T[], params: Fields, url: string): Page<T> {
  const limit = limitIn(params)
  const after = positionOf(items, params, 'after')
  const before = positionOf(items, params, 'before')
  const start =
    after !== undefined ? after + 1 : before !== undefined ? Math.max(0, before - limit) : 0
  const end = before !== undefined && after === undefined ? before : start + limit
  const data = items.slice(start, end)
  const [first, last] = [data[0], data.at(-1)]
  if (first === undefined || last === undefined) return { data }
  const cursors = { before: cursorOf(first.id), after: cursorOf(last.id) }
  return {
    data,
    paging: {
      cursors,
      // `next` tells whether there is more; `cursors.after` is there on the last page too.
      ...(end < items.length ? { next: link(url, params, { after: cursors.after }) } : {}),
      ...(start > 0 ? { previous: link(url, params, { before: cursors.before }) } : {}),
    },
  }
}

function limitIn(params: Fields): number {
  const text = textIn(params, 'limit')
  if (text === undefined) return defaultLimit
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1) {
    throw invalidRequest('Param limit must be an integer greater than 0.')
  }
  return Math.min(limit, maxLimit)
}

function positionOf(items: { id: string }[], params: Fields, name: string): number | undefined {
  const cursor = textIn(params, name)
  if (cursor === undefined) return undefined
  const id = Buffer.from(cursor.replace(/ZD$/, ''), 'base64url').toString()
  const position = items.findIndex((item) => item.id === id)
  if (position === -1) throw invalidRequest(`Invalid cursors values: ${name}`)
  return position
}

function cursorOf(id: string): string {
  return `${Buffer.from(id).toString('base64url')}ZD`
}

/** The same question again, from another place; the token is not repeated. */
function link(url: string, params: Fields, cursor: Record<string, string>): string {
  const { access_token: _token, appsecret_proof: _proof, after: _a, before: _b, ...rest } = params
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...rest, ...cursor })) {
    query.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return `${url}?${query}`
}
