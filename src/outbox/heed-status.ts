// What a `failed` status tells the outbox: a message died after Meta had accepted it. Called by inbox/apply.ts, in the
// transaction that records the statuses, and by settle.ts. (That an attempt was accepted at all: evidence.ts.)
import { requireReauth } from '../accounts/reauth.ts'
import { noteSignals, type Signal } from '../alerts/signal.ts'
import type { NewStatus } from '../conversations/model.ts'
import type { Tx } from '../db/connect.ts'
import { buryOutbound } from '../dead-letters/bury.ts'
import { publicId } from '../ids.ts'
import type { LogFields } from '../log.ts'
import { isObject } from '../meta/json.ts'
import { classifyStatusError, type Outcome } from '../meta/outcomes.ts'
import type { Random } from '../time-and-chance.ts'
import { accountHoldMs, errorOf } from './decide.ts'
import { enqueueSends, holdNumber } from './queue-queries.ts'
import { spamHoldSeconds } from './retry-policy.ts'
import { signalsOf } from './signals.ts'
import { type FailedSend, markFailed, requeueMessage, selectFailedSends } from './status-queries.ts'

export interface HeardFailure {
  send: FailedSend
  outcome: Outcome
  /** A template is sent instead. */
  isReplaced: boolean
  /** Null when it is known already, or replaced. */
  deadLetterId: string | null
  /** The account was fine until this. */
  isNewReauth: boolean
}

/**
 * After they are applied, and last in the transaction: it locks queues. A message that failed is never resent by itself, but for a fallback template when the window
 * was what it failed for. Also for statuses that came before the answer to the send.
 */
export async function heedFailures(
  tx: Tx,
  statuses: Pick<NewStatus, 'tenantId' | 'wamid' | 'status' | 'details'>[],
  random: Random,
  now: Date,
): Promise<HeardFailure[]> {
  const failed = statuses.filter((status) => status.status === 'failed')
  if (failed.length === 0) return []
  const heard: HeardFailure[] = []
  const errors = new Map(failed.map((status) => [keyOf(status), errorIn(status)]))
  for (const send of await selectFailedSends(tx, failed)) {
    const { code = null, words = null } = errors.get(keyOf(send)) ?? {}
    const outcome = classifyStatusError(code, words)
    await markFailed(tx, send, errorOf(outcome), now)
    const isReplaced = outcome.errorCode === 'WINDOW_CLOSED' && send.fallbackTemplate !== null
    const letters = isReplaced ? [] : [letterOf(send, outcome, random.uuid(), now)]
    const [deadLetterId = null] = await buryOutbound(tx, letters)
    heard.push({ send, outcome, isReplaced, deadLetterId, isNewReauth: false })
  }
  // Letters, and the audit of those that are open again, before the queues: whoever decides on letters takes them so.
  const signals: Signal[] = []
  for (const one of heard) {
    if (one.isReplaced) await sendFallback(tx, one.send)
    else signals.push(...(await applyToNumber(tx, one, now)))
  }
  // crash point: outbox.failure-heard-before-commit
  await noteSignals(tx, signals, now)
  return heard
}

async function applyToNumber(tx: Tx, one: HeardFailure, now: Date): Promise<Signal[]> {
  const { send, outcome } = one
  const { tenantId, phoneNumberId, tokenSetAt } = send
  if (outcome.class === 'auth') {
    const reauth = await requireReauth(tx, tenantId, phoneNumberId, outcome.advice, now, tokenSetAt)
    one.isNewReauth = reauth === 'new'
    if (reauth !== 'outdated') await holdNumber(tx, tenantId, phoneNumberId, 'parked')
  }
  if (outcome.class !== 'account' && outcome.class !== 'spam_limited') return []
  const holdMs = outcome.class === 'account' ? accountHoldMs : spamHoldSeconds * 1000
  const until = new Date(now.getTime() + holdMs)
  await holdNumber(tx, tenantId, phoneNumberId, until)
  return signalsOf(send, outcome, until)
}

/** For the log: what there is to say about a failure that is news. */
export function failureFields({ send, outcome, deadLetterId }: HeardFailure): LogFields {
  return {
    direction: 'outbound',
    event_type: 'status_update',
    tenant_id: send.tenantId,
    phone_number_id: send.phoneNumberId,
    message_id: publicId('msg', send.messageId),
    correlation_id: send.correlationId,
    wamid: send.wamid,
    provider_code: outcome.provider?.code ?? null,
    error_code: outcome.errorCode,
    kind: 'outbound',
    dead_letter_id: deadLetterId === null ? null : publicId('dlq', deadLetterId),
  }
}

function keyOf({ tenantId, wamid }: { tenantId: string; wamid: string }): string {
  return `${tenantId} ${wamid}`
}

/** Meta's code and its own words, the most telling of them. */
function errorIn({ details }: Pick<NewStatus, 'details'>) {
  const first: unknown = Array.isArray(details.errors) ? details.errors[0] : undefined
  if (!isObject(first)) return { code: null, words: null }
  const told = isObject(first.error_data) ? first.error_data.details : undefined
  const words = [told, first.message, first.title].find((one) => typeof one === 'string')
  return {
    code: typeof first.code === 'number' ? first.code : null,
    words: typeof words === 'string' ? words : null,
  }
}

/** Once: the new row has no fallback of its own. */
async function sendFallback(tx: Tx, send: FailedSend): Promise<void> {
  if (send.fallbackTemplate === null) return
  await requeueMessage(tx, send.tenantId, send.messageId)
  await enqueueSends(tx, [
    {
      tenantId: send.tenantId,
      phoneNumberId: send.phoneNumberId,
      messageId: send.messageId,
      conversationId: '',
      lane: send.lane,
      sendAt: null,
      payload: send.fallbackTemplate,
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
