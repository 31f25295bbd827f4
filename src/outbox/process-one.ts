// One send that somebody calls for: claimed, sent and settled as every send is; then whoever is next is called for.
import type { Db } from '../db/connect.ts'
import { isUuid } from '../ids.ts'
import type { Outcome } from '../meta/outcomes.ts'
import type { Decision } from './decide.ts'
import { idempotencyKeyOf, type SendBell } from './ring.ts'
import { findSendOwner, type WaitingSend } from './ring-queries.ts'
import type { Settled } from './settle.ts'
import type { SendWorker } from './worker.ts'

export type ProcessedSend =
  | { kind: 'unknown' }
  /** Sent, dead, or cancelled before. */
  | { kind: 'finished' }
  /** Another call has it in hand. */
  | { kind: 'running' }
  | { kind: 'not_due'; reason: WaitingSend['reason'] | 'reauth' | 'fallback'; nextAt: Date | null }
  | { kind: 'sent' }
  | { kind: 'retried'; outcome: Outcome; nextAt: Date | null }
  | { kind: 'dead'; outcome: Outcome }
  /** Its claim was lost while it was under way: whoever finds that decides. */
  | { kind: 'lost' }

export interface SendProcessor {
  db: Db
  worker: Pick<SendWorker, 'runOne'>
  bell: SendBell
}

export async function processSend(
  { db, worker, bell }: SendProcessor,
  order: { outboxId: string; idempotencyKey: string },
): Promise<ProcessedSend> {
  const id = order.outboxId
  const tenantId = await findSendOwner(db, id, tenantOf(order.idempotencyKey, id))
  if (tenantId === undefined) return { kind: 'unknown' }
  const settled = await worker.runOne({ tenantId, id })
  if (settled === undefined) return notClaimed(await bell.putOff({ tenantId, id }))
  if (settled === 'lost' || !settled.isOurs) {
    await bell.settled(tenantId, [])
    return { kind: 'lost' }
  }
  const { decision } = settled
  const isWaiting = decision.state === 'pending' && !decision.isParked
  await bell.settled(tenantId, isWaiting ? [{ tenantId, id }] : [])
  return processedOf(settled, decision)
}

/** Our own keys begin with whose they are; any other is as good, and costs a look at every tenant. */
function tenantOf(idempotencyKey: string, id: string): string | null {
  const [first = ''] = idempotencyKey.split(':', 1)
  return isUuid(first) && idempotencyKey === idempotencyKeyOf(first, id) ? first : null
}

function notClaimed(found: WaitingSend | undefined): ProcessedSend {
  if (!found) return { kind: 'unknown' }
  if (found.status === 'running') return { kind: 'running' }
  if (found.status !== 'pending') return { kind: 'finished' }
  return { kind: 'not_due', reason: found.reason, nextAt: found.rungFor }
}

function processedOf({ outcome, isPosted }: Settled, decision: Decision): ProcessedSend {
  switch (decision.state) {
    case 'done':
      return { kind: 'sent' }
    case 'failed':
      return { kind: 'dead', outcome }
    case 'fallback':
      return { kind: 'not_due', reason: 'fallback', nextAt: decision.runAt }
    case 'pending':
      if (decision.isParked) return { kind: 'not_due', reason: 'reauth', nextAt: null }
      // Who was not tried, because something came in between, did not fail.
      return isPosted || decision.failures > 0
        ? { kind: 'retried', outcome, nextAt: decision.runAt }
        : { kind: 'not_due', reason: 'hold', nextAt: decision.runAt }
  }
}
