// Deliveries of a time: their ids begin with the time they were made, so the primary key finds them, and no webhook
// pays for an index on `received_at`.
import { uuidsAheadMs, uuidV7 } from '../time-and-chance.ts'

// Twice: an id is made a moment before or after the time is taken.
const marginMs = 2 * uuidsAheadMs
const nothing = Buffer.alloc(8)

/** No delivery received at `time` or later has a smaller id. */
export function firstEventId(time: Date): string {
  return uuidV7(Math.max(0, time.getTime() - marginMs), 0, nothing)
}

/** No delivery received before `time` has this id or a greater one. */
export function endOfEventIds(time: Date): string {
  return uuidV7(Math.max(0, time.getTime() + marginMs), 0, nothing)
}
