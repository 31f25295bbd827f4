// Step 3 of sending: what came of attempts → rows, messages, holds, dead letters: one transaction for all that ended
// together. Only who still holds a row changes it; what an attempt came to is written down in any case.
import { requireReauth } from '../accounts/reauth.ts'
import { expectEarlyStatuses, joinEarlyStatuses } from '../conversations/apply-status.ts'
import type { Db, Tx } from '../db/connect.ts'
import { buryOutbound } from '../dead-letters/bury.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { type Decision, decide, errorOf } from './decide.ts'
import { heedFailures } from './heed-status.ts'
import type { Settlement } from './model.ts'
import { holdNumber, settleSends } from './queue-queries.ts'
import type { RetryPolicyName } from './retry-policy.ts'
import { acceptedOutcome, type SendResult } from './send.ts'
import { endAttempts, endMessages, selectEvidence, switchToFallback } from './send-queries.ts'

export interface Settler {
  db: Db
  clock: Clock
  random: Random
  defaultPolicy: RetryPolicyName
  reconcileSeconds: number
}

export interface Settled extends SendResult {
  decision: Decision
  /** False when the row was taken from us meanwhile. */
  isOurs: boolean
  /** The account was fine until this. */
  isNewReauth: boolean
  deadLetterId: string | null
}

export async function settleResults(settler: Settler, results: SendResult[]): Promise<Settled[]> {
  const { db, clock, random } = settler
  const now = clock.now()
  return db.transaction(async (tx) => {
    const decided = (await heedEvidence(tx, results)).map((result) => ({
      ...result,
      decision: decide(result.send, result.outcome, { ...settler, random, now }),
    }))
    const accepted = decided.flatMap(({ send, outcome }) =>
      outcome.wamid === null ? [] : [{ tenantId: send.tenantId, wamid: outcome.wamid }],
    )
    await expectEarlyStatuses(tx, accepted)
    const ours = await settleSends(tx, decided.map(settlementOf))
    // As they were seen: what a status told of an attempt is in its row already.
    await endAttempts(tx, results.map(attemptEndOf))
    const held = decided.filter(({ send }) => ours.has(send.id))
    await endMessages(tx, held.map(messageEndOf), now)
    const falling = held.filter(({ decision }) => decision.state === 'fallback')
    if (falling.length > 0)
      await switchToFallback(
        tx,
        falling.map(({ send }) => send),
      )
    await heedFailures(tx, await joinEarlyStatuses(tx, accepted), random, now)
    const settled: Settled[] = []
    const letters = new Map<string, string>()
    for (const one of held) {
      if (one.decision.state === 'failed') letters.set(one.send.id, random.uuid())
    }
    await buryOutbound(
      tx,
      held.flatMap((one) => letterOf(one, letters.get(one.send.id), now) ?? []),
    )
    for (const one of decided) {
      const isOurs = ours.has(one.send.id)
      settled.push({
        ...one,
        isOurs,
        isNewReauth: isOurs && (await applyToNumber(tx, one, now)),
        deadLetterId: letters.get(one.send.id) ?? null,
      })
    }
    return settled
  })
}

type Decided = SendResult & { decision: Decision }

/** A status may have told of a send by the time its sender gives it up: then Meta has it. */
async function heedEvidence(tx: Tx, results: SendResult[]): Promise<SendResult[]> {
  const open = results.filter(({ outcome }) => outcome.wamid === null)
  if (open.length === 0) return results
  const evidence = await selectEvidence(
    tx,
    open.map(({ send }) => send),
  )
  return results.map((result) => {
    const wamid = evidence.get(result.send.id)
    if (wamid === undefined || result.outcome.wamid !== null) return result
    return { ...result, outcome: acceptedOutcome(wamid) }
  })
}

function settlementOf({ send, decision, outcome }: Decided): Settlement {
  const ends = { send, error: outcome.errorCode }
  switch (decision.state) {
    case 'done':
      return { ...ends, state: 'done', failures: 0, runAt: null }
    case 'failed':
      return { ...ends, state: 'failed', failures: 1, runAt: null }
    case 'fallback':
      return { ...ends, state: 'pending', failures: 0, runAt: decision.runAt }
    case 'pending':
      return { ...ends, state: 'pending', failures: decision.failures, runAt: decision.runAt }
  }
}

function attemptEndOf({ send, outcome, isPosted }: SendResult) {
  return {
    attemptId: send.attemptId,
    tenantId: send.tenantId,
    outcome: isPosted || outcome.wamid !== null ? outcome.class : 'not_posted',
    wamid: outcome.wamid,
    statusCode: outcome.statusCode,
    providerCode: outcome.provider?.code ?? null,
    providerSubcode: outcome.provider?.subcode ?? null,
    errorMessage: outcome.provider?.message ?? (outcome.errorCode === null ? null : outcome.advice),
    fbtraceId: outcome.provider?.fbtrace_id ?? null,
  }
}

function messageEndOf({ send, outcome, decision, isPosted }: Decided) {
  const status =
    decision.state === 'done'
      ? ('sent' as const)
      : decision.state !== 'failed'
        ? null
        : decision.letter === 'unknown'
          ? ('unknown' as const)
          : ('failed' as const)
  return {
    tenantId: send.tenantId,
    messageId: send.messageId,
    outboxId: send.id,
    posts: isPosted ? 1 : 0,
    status,
    wamid: outcome.wamid,
    error: errorOf(outcome),
  }
}

function letterOf({ send, outcome, decision }: Decided, id: string | undefined, now: Date) {
  if (decision.state !== 'failed' || id === undefined) return undefined
  return {
    id,
    tenantId: send.tenantId,
    kind: decision.letter,
    outboxId: send.id,
    messageId: send.messageId,
    phoneNumberId: send.phoneNumberId,
    errorCode: outcome.errorCode ?? 'UNKNOWN',
    errorMessage: outcome.provider?.message ?? outcome.advice,
    raw: Buffer.from(JSON.stringify(send.payload)),
    correlationId: send.correlationId,
    createdAt: now,
  }
}

/** True when the account was fine until now. */
async function applyToNumber(
  tx: Tx,
  { send, outcome, decision }: Decided,
  now: Date,
): Promise<boolean> {
  const { tenantId, phoneNumberId } = send
  if (decision.state === 'pending' && decision.isParked) {
    const reason = outcome.provider?.message ?? outcome.advice
    const isNew = await requireReauth(tx, tenantId, phoneNumberId, reason, now)
    await holdNumber(tx, tenantId, phoneNumberId, 'parked')
    return isNew
  }
  if (decision.state === 'done' || decision.state === 'fallback') return false
  if (decision.holdUntil !== null) {
    await holdNumber(tx, tenantId, phoneNumberId, decision.holdUntil)
  }
  return false
}
