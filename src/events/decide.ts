// What comes of an attempt: taken, tried again later, or given up; and what it says about the endpoint.
import type { Random } from '../time-and-chance.ts'
import type { PostOutcome } from './model.ts'

export interface DeliveryDecision {
  state: 'done' | 'failed' | 'pending'
  failures: 0 | 1
  runAt: Date | null
  /** Null when it says nothing about the endpoint: the trouble is ours. */
  endpoint: EndpointNews | null
}

export interface EndpointNews {
  isTaken: boolean
  /** Nobody there, or not now: other events need not knock at once. */
  isDown: boolean
  /** It named the time itself. */
  holdUntil: Date | null
  /** It said that it is no more (410). */
  isGone: boolean
}

/** After each failure in a row: 9 attempts in 27.6 hours, and up to a fifth more by chance. */
export const retryDelaysSeconds = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
const spread = 0.2
const longestRetryAfterSeconds = 24 * 60 * 60
/** Something of ours was in the way. */
const ownTroubleSeconds = 10

export function decideDelivery(
  outcome: PostOutcome,
  attempts: number,
  { random, now }: { random: Random; now: Date },
): DeliveryDecision {
  const { statusCode, errorCode } = outcome
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    const endpoint = { isTaken: true, isDown: false, holdUntil: null, isGone: false }
    return { state: 'done', failures: 0, runAt: null, endpoint }
  }
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  if (ownTroubles.has(errorCode ?? '')) {
    return { state: 'pending', failures: 0, runAt: after(ownTroubleSeconds), endpoint: null }
  }
  if (errorCode === 'REMOVED') return { state: 'failed', failures: 0, runAt: null, endpoint: null }
  const asked = outcome.retryAfterSeconds
  const wished = asked === null ? null : Math.min(asked, longestRetryAfterSeconds)
  const endpoint: EndpointNews = {
    isTaken: false,
    isDown: statusCode === null || [429, 502, 503, 504].includes(statusCode),
    holdUntil: wished !== null && (statusCode === 429 || statusCode === 503) ? after(wished) : null,
    isGone: statusCode === 410,
  }
  const delay = retryDelaysSeconds[attempts]
  if (delay === undefined) return { state: 'failed', failures: 1, runAt: null, endpoint }
  const seconds = Math.max(delay * (1 + spread * random.fraction()), wished ?? 0)
  return { state: 'pending', failures: 1, runAt: after(seconds), endpoint }
}

/** A secret that no key opens, a database that was away while an answer was looked at, and a process that ends. */
const ownTroubles = new Set(['SECRET_UNREADABLE', 'UNAVAILABLE', 'STOPPED'])
