// Where a list of traces ended. Their times have microseconds, which the cursor of api/paging.ts cuts off,
// so here the time travels as the database writes it.
import { invalidCursor } from '../api/paging.ts'
import { isUuid } from '../ids.ts'

export interface Place {
  at: string
  id: string
  number: number
}

export function encodePlace({ at, id, number }: Place): string {
  return Buffer.from(JSON.stringify([at, id, number])).toString('base64url')
}

export function decodePlace(text: string | undefined): Place | null {
  if (text === undefined) return null
  const place = placeIn(Buffer.from(text, 'base64url').toString('utf8'))
  if (place) return place
  throw invalidCursor()
}

const shape =
  /^\["((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)[+-](?:0\d|1[0-4])(?::[0-5]\d)?)","([0-9a-f-]{36})",(\d{1,9})\]$/

function placeIn(json: string): Place | undefined {
  const [, at = '', day = '', hour = '', id = '', number = ''] = shape.exec(json) ?? []
  return isUuid(id) && isTime(day, hour) ? { at, id, number: Number(number) } : undefined
}

/** The regular expression lets the 31st of February through, and the year 0, which the database would not take. */
function isTime(day: string, hour: string): boolean {
  const time = new Date(`${day}T${hour}Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day) && day > '0001'
}
