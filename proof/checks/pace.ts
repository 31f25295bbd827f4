// I13, I14 as Meta sees them: no number faster than its limit, no tenant with more in flight than its cap, and nothing of a
// number that Meta asked to wait.
import type { GraphRequest } from '../../simulator/ledger.ts'
import type { Timing } from './doubles.ts'
import type { Evidence } from './evidence.ts'
import { attemptIdOf } from './posts.ts'
import { type Span, touches } from './span.ts'

export interface PaceTerms {
  /** Sends in flight per tenant. */
  cap: number
  /** Sends in any second, by number. */
  paces: ReadonlyMap<string, number>
  /** When Meta's own process stood still: what had come meanwhile is there all at once. */
  stalls: Span[]
}

type Ledger = Pick<Evidence, 'ledger'>

const isSend = ({ endpoint }: GraphRequest) => endpoint === 'messages'

/** By number, in their order. */
function arrivalsOf(requests: GraphRequest[]): Map<string, number[]> {
  const arrivals = new Map<string, number[]>()
  for (const { phone_number_id, arrived_at } of requests.filter(isSend)) {
    if (phone_number_id === null) continue
    const times = arrivals.get(phone_number_id) ?? []
    arrivals.set(phone_number_id, times)
    times.push(Date.parse(arrived_at))
  }
  for (const times of arrivals.values()) times.sort((a, b) => a - b)
  return arrivals
}

/** The fullest of all windows of this length that hold more than they may. */
function mostWithin(times: number[], ms: number, allowed: (window: Span) => number): number {
  let [most, first] = [0, 0]
  for (const [place, toMs] of times.entries()) {
    while ((times[first] ?? 0) <= toMs - ms) first++
    const count = place - first + 1
    if (count > most && count > allowed({ fromMs: toMs - ms, toMs })) most = count
  }
  return most
}

/** A call can stand still for so long between its sender and its arrival on a machine that has too much to do. */
const slackMs = 1_000
/** Who comes to after standing still takes in what waits one after the other. */
const takingInMs = 250

export function checkRates({ ledger }: Ledger, { paces, stalls }: PaceTerms): string[] {
  const lateMs = (window: Span) =>
    stalls
      .filter(({ fromMs, toMs }) => touches({ fromMs, toMs: toMs + takingInMs }, window))
      .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  return [...arrivalsOf(ledger.requests)].flatMap(([number, times]) =>
    [1, 10].flatMap((seconds) => {
      const perMs = (paces.get(number) ?? 0) / 1000
      const least = perMs * (seconds * 1000 + slackMs)
      const most = mostWithin(times, seconds * 1000, (window) => least + perMs * lateMs(window))
      return most > 0 ? [`I13: ${number} sent ${most} within ${seconds} s`] : []
    }),
  )
}

export function checkCaps({ ledger }: Ledger, timing: Timing, { cap }: PaceTerms): string[] {
  const attempts = new Map(timing.attempts.map((one) => [one.id, one]))
  /** Of rows that never failed: a call that was given up, or whose sender was taken for dead, may go on beside the next. */
  const flights = ledger.requests.flatMap((request) => {
    const attempt = attempts.get(attemptIdOf(request) ?? '')
    if (!attempt || request.answered_at === null || attempt.failures > 0) return []
    return [
      { tenantId: attempt.tenantId, atMs: Date.parse(request.arrived_at), step: 1 },
      { tenantId: attempt.tenantId, atMs: Date.parse(request.answered_at), step: -1 },
    ]
  })
  const inFlight = new Map<string, number>()
  const most = new Map<string, number>()
  // Who leaves in a millisecond leaves before whoever comes in it.
  for (const { tenantId, step } of flights.sort((a, b) => a.atMs - b.atMs || a.step - b.step)) {
    const count = (inFlight.get(tenantId) ?? 0) + step
    inFlight.set(tenantId, count)
    most.set(tenantId, Math.max(count, most.get(tenantId) ?? 0))
  }
  return [...most]
    .filter(([, count]) => count > cap)
    .map(([id, count]) => `I14: the tenant ${id} had ${count} in flight`)
}

/** A lease is given up so long before others may take what it held: who writes down an answer sooner held the row. */
const surelyHeldMs = 1_500
/** A commit is seen a moment after the time that it is known by. */
const seenMs = 1_000

/**
 * After a 429, which asks for so many seconds, nothing of the number is claimed until it may be called again, connected anew
 * meanwhile or not. What was claimed before the hold was committed is
 * not called back. A 429 whose hearer died, stood still, or had no database has committed nothing that could be kept: only
 * those are judged that were written down at once.
 */
export function checkHolds(
  { ledger }: Ledger,
  timing: Timing,
  retryAfterSeconds: number,
): string[] {
  const attempts = new Map(timing.attempts.map((one) => [one.id, one]))
  const attemptOf = (request: GraphRequest) => attempts.get(attemptIdOf(request) ?? '')
  const sends = ledger.requests.filter(isSend)
  return sends.filter(isThrottled).flatMap((refused) => {
    const attempt = attemptOf(refused)
    const arrivedMs = Date.parse(refused.arrived_at)
    const answeredMs = Date.parse(refused.answered_at ?? '')
    const freeMs = answeredMs + retryAfterSeconds * 1000
    if (attempt?.outcome !== 'rate_limited' || attempt.writtenMs === null) return []
    const heldMs = attempt.writtenMs
    if (heldMs - arrivedMs > surelyHeldMs) return []
    return sends
      .filter(({ phone_number_id }) => phone_number_id === refused.phone_number_id)
      .filter((next) => {
        const isTooSoon = Date.parse(next.arrived_at) < freeMs
        return isTooSoon && (attemptOf(next)?.startedMs ?? 0) > heldMs + seenMs
      })
      .map((next) => {
        const seconds = ((Date.parse(next.arrived_at) - answeredMs) / 1000).toFixed(1)
        const asked = `a 429 that asked for ${retryAfterSeconds} s`
        return `I13: ${next.phone_number_id} was called ${seconds} s after ${asked}`
      })
  })
}

const isThrottled = ({ status, outcome, faults }: GraphRequest) =>
  status === 429 && outcome === 'answered' && faults.some((one) => one.startsWith('throttle'))
