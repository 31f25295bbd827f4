// Calls for stored events, where nobody looks for them by himself (dispatch/cloud-tasks.ts).
import type { Db } from '../db/connect.ts'
import type { Dispatch, Ring } from '../dispatch/queue.ts'
import { type RungEvent, ringAgain, ringLost, selectRung } from './ring-queries.ts'

export interface InboxBell {
  /** Committed just now. */
  stored(eventIds: string[]): Promise<void>
  /** It cannot be had before its time: then it is called for. */
  putOff(eventId: string): Promise<void>
}

/** An id of Meta's holds a phone number: it is told as the log tells it. */
export type Hash = (text: string) => string

export interface InboxBellOptions {
  /** For what was just stored, and for the rest. */
  db: { receive: Db; work: Db }
  dispatch: Pick<Dispatch, 'wake'>
  hash: Hash
}

/** The rest is for the next sweep: a queue at Google that is merely slow is not to be filled with repeats. */
const mostAtOnce = 1_000

export function createInboxBell({ db, dispatch, hash }: InboxBellOptions): InboxBell {
  const call = async (find: () => Promise<Ring[]>) => void (await dispatch.wake('inbox', find))
  return {
    stored: (eventIds) => call(() => ringsOf(db.receive, eventIds, hash)),
    putOff: (eventId) =>
      call(async () => ringsOf(db.work, await ringAgain(db.work, eventId), hash)),
  }
}

/** Events that are due and have no ring coming: reopened ones, those that were never rung for, those whose ring was lost
 *  (it has not come so long after its time). */
export async function findDueEvents(db: Db, patienceSeconds: number, hash: Hash): Promise<Ring[]> {
  return ringsOf(db, await ringLost(db, patienceSeconds, mostAtOnce), hash)
}

async function ringsOf(db: Db, ids: string[], hash: Hash): Promise<Ring[]> {
  if (ids.length === 0) return []
  return (await selectRung(db, ids)).map((row) => ringOf(row, hash))
}

function ringOf(row: RungEvent, hash: Hash): Ring {
  return {
    queue: 'inbox',
    id: row.id,
    number: row.ring,
    owner: row.owner,
    at: row.rungFor,
    correlationId: row.correlationId,
    body: {
      event_id: row.id,
      inbound_event_id: hash(row.inboundEventId),
      correlation_id: row.correlationId,
    },
  }
}
