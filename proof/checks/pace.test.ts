// The checks of pace and holds find what is planted for them, and let pass what nobody could have known.
import { expect, test } from 'vitest'
import type { GraphRequest } from '../../simulator/ledger.ts'
import type { TimedAttempt, Timing } from './doubles.ts'
import type { Evidence } from './evidence.ts'
import { checkCaps, checkHolds, checkRates } from './pace.ts'

const idOf = (place: number) => `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`
const at = (ms: number) => new Date(ms).toISOString()

const call = (place: number, fromMs: number, more: Partial<GraphRequest> = {}) =>
  ({
    ...{ endpoint: 'messages', phone_number_id: '7', outcome: 'answered', status: 200, faults: [] },
    ...{ arrived_at: at(fromMs), answered_at: at(fromMs + 10) },
    body: { biz_opaque_callback_data: `est:${idOf(place)}` },
    ...more,
  }) as unknown as GraphRequest

const attempt = (place: number, more: Partial<TimedAttempt> = {}): TimedAttempt => ({
  ...{ id: idOf(place), messageId: 'm', tenantId: 'firm', delivery: 'at_least_once', failures: 0 },
  ...{ outcome: 'accepted', startedMs: 0, endedMs: 0, writtenMs: 0 },
  ...more,
})

const evidenceOf = (requests: GraphRequest[]) => ({ ledger: { requests } as Evidence['ledger'] })
const timingOf = (...attempts: TimedAttempt[]): Timing => ({ attempts, heard: [] })

const pace = { cap: 1, paces: new Map([['7', 2]]), stalls: [] }
const every = (ms: number, count: number) =>
  Array.from({ length: count }, (_, place) => call(place, place * ms))

test('no number is faster than its own limit, at once or for long', () => {
  expect(checkRates(evidenceOf(every(500, 60)), pace)).toEqual([])
  expect(checkRates(evidenceOf(every(10, 5)), pace)).toEqual(['I13: 7 sent 5 within 1 s'])
  expect(checkRates(evidenceOf(every(400, 60)), pace)).toEqual(['I13: 7 sent 25 within 10 s'])
})

test('what came while Meta itself stood still came all at once, then and at no other time', () => {
  const stalled = (fromMs: number) => ({ ...pace, stalls: [{ fromMs, toMs: fromMs + 600 }] })
  const calls = evidenceOf(every(10, 5))
  expect(checkRates(calls, stalled(-700))).toEqual([])
  expect(checkRates(calls, stalled(-60_000))).toHaveLength(1)
  expect(checkRates(calls, stalled(60_000))).toHaveLength(1)
})

test('no tenant has more in flight than its cap', () => {
  const both = evidenceOf([call(1, 0, { answered_at: at(600) }), call(2, 500)])
  expect(checkCaps(both, timingOf(attempt(1), attempt(2)), pace)).toEqual([
    'I14: the tenant firm had 2 in flight',
  ])
})

const throttled = { status: 429, faults: ['throttle_1'] } as const
const [refusedMs, retryAfterSeconds] = [100_000, 15]

/** A 429, and a call so long after its answer, which was claimed so long after the 429 was written down. */
function afterRefusal(
  calledMs: number,
  claimedMs: number,
  written: Partial<TimedAttempt> = {},
): string[] {
  const writtenMs = refusedMs + 100
  const requests = [
    call(1, refusedMs, { ...throttled, faults: [...throttled.faults] }),
    call(2, refusedMs + 10 + calledMs),
  ]
  const refused = attempt(1, { outcome: 'rate_limited', writtenMs, ...written })
  const next = attempt(2, { startedMs: (written.writtenMs ?? writtenMs) + claimedMs })
  return checkHolds(evidenceOf(requests), timingOf(refused, next), retryAfterSeconds)
}

test('a number that Meta asked to wait waits', () => {
  expect(afterRefusal(9_000, 5_000)).toEqual([
    'I13: 7 was called 9.0 s after a 429 that asked for 15 s',
  ])
  expect(afterRefusal(15_000, 5_000)).toEqual([])
})

test.each([
  ['it was claimed before', afterRefusal(9_000, -50)],
  ['nobody lived to write the 429 down', afterRefusal(9_000, 5_000, { outcome: 'unknown' })],
  ['the database was away', afterRefusal(9_000, 5_000, { writtenMs: refusedMs + 3_000 })],
])('a call is let pass where %s', (_why, found) => {
  expect(found).toEqual([])
})
