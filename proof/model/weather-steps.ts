// Pace, holds and circuits as migrations/0008_weather.sql keeps them.
import type { Call } from '../../src/outbox/weather-queries.ts'
import { attemptOf, type Bucket, type NumberState, numberOf, type State } from './state.ts'

const pairBurstMs = 264_000

/** Messages a second at this moment: halved by Meta's word, growing back by 1/120 of the limit a second. */
function rateOf(number: NumberState, at: number): number {
  if (number.slowedRate === null) return number.rate
  const regained = (Math.max(0, at - number.slowedAt) / 1000) * (number.rate / 120)
  return Math.min(number.rate, number.slowedRate + regained)
}

/** Between two messages, in whole microseconds as the database has it; 0: not paced. */
export function gapOf(number: NumberState, at: number): number {
  const rate = rateOf(number, at)
  return rate === Number.POSITIVE_INFINITY ? 0 : Math.round((1.05 / rate) * 1e6) / 1000
}

/** Another moment for one that missed its own; null when its number may not send any more. */
export function takeSlot(state: State, id: number, leadMs: number): number | null {
  const number = numberOf(state, id)
  if (!isFree(state, id)) return null
  const slot = Math.max(number.pacedUntil, state.now + leadMs)
  number.pacedUntil = Math.round((slot + gapOf(number, state.now)) * 1000) / 1000
  return slot
}

export function isFree(state: State, id: number): boolean {
  const number = numberOf(state, id)
  return number.holdUntil <= state.now && !number.isOpen
}

function slow(state: State, number: NumberState, since: number, until: number): void {
  number.askedUntil = Math.max(number.askedUntil, until)
  if (number.throttledAt >= since || number.rate === Number.POSITIVE_INFINITY) return
  number.slowedRate = Math.fround(Math.max(1, rateOf(number, state.now) / 2))
  number.slowedAt = until
  number.throttledAt = state.now
}

/** A limit of many numbers at once: all of them wait, and are slowed down. */
export function holdShared(
  state: State,
  id: number,
  scope: 'waba' | 'app',
  attempt: number,
  until: number,
): void {
  const { waba } = numberOf(state, id)
  const since = attemptOf(state, attempt).startedAt
  const wide = state.numbers.filter(
    (number) => (scope === 'app' || number.waba === waba) && number.askedUntil < until - 1000,
  )
  for (const number of wide) {
    number.holdUntil = Math.max(number.holdUntil, until)
    slow(state, number, since, until)
  }
}

export interface Heard extends Pick<Call, 'verdict'> {
  number: number
  attempt: number
  throttledUntil: number | null
  limitedContact: number | null
}

/** What a call came to, for pace and circuits. */
export function noteCall(state: State, call: Heard): void {
  const { now, settings } = state
  const number = numberOf(state, call.number)
  const attempt = attemptOf(state, call.attempt)
  count(state, number, call)
  if (call.limitedContact !== null) {
    const owed = number.pairs.get(call.limitedContact)
    if (owed !== undefined) number.pairs.set(call.limitedContact, Math.max(owed, now + pairBurstMs))
  }
  if (call.throttledUntil !== null) slow(state, number, attempt.startedAt, call.throttledUntil)
  const halfOpenMs = settings.circuit.halfOpenSeconds * 1000
  if (number.isOpen && attempt.startedAt > number.openedAt) {
    number.isOpen = call.verdict !== 'answered'
    if (number.isOpen) number.trialAt = now + halfOpenMs
    else {
      forget(number)
      // The trial had no moment of its own.
      takeSlot(state, number.id, 0)
    }
    number.nextAt = Math.min(number.nextAt, now)
    wakeTenant(state, number)
    state.ghost.sometimes(number.isOpen ? 'a trial failed' : 'a circuit closed')
  }
  if (call.verdict !== 'answered' && !number.isOpen && isFailing(state, number)) {
    number.isOpen = true
    number.openedAt = now
    number.trialAt = now + halfOpenMs
    state.ghost.sometimes('a circuit opened')
  }
  noteHost(state, call)
}

function wakeTenant(state: State, number: NumberState): void {
  const tenant = state.tenants[number.tenant]
  if (!tenant) return
  let first = Number.POSITIVE_INFINITY
  for (const one of state.numbers) {
    if (one.tenant === number.tenant && one.nextAt < first) first = one.nextAt
  }
  tenant.nextAt = Math.min(tenant.nextAt, Math.max(state.now, first))
}

function count(state: State, number: NumberState, { verdict }: Heard): void {
  const { windowSeconds } = state.settings.circuit
  const twelfth = Math.floor((state.now * 12) / (windowSeconds * 1000))
  const startsAt = (twelfth * windowSeconds * 1000) / 12
  const known = number.buckets[twelfth % 13]
  const bucket: Bucket =
    known && known.startsAt === startsAt
      ? known
      : { startsAt, calls: 0, failures: 0, unreachable: 0 }
  bucket.calls++
  if (verdict !== 'answered') bucket.failures++
  if (verdict === 'unreachable') bucket.unreachable++
  number.buckets[twelfth % 13] = bucket
}

function forget(number: NumberState): void {
  for (const bucket of number.buckets) {
    if (bucket) Object.assign(bucket, { calls: 0, failures: 0, unreachable: 0 })
  }
}

function isFailing(state: State, number: NumberState): boolean {
  const { failureRatio, minCalls, windowSeconds } = state.settings.circuit
  let calls = 0
  let failures = 0
  for (const bucket of number.buckets) {
    if (!bucket || bucket.startsAt <= state.now - windowSeconds * 1000) continue
    calls += bucket.calls
    failures += bucket.failures
  }
  return calls >= minCalls && failures >= failureRatio * calls
}

/** The host's circuit: no connection comes about, from at least three numbers or all there are. */
function noteHost(state: State, { verdict, attempt }: Heard): void {
  const { host, now, settings } = state
  const { circuit } = settings
  const since = now - circuit.windowSeconds * 1000
  if (host.isOpen) {
    if (attemptOf(state, attempt).startedAt <= host.openedAt) return
    host.isOpen = verdict === 'unreachable'
    if (host.isOpen) host.trialAt = now + circuit.halfOpenSeconds * 1000
    else {
      state.ghost.sometimes('the host’s circuit closed')
      const { tenant } = numberOf(state, rowNumber(state, attempt))
      for (const number of state.numbers) {
        if (number.tenant !== tenant) continue
        for (const bucket of number.buckets)
          if (bucket && bucket.startsAt > since) bucket.unreachable = 0
      }
    }
    return
  }
  if (verdict !== 'unreachable') return
  let calls = 0
  let unreachable = 0
  const numbers = new Set<number>()
  for (const number of state.numbers) {
    for (const bucket of number.buckets) {
      if (!bucket || bucket.startsAt <= since) continue
      calls += bucket.calls
      unreachable += bucket.unreachable
      if (bucket.unreachable > 0) numbers.add(number.id)
    }
  }
  if (calls < circuit.minCalls || unreachable < circuit.failureRatio * calls) return
  if (numbers.size < Math.min(3, state.numbers.length)) return
  host.isOpen = true
  host.openedAt = now
  host.trialAt = now + circuit.halfOpenSeconds * 1000
  state.ghost.sometimes('the host’s circuit opened')
}

function rowNumber(state: State, attempt: number): number {
  return (state.rows[attemptOf(state, attempt).row - 1] as { number: number }).number
}
