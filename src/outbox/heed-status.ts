// What statuses tell the outbox: that an attempt was accepted though its answer was lost, and that a message failed after
// Meta had accepted it. Called by inbox/apply.ts, in the transaction that records the statuses.
import { requireReauth } from '../accounts/reauth.ts'
import type { NewStatus } from '../conversations/model.ts'
import type { Tx } from '../db/connect.ts'
import { buryOutbound } from '../dead-letters/bury.ts'
import { unpackCallback } from '../meta/callback-data.ts'
import { isObject } from '../meta/json.ts'
import { classifyStatusError, type Outcome } from '../meta/outcomes.ts'
import type { Random } from '../time-and-chance.ts'
import { accountHoldMs, errorOf } from './decide.ts'
import { enqueueSends, holdNumber } from './queue-queries.ts'
import { spamHoldSeconds } from './retry-policy.ts'
import {
  type FailedSend,
  keepEvidence,
  markFailed,
  requeueMessage,
  selectFailedSends,
} from './status-queries.ts'

/** Before the statuses are applied: the message must have its wamid by then. */
export async function keepAcceptances(tx: Tx, statuses: NewStatus[], now: Date): Promise<void> {
  const evidence = statuses.flatMap(({ tenantId, wamid, details }) => {
    const callback = unpackCallback(details.biz_opaque_callback_data)
    return callback ? [{ tenantId, wamid, attemptId: callback.attemptId }] : []
  })
  if (evidence.length > 0) await keepEvidence(tx, evidence, now)
}

/**
 * After they are applied. A message that failed is never resent by itself, but for a fallback template when the window
 * was what it failed for. Also for statuses that came before the answer to the send. (Tenants are locked here after messages, in settle.ts before them: a ring of two waits is
 * possible for one and the same message; the database ends one side, and either side tries again.)
 */
export async function heedFailures(
  tx: Tx,
  statuses: Pick<NewStatus, 'tenantId' | 'wamid' | 'status' | 'details'>[],
  random: Random,
  now: Date,
): Promise<void> {
  const failed = statuses.filter((status) => status.status === 'failed')
  if (failed.length === 0) return
  const codes = new Map(failed.map((status) => [keyOf(status), codeOf(status)]))
  for (const send of await selectFailedSends(tx, failed)) {
    const outcome = classifyStatusError(codes.get(keyOf(send)) ?? null)
    await markFailed(tx, send, errorOf(outcome), now)
    if (outcome.errorCode === 'WINDOW_CLOSED' && send.fallbackTemplate !== null) {
      await sendFallback(tx, send, send.fallbackTemplate)
      continue
    }
    await buryOutbound(tx, [letterOf(send, outcome, random.uuid(), now)])
    if (outcome.class === 'auth') {
      await requireReauth(tx, send.tenantId, send.phoneNumberId, outcome.advice, now)
      await holdNumber(tx, send.tenantId, send.phoneNumberId, 'parked')
    } else if (outcome.class === 'account' || outcome.class === 'spam_limited') {
      const holdMs = outcome.class === 'account' ? accountHoldMs : spamHoldSeconds * 1000
      const until = new Date(now.getTime() + holdMs)
      await holdNumber(tx, send.tenantId, send.phoneNumberId, until)
    }
  }
}

function keyOf({ tenantId, wamid }: { tenantId: string; wamid: string }): string {
  return `${tenantId} ${wamid}`
}

function codeOf({ details }: Pick<NewStatus, 'details'>): number | null {
  const first: unknown = Array.isArray(details.errors) ? details.errors[0] : undefined
  return isObject(first) && typeof first.code === 'number' ? first.code : null
}

/** Once: the new row has no fallback of its own. */
async function sendFallback(
  tx: Tx,
  send: FailedSend,
  template: Record<string, unknown>,
): Promise<void> {
  await requeueMessage(tx, send.tenantId, send.messageId)
  await enqueueSends(tx, [
    {
      tenantId: send.tenantId,
      phoneNumberId: send.phoneNumberId,
      messageId: send.messageId,
      conversationId: '',
      lane: send.lane,
      sendAt: null,
      payload: template,
      fallbackTemplate: null,
      callbackData: send.callbackData,
      delivery: send.delivery,
      expiresAt: send.expiresAt,
      correlationId: send.correlationId,
      parentId: send.outboxId,
    },
  ])
}

function letterOf(send: FailedSend, outcome: Outcome, id: string, now: Date) {
  return {
    id,
    tenantId: send.tenantId,
    kind: 'outbound' as const,
    outboxId: send.outboxId,
    messageId: send.messageId,
    phoneNumberId: send.phoneNumberId,
    errorCode: outcome.errorCode ?? 'UNKNOWN',
    errorMessage: outcome.advice,
    raw: Buffer.from(JSON.stringify(send.payload)),
    correlationId: send.correlationId,
    createdAt: now,
  }
}
