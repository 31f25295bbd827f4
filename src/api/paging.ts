// Cursors: where a page ended, as (time, id). Opaque to callers. Whatever a caller makes of one, the query that uses it
// still sees that caller's rows only.
import { AppError } from '../errors.ts'
import { isUuid } from '../ids.ts'

export interface Cursor {
  at: Date
  id: string
}

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(`${cursor.at.toISOString()} ${cursor.id}`).toString('base64url')
}

export function decodeCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null
  const [time = '', id = ''] = Buffer.from(text, 'base64url').toString('utf8').split(' ')
  const at = cursorTime(time)
  const isOurs = !Number.isNaN(at.getTime()) && isUuid(id) && encodeCursor({ at, id }) === text
  if (!isOurs) throw invalidCursor()
  return { at, id }
}

/** With four digits in its year: JavaScript knows years that Postgres does not. */
export function cursorTime(text: string): Date {
  return new Date(/^\d{4}-/.test(text) ? text : Number.NaN)
}

export function invalidCursor(): AppError {
  const problem = 'not a cursor of this API; start again without it'
  return new AppError('INVALID_CURSOR', 400, `after: ${problem}`, {
    details: { fields: [{ field: 'after', problem }] },
  })
}

/** `rows` was asked for with one more than `limit`: the extra one says that there is a next page. */
export function pageOf<Row, Item>(
  rows: Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
  itemOf: (row: Row) => Item,
): { data: Item[]; paging: { next: string | null } } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    data: shown.map(itemOf),
    paging: { next: rows.length > limit && last ? encodeCursor(cursorOf(last)) : null },
  }
}
