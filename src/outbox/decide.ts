// The one function that turns the outcome of an attempt into state: DESIGN's table of outcomes, as code. Pure.
import type { Outcome } from '../meta/outcomes.ts'
import type { Random } from '../time-and-chance.ts'
import { type ClaimedSend, numberHeld } from './model.ts'
import {
  boundedRetryAfter,
  evidenceWaitSeconds,
  isRetried,
  nextDelay,
  type RetryPolicyName,
  spamHoldSeconds,
} from './retry-policy.ts'

export interface Terms {
  defaultPolicy: RetryPolicyName
  reconcileSeconds: number
  random: Pick<Random, 'fraction'>
  now: Date
  /** The time for evidence of an ambiguous attempt is over, and there is none. */
  hasWaited?: boolean
}

export type Decision =
  | { state: 'done' }
  /** Tried again at `runAt`; the number, or all it shares a limit with, waits until `holdUntil`. */
  | { state: 'pending'; runAt: Date; failures: 0 | 1; holdUntil: Date | null; isParked: false }
  /** Meta wants a template, and there is one: it takes the message's place. */
  | { state: 'fallback'; runAt: Date }
  /** The account is of no use until it is reconnected; what waits for it stays in its order. */
  | { state: 'pending'; runAt: null; failures: 0; holdUntil: null; isParked: true }
  | { state: 'failed'; letter: 'outbound' | 'unknown'; holdUntil: Date | null }

/** An account in trouble is tried again now and then: each try costs one message, so not often. */
export const accountHoldMs = 60 * 60 * 1000

export function decide(send: ClaimedSend, outcome: Outcome, terms: Terms): Decision {
  const later = (ms: number) => new Date(terms.now.getTime() + ms)
  if (outcome.class === 'accepted') return { state: 'done' }
  if (outcome.errorCode === numberHeld) {
    return { state: 'pending', runAt: terms.now, failures: 0, holdUntil: null, isParked: false }
  }
  if (outcome.class === 'auth') {
    return { state: 'pending', runAt: null, failures: 0, holdUntil: null, isParked: true }
  }
  if (outcome.class === 'account') {
    return { state: 'failed', letter: 'outbound', holdUntil: later(accountHoldMs) }
  }
  if (outcome.errorCode === 'WINDOW_CLOSED' && send.fallbackTemplate !== null) {
    return { state: 'fallback', runAt: terms.now }
  }
  // Not again, whether Meta has it or not.
  if (outcome.errorCode === 'RECIPIENT_SUPPRESSED') {
    const letter = outcome.class === 'unknown' ? 'unknown' : 'outbound'
    return { state: 'failed', letter, holdUntil: null }
  }
  if (!isRetried(outcome)) return { state: 'failed', letter: 'outbound', holdUntil: null }
  const policy = send.retryPolicy ?? terms.defaultPolicy
  const delayMs = nextDelay(policy, send.attempts + 1, outcome, outcome.retryAfterSeconds, {
    ...terms,
    delivery: send.delivery,
  })
  const isLast = delayMs === null || send.delivery === 'at_most_once'
  if (outcome.class === 'unknown' && isLast) {
    if (terms.hasWaited) return { state: 'failed', letter: 'unknown', holdUntil: null }
    // Not sent again, but not given up either before a status had the time to tell.
    const wait = evidenceWaitSeconds(policy, send.attempts + 1, terms.reconcileSeconds)
    return waiting(later(wait * 1000), 1)
  }
  // A limit on this one message holds nobody else.
  const isHeld =
    outcome.scope !== 'message' && ['rate_limited', 'spam_limited'].includes(outcome.class)
  if (delayMs === null) {
    const holdMs = boundedRetryAfter(outcome.retryAfterSeconds) * 1000
    return {
      state: 'failed',
      letter: 'outbound',
      holdUntil: isHeld && holdMs > 0 ? later(holdMs) : null,
    }
  }
  const isSpam = outcome.class === 'spam_limited'
  return {
    state: 'pending',
    runAt: later(delayMs),
    // A spam limit says nothing about this message.
    failures: isSpam ? 0 : 1,
    holdUntil: isHeld ? later(isSpam ? spamHoldSeconds * 1000 : delayMs) : null,
    isParked: false,
  }
}

/** It waits for a time and nothing else. */
export function waiting(runAt: Date, failures: 0 | 1): Decision {
  return { state: 'pending', runAt, failures, holdUntil: null, isParked: false }
}

/** As `error` of a message shows it. */
export function errorOf(outcome: Outcome): Record<string, unknown> {
  return {
    code: outcome.errorCode,
    message: outcome.advice,
    provider: outcome.provider,
  }
}
