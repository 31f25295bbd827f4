// How many messages of a tenant may wait to be sent. Looked at before a batch is accepted, with one read by primary key:
// rows are only counted when the bound that send_tenants keeps is used up (migrations/0019_backlog_limit.sql). There is no
// lock between this look and the commit, so batches under way at the same time, two of 200 messages a process, can exceed
// the limit by as many.
//
// Only what is posted to the send route is refused: its caller is there to hear it, and can try again. Replies, of ours or of
// an application's endpoint, are one answer to somebody who wrote, and nobody would make them again; what an operator
// sends again was accepted before. Both count, and are never refused.
import type { Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { type QueueLength, recountQueues, selectQueueLengths } from './queue-queries.ts'

/** One slot is free sooner, unless the tenant is held; a caller with many to send should not knock more often. */
const retryAfterSeconds = 5

/** For each message, by its tenant: why it cannot be taken, or undefined. In their order, until a tenant has no room. */
export async function refuseOverflow(
  db: Tx,
  tenantIds: string[],
  defaultLimit: number,
): Promise<(AppError | undefined)[]> {
  const wanted = new Map<string, number>()
  for (const id of tenantIds) wanted.set(id, (wanted.get(id) ?? 0) + 1)
  const lengths = await lengthsFor(db, wanted, defaultLimit)
  return tenantIds.map((id) => {
    const length = lengths.get(id)
    if (!length) return undefined
    if (length.queued < length.limit) {
      length.queued++
      return undefined
    }
    return backlogFull(length)
  })
}

interface KnownLength extends QueueLength {
  queued: number
}

async function lengthsFor(
  db: Tx,
  wanted: Map<string, number>,
  defaultLimit: number,
): Promise<Map<string, KnownLength>> {
  let lengths = await selectQueueLengths(db, [...wanted.keys()], defaultLimit)
  const short = lengths.filter(
    ({ tenantId, limit, queued }) =>
      queued === null || queued + (wanted.get(tenantId) ?? 0) > limit,
  )
  if (short.length > 0) {
    const ids = short.map(({ tenantId }) => tenantId)
    await recountQueues(db, ids, defaultLimit)
    const fresh = await selectQueueLengths(db, ids, defaultLimit)
    lengths = [...lengths, ...fresh]
  }
  return new Map(lengths.map((one) => [one.tenantId, { ...one, queued: one.queued ?? 0 }]))
}

function backlogFull({ limit, queued }: KnownLength): AppError {
  return new AppError(
    'BACKLOG_FULL',
    429,
    'As many messages as this tenant may have wait to be sent. Send this one again later.',
    {
      details: { limit, queued },
      headers: { 'retry-after': String(retryAfterSeconds) },
    },
  )
}
