// Proof that Meta has a message although its answer did not reach us: a status with the attempt's id, or the answer itself,
// come after its sender had lost the row. Whoever learns of one calls `proveSends` (or `keepAcceptances`) in its
// transaction, and `settleProven` after the commit.
import { expectEarlyStatuses, joinEarlyStatuses, type Step } from '../conversations/apply-status.ts'
import type { NewStatus } from '../conversations/model.ts'
import type { Db, Tx } from '../db/connect.ts'
import { resolveSentLetters } from '../dead-letters/resolve.ts'
import { publicId } from '../ids.ts'
import { errorFields, type Log, type LogFields } from '../log.ts'
import { unpackCallback } from '../meta/callback-data.ts'
import type { Metrics } from '../metrics.ts'
import {
  confirmDuplicates,
  confirmWaiting,
  type Duplicate,
  holdMessages,
  keepEvidence,
  type MessageKey,
  nameMessages,
  type ProvenAttempt,
} from './evidence-queries.ts'

export type { Duplicate, MessageKey, ProvenAttempt }

export interface Proofs {
  proven: ProvenAttempt[]
  /** Messages that Meta turned out to have twice, and the wamid that was the news. */
  duplicates: (Duplicate & { provenAs: string })[]
  /** Steps that came before the messages had the names that they have from now on; for heed-status.ts, last of all. */
  early: Step[]
}

const nothing: Proofs = { proven: [], duplicates: [], early: [] }

/** Before statuses are applied: their messages must have their wamids by then. */
export async function keepAcceptances(tx: Tx, statuses: NewStatus[], now: Date): Promise<Proofs> {
  const evidence = statuses.flatMap(({ tenantId, wamid, status, details }) => {
    const callback = unpackCallback(details.biz_opaque_callback_data)
    const isFailed = status === 'failed'
    return callback ? [{ tenantId, wamid, attemptId: callback.attemptId, isFailed }] : []
  })
  if (evidence.length === 0) return nothing
  return proveSends(tx, await keepEvidence(tx, evidence), now, statuses)
}

/**
 * For attempts that have their wamid in their row already. The dead letters of messages that are saved by this close.
 * Everybody locks attempts, then messages, then, once and in one order, what joins messages and statuses (settle.ts and
 * apply-status.ts do too): so all messages that this transaction is about are locked here, those of the statuses that it
 * applies afterwards as well, and nobody who has one of them waits for a join that we hold.
 */
export async function proveSends(
  tx: Tx,
  attempts: ProvenAttempt[],
  now: Date,
  statuses: NewStatus[] = [],
): Promise<Proofs> {
  if (attempts.length === 0) return nothing
  const held = await holdMessages(tx, attempts, statuses)
  const orphans = statuses.filter(({ tenantId, wamid }) => !held.has(`${tenantId} ${wamid}`))
  await expectEarlyStatuses(tx, attempts, orphans)
  const named = await nameMessages(tx, attempts, now)
  const early = await joinEarlyStatuses(
    tx,
    attempts.filter(({ messageId }) => named.has(messageId)),
  )
  const saved = attempts.filter(({ messageId, isFailed }) => !isFailed && named.has(messageId))
  await resolveSentLetters(tx, saved, now)
  // One that was just given its first name has no second one, unless both came together.
  const others = attempts.filter(
    ({ messageId, isFailed, wamid }) =>
      !isFailed &&
      (!named.has(messageId) ||
        attempts.some((one) => one.messageId === messageId && one.wamid !== wamid)),
  )
  const found = others.length > 0 ? await confirmDuplicates(tx, others, now) : []
  const duplicates = found.map((duplicate) => {
    const news = others.find(({ messageId }) => messageId === duplicate.messageId)
    return { ...duplicate, provenAs: news?.wamid ?? duplicate.wamid }
  })
  return { proven: attempts, duplicates, early }
}

/**
 * After the commit: what is proven need not wait any longer. Apart from it, because the tenants' queues are not to be
 * locked by whoever holds messages; if the process dies before this, the row is ended when its wait is over.
 */
export async function settleProven(
  { db, log, metrics }: { db: Db; log: Log; metrics: Metrics },
  messages: MessageKey[],
): Promise<void> {
  if (messages.length === 0) return
  try {
    // crash point: outbox.proven-before-end
    metrics.reconciliations.inc({ outcome: 'proven' }, await confirmWaiting(db, messages))
  } catch (error) {
    log.warn('outbound_confirm_failed', { count: messages.length, ...errorFields(error) })
  }
}

export function reportDuplicate(
  { log, metrics }: { log: Log; metrics: Metrics },
  duplicate: Duplicate,
): void {
  metrics.duplicatesConfirmed.inc()
  log.error('duplicate_confirmed', duplicateFields(duplicate))
}

export function duplicateFields(duplicate: Duplicate): LogFields {
  return {
    direction: 'outbound',
    tenant_id: duplicate.tenantId,
    phone_number_id: duplicate.phoneNumberId,
    message_id: publicId('msg', duplicate.messageId),
    correlation_id: duplicate.correlationId,
    wamid: duplicate.wamid,
  }
}
