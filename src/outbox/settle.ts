// Step 3 of sending: what came of attempts → rows, messages, holds, dead letters: one transaction for all that ended
// together. Only who still holds a row changes it; what an attempt came to is written down in any case.
import { expectReauth, requireReauth } from '../accounts/reauth.ts'
import { keepRefusals } from '../consent/keep-words.ts'
import { refusalNamed, wholeSecond } from '../consent/refusals.ts'
import { expectEarlyStatuses, joinEarlyStatuses, type Step } from '../conversations/apply-status.ts'
import type { MessageName } from '../conversations/model.ts'
import type { Db, Tx } from '../db/connect.ts'
import { buriedAs, buryOutbound } from '../dead-letters/bury.ts'
import { unpackCallback } from '../meta/callback-data.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { type Decision, decide, errorOf, type Terms, waiting } from './decide.ts'
import { type EndedSend, endSuppressed } from './end-suppressed.ts'
import { confirmDuplicates, type Duplicate } from './evidence-queries.ts'
import { type HeardFailure, heedFailures } from './heed-status.ts'
import { isRequeuedLane, type Settlement } from './model.ts'
import { holdNumber, settleSends } from './queue-queries.ts'
import type { RetryPolicyName } from './retry-policy.ts'
import { acceptedOutcome, type SendResult } from './send.ts'
import {
  dropAttempts,
  endAttempts,
  endMessages,
  holdAttempts,
  selectEvidence,
  switchToFallback,
} from './send-queries.ts'
import {
  holdAllConcerned,
  reportWeather,
  settleWeather,
  type WeatherChange,
  type Weatherman,
} from './weather.ts'

export interface Settler extends Weatherman {
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
  /** It was settled before, and nobody heard of that: whether the row was ours then is not known any more. */
  isRepeat: boolean
  /** The account was fine until this. */
  isNewReauth: boolean
  deadLetterId: string | null
  /** Steps of the message that came before its wamid did, and that nothing named it by. */
  early: Step[]
  /** Of the message, told by statuses that had come before its answer. */
  failures: HeardFailure[]
  /** Other attempts at the message that Meta has too. */
  duplicates: Duplicate[]
  /** What else waited for a contact who, as Meta says, wants no more of it. */
  ended: EndedSend[]
}

export async function settleResults(settler: Settler, results: SendResult[]): Promise<Settled[]> {
  const { db, clock, random } = settler
  const now = clock.now()
  const terms = { ...settler, random, now }
  reportWeather(settler, await holdAllConcerned(db, results, terms))
  // crash point: outbox.weather-before-settle
  const { settled, weather } = await db.transaction(async (tx) => {
    // Attempts and messages before the queue, as statuses take them: whoever has a message and wants the queue (a reply, a
    // fallback) and whoever has the queue and wants the message would wait for each other.
    const attempts = await holdAttempts(
      tx,
      results.map(({ send }) => send),
    )
    const [repeated, first] = partition(results, (one) =>
      isRepeated(one, attempts.get(one.send.attemptId)),
    )
    const fresh = first.length === 0 ? nothing : await settleFirst(tx, settler, first, now)
    const letters = await buriedAs(
      tx,
      repeated.map(({ send }) => send),
    )
    const before = repeated.map((one) => {
      return settledBefore(settler, one, now, letters.get(one.send.id) ?? null)
    })
    // crash point: outbox.settled-before-commit
    return { weather: fresh.weather, settled: [...fresh.settled, ...before] }
  })
  // crash point: outbox.settled-after-commit
  reportWeather(settler, weather)
  const byAttempt = new Map(settled.map((one) => [one.send.attemptId, one]))
  return results.flatMap(({ send }) => byAttempt.get(send.attemptId) ?? [])
}

interface SettledTogether {
  settled: Settled[]
  weather: WeatherChange[]
}

const nothing: SettledTogether = { settled: [], weather: [] }

/** It was committed, and the answer to that was lost. What was dropped untried is no longer there. */
function isRepeated(result: SendResult, attempt: 'open' | 'told' | undefined): boolean {
  return attempt === 'told' || (attempt === undefined && !isTried(result))
}

function settledBefore(
  settler: Settler,
  result: SendResult,
  now: Date,
  deadLetterId: string | null,
): Settled {
  const decision = decisionOf(settler, result, now)
  const effects = { early: [], failures: [], duplicates: [], ended: [] }
  // Who died has a letter: without one it was not ours even then, or evidence saved it.
  const isOurs = decision.state !== 'failed' || deadLetterId !== null
  const ends = { isOurs, isRepeat: true, isNewReauth: false, deadLetterId }
  return { ...result, decision, ...ends, ...effects }
}

async function settleFirst(
  tx: Tx,
  settler: Settler,
  results: SendResult[],
  now: Date,
): Promise<SettledTogether> {
  const { random } = settler
  const decided = (await heedEvidence(tx, results)).map((result) => ({
    ...result,
    decision: decisionOf(settler, result, now),
  }))
  await expectEarlyStatuses(tx, decided.flatMap(nameOf))
  // Before the queue's lock, as everywhere.
  await expectReauth(
    tx,
    decided.filter(({ decision }) => isParked(decision)).map(({ send }) => send),
  )
  const suppressed = await keepRefusals(
    tx,
    results.flatMap((result) => refusedOf(result, random, now)),
    random.uuid,
    now,
  )
  const ours = await settleSends(tx, decided.map(settlementOf))
  const weather = await settleWeather(tx, decided, settler.circuit, now)
  // As they were seen: what a status told of an attempt is in its row already.
  const [tried, untried] = partition(results, isTried)
  await endAttempts(tx, tried.map(attemptEndOf))
  if (untried.length > 0) {
    await dropAttempts(
      tx,
      untried.map(({ send }) => send),
    )
  }
  const held = decided.filter(({ send }) => ours.has(send.id))
  // What was taken from us and posted all the same counts as a POST, and no more.
  const lost = decided.filter(({ send, isPosted }) => isPosted && !ours.has(send.id))
  const posts = lost.map((one) => ({ ...messageEndOf(one), status: null, wamid: null }))
  await endMessages(tx, [...held.map(messageEndOf), ...posts], now)
  const falling = held.filter(({ decision }) => decision.state === 'fallback')
  if (falling.length > 0)
    await switchToFallback(
      tx,
      falling.map(({ send }) => send),
    )
  // Not of those that are lost: their messages are named in follow-up.ts, or have been.
  const early = await joinEarlyStatuses(tx, held.flatMap(nameOf))
  const failures = await heedFailures(tx, early, random, now)
  const duplicates = await findDuplicates(tx, held, now)
  const settled: Settled[] = []
  const letters = letterIds(held, random)
  await buryOutbound(
    tx,
    held.flatMap((one) => letterOf(one, letters.get(one.send.id), now) ?? []),
  )
  const ended = await endSuppressed(tx, suppressed, random, now)
  for (const one of decided) {
    const isOurs = ours.has(one.send.id)
    settled.push({
      ...one,
      isOurs,
      isRepeat: false,
      isNewReauth: isOurs && (await applyToNumber(tx, one, now)),
      deadLetterId: letters.get(one.send.id) ?? null,
      early: early.filter(({ wamid }) => wamid === one.outcome.wamid).filter(isUnnamed),
      failures: failures.filter(({ send }) => send.messageId === one.send.messageId),
      duplicates: duplicates.filter(({ messageId }) => messageId === one.send.messageId),
      ended: ended.splice(0),
    })
  }
  return { settled, weather }
}

type Decided = SendResult & { decision: Decision }

function nameOf({ send, outcome }: SendResult): MessageName[] {
  return outcome.wamid === null ? [] : [{ tenantId: send.tenantId, wamid: outcome.wamid }]
}

export function decisionOf(
  terms: Omit<Terms, 'now' | 'hasWaited'>,
  { send, outcome, isPosted, postponedMs }: SendResult,
  now: Date,
): Decision {
  if (postponedMs !== undefined && outcome.wamid === null) {
    return waiting(new Date(now.getTime() + postponedMs), 0)
  }
  // Whoever gives up an ambiguous one without asking Meta has waited for evidence.
  return decide(send, outcome, { ...terms, now, hasWaited: !isPosted })
}

/** Only where Meta was asked before can it have taken the message before. */
async function findDuplicates(tx: Tx, held: Decided[], now: Date): Promise<Duplicate[]> {
  const again = held.filter(
    ({ send, outcome, isPosted }) =>
      isPosted && outcome.wamid !== null && (send.attempts > 0 || isRequeuedLane(send.lane)),
  )
  if (again.length === 0) return []
  return confirmDuplicates(
    tx,
    again.map(({ send }) => send),
    now,
  )
}

function refusedOf({ send, outcome }: SendResult, random: Random, now: Date) {
  const { tenantId, messageId } = send
  const { errorCode } = outcome
  if (!refusalNamed(errorCode)) return []
  return { tenantId, messageId, errorCode, at: wholeSecond(now), changeId: random.uuid() }
}

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

/** One that names its attempt gave the message its wamid when it came. */
function isUnnamed({ details }: Step): boolean {
  return unpackCallback(details.biz_opaque_callback_data) === undefined
}

/** Who only looked for evidence, found or not, or must look again later, tried nothing. */
export function isTried({ outcome, isPosted, postponedMs }: SendResult): boolean {
  const isAboutEarlier = outcome.wamid !== null || outcome.class === 'unknown'
  return isPosted || !(isAboutEarlier || postponedMs !== undefined)
}

function partition<Item>(items: Item[], is: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(is), items.filter((item) => !is(item))]
}

export function settlementOf({ send, decision, outcome, isPosted }: Decided): Settlement {
  const ends = { send, error: outcome.errorCode }
  const isGivenUp = outcome.class === 'unknown' && !isPosted
  switch (decision.state) {
    case 'done':
      return { ...ends, state: 'done', failures: 0, runAt: null }
    case 'failed':
      // What is given up for want of evidence was counted when it was tried.
      return { ...ends, state: 'failed', failures: isGivenUp ? 0 : 1, runAt: null }
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
    outcome: isPosted ? outcome.class : 'not_posted',
    wamid: outcome.wamid,
    statusCode: outcome.statusCode,
    providerCode: outcome.provider?.code ?? null,
    providerSubcode: outcome.provider?.subcode ?? null,
    errorMessage: outcome.provider?.message ?? (outcome.errorCode === null ? null : outcome.advice),
    fbtraceId: outcome.provider?.fbtrace_id ?? null,
  }
}

export function messageEndOf({ send, outcome, decision, isPosted }: Decided) {
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

/** By row, for those that are dead. */
function letterIds(held: Decided[], random: Random): Map<string, string> {
  const dead = held.filter(({ decision }) => decision.state === 'failed')
  return new Map(dead.map(({ send }) => [send.id, random.uuid()]))
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

function isParked(decision: Decision): boolean {
  return decision.state === 'pending' && decision.isParked
}

/** True when the account was fine until now. */
async function applyToNumber(
  tx: Tx,
  { send, outcome, decision, tokenSetAt }: Decided,
  now: Date,
): Promise<boolean> {
  const { tenantId, phoneNumberId } = send
  if (isParked(decision)) {
    const reason = outcome.provider?.message ?? outcome.advice
    const reauth = await requireReauth(tx, tenantId, phoneNumberId, reason, now, tokenSetAt)
    // Reconnected meanwhile: the send is tried again, with the token of now.
    if (reauth === 'outdated') return false
    await holdNumber(tx, tenantId, phoneNumberId, 'parked')
    return reauth === 'new'
  }
  if (!('holdUntil' in decision)) return false
  if (decision.holdUntil !== null) {
    await holdNumber(tx, tenantId, phoneNumberId, decision.holdUntil)
  }
  return false
}
