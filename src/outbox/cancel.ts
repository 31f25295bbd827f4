// Taking back a message that still waits. Once it is on its way, or may have been, nobody can.
import type { Db } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import type { Clock } from '../time-and-chance.ts'
import { holdQueued, markCancelled, mayBeAtMeta, selectNewestRow } from './queries.ts'
import { withdrawSend } from './queue-queries.ts'

export async function cancelMessage(
  db: Db,
  clock: Clock,
  tenantId: string,
  publicMessageId: string,
): Promise<void> {
  const messageId = uuidOf('msg', publicMessageId)
  await db.transaction(async (tx) => {
    // The message before the queue, as everywhere.
    const isQueued = messageId && (await holdQueued(tx, tenantId, messageId))
    const row = messageId && (await selectNewestRow(tx, tenantId, messageId))
    if (!row) throw notFound('MESSAGE_NOT_FOUND', 'message that was to be sent')
    if (!isQueued || !(await withdrawSend(tx, tenantId, row.id, 'CANCELLED'))) {
      throw new AppError(
        'NOT_CANCELLABLE',
        409,
        'Only a message that still waits can be cancelled; this one was sent, is being sent, or ended.',
      )
    }
    // Asked now that nobody settles: an attempt whose answer was lost may have put it back into the queue just before.
    if (await mayBeAtMeta(tx, tenantId, messageId)) {
      throw new AppError(
        'NOT_CANCELLABLE',
        409,
        'Meta may have it already: the answer to an attempt was lost, and nothing has told yet.',
      )
    }
    await markCancelled(tx, tenantId, messageId, clock.now())
  })
}
