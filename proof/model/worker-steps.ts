// What a worker does with a claimed row: looks again, posts, settles. Every judgement is the product's own function; only
// what it reads and writes is the model's.
import { classify } from '../../src/meta/outcomes.ts'
import type { ClaimedSend } from '../../src/outbox/model.ts'
import { isRequeuedLane } from '../../src/outbox/model.ts'
import {
  acceptedOutcome,
  endBeforePost,
  heldOutcome,
  type SendResult,
} from '../../src/outbox/send.ts'
import { decisionOf, isTried, messageEndOf, settlementOf } from '../../src/outbox/settle.ts'
import { mostLateMs, shortMs } from '../../src/outbox/slot.ts'
import { callOf } from '../../src/outbox/weather.ts'
import {
  bury,
  confirmDuplicates,
  heedEarlyFailure,
  isBehind,
  joinEarly,
  newestRow,
  park,
  prove,
  rankOf,
} from './evidence-steps.ts'
import { type AnswerKind, acceptedAnswer, answerKinds, revokedKind } from './meta.ts'
import { confirm, hold, provenWamid, settleRow } from './queue-steps.ts'
import {
  attemptOf,
  type Claimed,
  type Job,
  leaseOf,
  messageOf,
  numberOf,
  rowOf,
  type State,
  tenantOf,
} from './state.ts'
import { holdShared, isFree, noteCall, takeSlot } from './weather-steps.ts'

const inWindow = new Date(8.64e15 / 2)

export function jobOf(state: State, worker: number, lease: number, claimed: Claimed): Job {
  const { row, attempt, slot } = claimed
  const send: ClaimedSend = {
    id: String(row.id),
    attemptId: String(attempt),
    tenantId: String(row.tenant),
    phoneNumberId: String(row.number),
    messageId: String(row.message),
    attempts: row.attempts,
    payload: { type: 'text', to: String(row.contact) },
    fallbackTemplate: row.hasFallback ? { type: 'template' } : null,
    callbackData: null,
    delivery: row.delivery,
    expiresAt: null,
    correlationId: '',
    retryPolicy: tenantOf(state, row.tenant).retryPolicy,
    lane: row.lane,
    createdAt: inWindow,
    slotMs: slot,
    claimedMs: state.now,
  }
  return {
    worker,
    lease,
    row: row.id,
    attempt,
    slot,
    send,
    phase: 'claimed',
    hasWaited: false,
    context: null,
    lookedAt: 0,
    lookedStep: 0,
    healthySince: 0,
    result: null,
  }
}

/** Everything that may have changed since acceptance (selectContexts). */
export function look(state: State, job: Job): void {
  const row = rowOf(state, job.row)
  const number = numberOf(state, row.number)
  const isSuppressed =
    state.suppressed.has(`${row.number} ${row.contact}`) &&
    state.bug !== 'an opt-out is not looked at again'
  let lastUnknownAt: number | null = null
  let lastTroubledAt: number | null = null
  for (const attempt of state.attempts) {
    if (attempt.row !== row.id || attempt.isDropped) continue
    if (attempt.wamid !== null) continue
    const endedAt = attempt.finishedAt ?? 0
    if (attempt.outcome === 'unknown') lastUnknownAt = Math.max(lastUnknownAt ?? 0, endedAt)
    const isHeeded = state.bug !== 'a denial is believed whatever lies unread'
    if (attempt.outcome === 'transient' && isHeeded)
      lastTroubledAt = Math.max(lastTroubledAt ?? 0, endedAt)
  }
  job.context = {
    outboxId: String(row.id),
    accountId: 'account',
    sealedToken: 'token',
    authStatus: number.authStatus,
    lastInboundAt: inWindow,
    acceptedAs: provenWamid(state, row),
    unknownForSeconds: lastUnknownAt === null ? null : (state.now - lastUnknownAt) / 1000,
    troubledForSeconds: lastTroubledAt === null ? null : (state.now - lastTroubledAt) / 1000,
    steadyForSeconds: (lastUnknownAt ?? lastTroubledAt) === null ? null : steadySeconds(state),
    tokenSetAt: String(number.tokenSetAt),
    suppressedScope: isSuppressed ? 'everything' : null,
    isMarketing: null,
    isFallbackMarketing: null,
    templateStatus: null,
    isTemplateGone: false,
  }
  job.lookedAt = state.now
  job.lookedStep = state.step
  job.healthySince = state.ghost.healthySince
  job.phase = 'looked'
}

function steadySeconds(state: State): number | null {
  const { now, watch, bug } = state
  if (bug === 'silence counts while the inbox is behind') return Number.POSITIVE_INFINITY
  if (bug === 'an ambiguous send is sent again at once') return Number.POSITIVE_INFINITY
  if (watch.seenAt <= now - 20_000 || isBehind(state) || watch.steadySince === null) return null
  return (now - watch.steadySince) / 1000
}

function resultOf(job: Job, more: Partial<SendResult> & Pick<SendResult, 'outcome'>): SendResult {
  const times = { takenMs: 0, endedMs: 0, durationMs: 0 }
  return {
    send: job.send,
    isPosted: false,
    tokenSetAt: job.context?.tokenSetAt ?? null,
    ...times,
    ...more,
  }
}

/** Whether its moment has come (awaitSlot, of which pace.ts runs the product's own). */
function turnOf(state: State, job: Job): 'now' | 'later' | 'never' {
  if (job.slot === null) return 'now'
  if (state.now < job.slot) {
    if (job.slot - state.now > shortMs) job.hasWaited = true
    return 'later'
  }
  const { number } = rowOf(state, job.row)
  if (job.hasWaited && !isFree(state, number)) return 'never'
  if (state.now - job.slot <= mostLateMs || state.bug === 'a late slot is used all the same')
    return 'now'
  job.slot = takeSlot(state, number, shortMs)
  state.ghost.sometimes('a late one got another moment')
  return job.slot === null ? 'never' : 'later'
}

/** `later`: its moment is still to come. `lost`: its worker was taken for dead, and does not post. */
export function post(state: State, job: Job, kind: AnswerKind): 'done' | 'later' | 'lost' {
  const { context, send } = job
  if (!context) throw new Error('bug: posted without a look')
  const { reconcileSeconds } = state.settings
  const now = new Date(state.now)
  const before = endBeforePost(send, context, { defaultPolicy: 'standard', reconcileSeconds, now })
  if (before) {
    if (before.postponedMs !== undefined)
      state.ghost.sometimes('silence was not taken for an answer')
    return end(job, resultOf(job, before))
  }
  const turn = turnOf(state, job)
  if (turn === 'later') return 'later'
  if (turn === 'never') return end(job, resultOf(job, { outcome: heldOutcome() }))
  const isHeld = leaseOf(state, job.lease).heldUntil > state.now
  if (!isHeld && state.bug !== 'a lost lease still posts') {
    state.ghost.sometimes('a worker that lost its lease did not post')
    return 'lost'
  }
  const row = rowOf(state, job.row)
  const said = state.meta.revoked.has(row.number) && kind.answer === null ? revokedKind : kind
  const wamid = `wamid.${job.attempt}`
  state.ghost.posting(state, job, said.isAccepted)
  if (said.isAccepted) {
    const { message, number } = row
    state.meta.acceptances.push({ number, message, row: row.id, attempt: job.attempt, wamid })
  }
  const outcome = said.outcome ?? classify(acceptedAnswer(wamid))
  return end(
    job,
    resultOf(job, { outcome, isPosted: true, isAgain: context.unknownForSeconds !== null }),
  )
}

function end(job: Job, result: SendResult): 'done' {
  job.result = result
  job.phase = 'done'
  return 'done'
}

/** What came of it is written down, as settleResults and followUp do. */
export function settle(state: State, job: Job, fraction: number): void {
  const { now, settings } = state
  const row = rowOf(state, job.row)
  const seen = job.result as SendResult
  const at = new Date(now)
  const { reconcileSeconds } = settings
  const terms = {
    defaultPolicy: 'standard' as const,
    reconcileSeconds,
    random: { fraction: () => fraction },
  }
  const { outcome } = seen
  if (outcome.class === 'rate_limited' && (outcome.scope === 'waba' || outcome.scope === 'app')) {
    const first = decisionOf(terms, seen, at)
    const until = 'holdUntil' in first ? first.holdUntil : null
    if (until) holdShared(state, row.number, outcome.scope, job.attempt, until.getTime())
  }
  const result = heedEvidence(state, seen)
  const decided = { ...result, decision: decisionOf(terms, result, at) }
  if (state.bug === 'an ambiguous send is sent again at once' && outcome.class === 'unknown') {
    if (decided.decision.state === 'pending')
      decided.decision = { ...decided.decision, runAt: at } as typeof decided.decision
  }
  const settlement = settlementOf(decided)
  const isOurs = settleRow(state, {
    row: row.id,
    attempt: job.attempt,
    state: settlement.state,
    failures: settlement.failures,
    error: settlement.error,
    runAt: settlement.runAt?.getTime() ?? null,
  })
  if (!isOurs) state.ghost.sometimes('the fence refused a late settlement')
  const call = callOf(decided)
  if (call) {
    noteCall(state, {
      number: row.number,
      attempt: job.attempt,
      verdict: call.verdict,
      throttledUntil: call.throttledUntil?.getTime() ?? null,
      limitedContact: call.limitedPair === null ? null : row.contact,
    })
  }
  endAttempt(state, job, seen)
  if (isOurs || seen.isPosted) endMessage(state, job, decided, isOurs)
  if (isOurs && decided.decision.state === 'fallback') row.hasFallback = false
  const { wamid } = result.outcome
  if (wamid !== null && joinEarly(state, wamid)?.has('failed'))
    heedEarlyFailure(state, row.number, wamid)
  if (
    isOurs &&
    seen.isPosted &&
    wamid !== null &&
    (job.send.attempts > 0 || isRequeuedLane(row.lane))
  )
    confirmDuplicates(state, messageOf(state, row.message))
  if (isOurs) applyDecision(state, job, decided)
  followUp(state, job, result, isOurs)
}

type Decided = Parameters<typeof settlementOf>[0]

/** A status may have told of it by the time its sender gives it up, also of an attempt of an earlier row. */
function heedEvidence(state: State, seen: SendResult): SendResult {
  if (seen.outcome.wamid !== null) return seen
  const row = rowOf(state, Number(seen.send.id))
  const wamid = provenWamid(state, row)
  if (wamid === null) return seen
  state.ghost.sometimes('a status was faster than the answer')
  return { ...seen, outcome: acceptedOutcome(wamid) }
}

/** As it was seen. */
function endAttempt(state: State, job: Job, seen: SendResult): void {
  const attempt = attemptOf(state, job.attempt)
  if (!isTried(seen)) {
    attempt.isDropped = true
    return
  }
  attempt.finishedAt ??= state.now
  attempt.outcome = seen.isPosted ? seen.outcome.class : 'not_posted'
  attempt.wamid = seen.outcome.wamid ?? attempt.wamid
}

/** A lower step than where the message is takes nothing back; the message shows its newest row. */
function endMessage(state: State, job: Job, decided: Decided, isOurs: boolean): void {
  const row = rowOf(state, job.row)
  const message = messageOf(state, row.message)
  if (message.status === 'cancelled') return
  const ended = messageEndOf(decided)
  message.posts += ended.posts
  if (!isOurs || newestRow(state, message.id).id !== row.id) return
  const before = { status: message.status, wamid: message.wamid }
  const keepsName = ended.status === 'sent' && before.wamid !== null && before.status !== 'failed'
  if (!keepsName) message.wamid = ended.wamid ?? before.wamid
  const isKept =
    ended.status === null ||
    rankOf(before.status) >= 4 ||
    (ended.status === 'sent' &&
      rankOf(before.status) >= 2 &&
      (before.wamid === ended.wamid || before.status !== 'failed'))
  if (!isKept && ended.status !== null) message.status = ended.status
}

function applyDecision(state: State, job: Job, { decision }: Decided): void {
  const row = rowOf(state, job.row)
  if (decision.state === 'failed') {
    bury(state, row, decision.letter)
    state.ghost.sometimes(`a letter: ${decision.letter}`)
  }
  if (decision.state === 'pending' && decision.isParked) {
    const isOutdated = String(numberOf(state, row.number).tokenSetAt) !== job.context?.tokenSetAt
    if (isOutdated) state.ghost.sometimes('an outdated token parked nobody')
    else park(state, row.number)
  } else if ('holdUntil' in decision && decision.holdUntil !== null) {
    hold(state, row.number, decision.holdUntil.getTime())
  }
}

/** In transactions of their own: the late answer is a proof, and what is proven need not wait. */
function followUp(
  state: State,
  job: Job,
  { outcome, isPosted }: SendResult,
  isOurs: boolean,
): void {
  const row = rowOf(state, job.row)
  const { wamid } = outcome
  if (!isOurs && isPosted && wamid !== null) {
    const early = prove(state, { message: row.message, row: row.id, wamid, isFailed: false })
    if (early?.has('failed')) heedEarlyFailure(state, row.number, wamid)
    if (confirm(state, row.message) > 0) state.ghost.sometimes('a late answer ended a wait')
  }
  if (outcome.class === 'unknown') confirm(state, row.message)
}

export function kindOf(index: number): AnswerKind {
  return answerKinds[index % answerKinds.length] as AnswerKind
}
