// When a send that failed is tried again, and when it no longer is. Both policies of the contract; pure.
import type { OutcomeClass } from '../meta/outcome-row.ts'
import type { Random } from '../time-and-chance.ts'

export type RetryPolicyName = 'standard' | 'patient'

export interface RetryPolicy {
  /** Attempts in all, the first one included. */
  maxAttempts: number
  /** After this many failed attempts, at least one. */
  delaySeconds(endedAttempts: number): number
}

const patientSeconds = [60, 300, 900, 3600, 3600]

export const retryPolicies: Record<RetryPolicyName, RetryPolicy> = {
  standard: {
    maxAttempts: 8,
    delaySeconds: (endedAttempts) => Math.min(300, 5 * 2 ** endedAttempts),
  },
  patient: {
    // Five retries after the first attempt.
    maxAttempts: patientSeconds.length + 1,
    delaySeconds: (endedAttempts) =>
      patientSeconds[Math.min(endedAttempts, patientSeconds.length) - 1] ?? 60,
  },
}

/** The classes after which the same message is tried again; the others end it or park it. */
const retriedClasses = [
  'not_sent',
  'rate_limited',
  'spam_limited',
  'pair_limited',
  'transient',
  'unknown',
] as const satisfies OutcomeClass[]

export type RetriedClass = (typeof retriedClasses)[number]

export function isRetried<O extends { class: OutcomeClass }>(
  outcome: O,
): outcome is O & { class: RetriedClass } {
  return (retriedClasses as readonly OutcomeClass[]).includes(outcome.class)
}

/** Meta's limits are per rolling hour at most, so a longer Retry-After is somebody's mistake. */
export const maxRetryAfterSeconds = 3600

/** Meta lifts a spam limit after hours to days; asking six times a day tells soon enough and provokes nobody. */
export const spamHoldSeconds = 4 * 3600

/** Spreads what failed together. */
export const maxJitterMs = 1000

export interface RetryTerms {
  /** RECONCILE_SECONDS: least wait before an ambiguous send is tried again. */
  reconcileSeconds: number
  /** Of what must not be doubled, a denial of Meta's is doubted as long. */
  delivery?: 'at_least_once' | 'at_most_once'
  random: Pick<Random, 'fraction'>
}

/** How long evidence is waited for after an ambiguous attempt, the `attemptsMade`-th. */
export function evidenceWaitSeconds(
  policyName: RetryPolicyName,
  attemptsMade: number,
  reconcileSeconds: number,
): number {
  const policySeconds = retryPolicies[policyName].delaySeconds(Math.max(1, attemptsMade))
  return Math.max(policySeconds, reconcileSeconds)
}

/** The policy's delays after the first failed attempt, the second, and so on. */
export function delaysOf(policyName: RetryPolicyName): number[] {
  const { maxAttempts, delaySeconds } = retryPolicies[policyName]
  return Array.from({ length: maxAttempts }, (_, index) => delaySeconds(index + 1))
}

/** Milliseconds until the next attempt, or null when `attemptsMade` (this failed one included) were the last. */
export function nextDelay(
  policyName: RetryPolicyName,
  attemptsMade: number,
  outcome: { class: RetriedClass },
  retryAfterSeconds: number | null,
  { reconcileSeconds, delivery, random }: RetryTerms,
): number | null {
  const policy = retryPolicies[policyName]
  const isSpam = outcome.class === 'spam_limited'
  // A spam limit uses up no attempts: it says nothing about this message.
  if (!isSpam && attemptsMade >= policy.maxAttempts) return null
  const isDoubted =
    outcome.class === 'unknown' || (outcome.class === 'transient' && delivery === 'at_most_once')
  const waits = [
    isSpam ? spamHoldSeconds : policy.delaySeconds(Math.max(1, attemptsMade)),
    isDoubted ? reconcileSeconds : 0,
    boundedRetryAfter(retryAfterSeconds),
  ]
  return Math.max(...waits) * 1000 + Math.floor(random.fraction() * (maxJitterMs + 1))
}

/** What Meta asked for, as far as it is believed. */
export function boundedRetryAfter(seconds: number | null): number {
  if (seconds === null || !Number.isFinite(seconds)) return 0
  return Math.min(Math.max(0, seconds), maxRetryAfterSeconds)
}
