// Both ladders step by step, their ends, and what may only lengthen a wait.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OutcomeClass } from '../meta/outcome-row.ts'
import {
  isRetried,
  maxJitterMs,
  maxRetryAfterSeconds,
  nextDelay,
  type RetriedClass,
  type RetryPolicyName,
  retryPolicies,
  spamHoldSeconds,
} from './retry-policy.ts'

const chance = (fraction: number) => ({ fraction: () => fraction })
const terms = { reconcileSeconds: 30, random: chance(0) }

const seconds = (
  policy: RetryPolicyName,
  attemptsMade: number,
  kind: RetriedClass = 'transient',
  retryAfter: number | null = null,
) => {
  const delay = nextDelay(policy, attemptsMade, { class: kind }, retryAfter, terms)
  return delay === null ? null : delay / 1000
}

describe('the ladder', () => {
  test('standard: doubles from 10 s to 300 s, dead after 8 attempts', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((made) => seconds('standard', made))
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, null, null])
  })

  test('patient: 1 m, 5 m, 15 m, 1 h, 1 h, dead after 5 retries', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((made) => seconds('patient', made))
    expect(delays).toEqual([60, 300, 900, 3600, 3600, null, null])
  })

  test.each(['not_sent', 'transient', 'rate_limited', 'pair_limited'] as const)(
    'is the same for %s',
    (kind) => {
      expect(seconds('standard', 3, kind)).toBe(40)
      expect(seconds('standard', 8, kind)).toBeNull()
    },
  )

  test('of what must not be doubled waits for evidence after trouble of Meta’s, and after nothing else', () => {
    const once = (made: number, kind: RetriedClass) =>
      nextDelay('standard', made, { class: kind }, null, { ...terms, delivery: 'at_most_once' })
    expect([1, 2, 3].map((made) => once(made, 'transient'))).toEqual([30_000, 30_000, 40_000])
    expect(once(1, 'not_sent')).toBe(10_000)
  })

  test('that has not been climbed yet begins at its first step', () => {
    expect(seconds('standard', 0)).toBe(10)
    expect(seconds('patient', 0)).toBe(60)
  })
})

describe('jitter', () => {
  test.each([
    [0, 10_000],
    [0.5, 10_500],
    [0.999_999, 11_000],
  ])('of %d', (fraction, expected) => {
    const withChance = { reconcileSeconds: 30, random: chance(fraction) }
    expect(nextDelay('standard', 1, { class: 'transient' }, null, withChance)).toBe(expected)
  })
})

describe('an unknown outcome', () => {
  test('waits for evidence at least as long as told', () => {
    expect([1, 2, 3].map((made) => seconds('standard', made, 'unknown'))).toEqual([30, 30, 40])
    expect(seconds('patient', 1, 'unknown')).toBe(60)
  })

  test('uses up attempts like any other', () => {
    expect(seconds('standard', 8, 'unknown')).toBeNull()
  })
})

describe('Retry-After', () => {
  test.each([
    [null, 10],
    [3, 10],
    [11, 11],
    [maxRetryAfterSeconds, maxRetryAfterSeconds],
    [maxRetryAfterSeconds + 1, maxRetryAfterSeconds],
    [86_400 * 365, maxRetryAfterSeconds],
    [-5, 10],
    [Number.NaN, 10],
    [Number.POSITIVE_INFINITY, 10],
  ])('of %d seconds: %d', (retryAfter, expected) => {
    expect(seconds('standard', 1, 'rate_limited', retryAfter)).toBe(expected)
  })

  test('gives no attempt beyond the last', () => {
    expect(seconds('standard', 8, 'rate_limited', 60)).toBeNull()
  })
})

test('a spam limit waits for hours and uses up no attempts', () => {
  expect(seconds('standard', 1, 'spam_limited')).toBe(spamHoldSeconds)
  expect(seconds('standard', 100, 'spam_limited', 7)).toBe(spamHoldSeconds)
})

test('which classes are retried at all', () => {
  const all: OutcomeClass[] = [
    'accepted',
    'not_sent',
    'rate_limited',
    'spam_limited',
    'pair_limited',
    'account',
    'auth',
    'permanent',
    'recipient',
    'transient',
    'unknown',
  ]
  expect(all.filter((kind) => isRetried({ class: kind }))).toEqual([
    'not_sent',
    'rate_limited',
    'spam_limited',
    'pair_limited',
    'transient',
    'unknown',
  ])
})

test('any wait is a whole number of milliseconds between its bounds', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<RetryPolicyName>('standard', 'patient'),
      fc.nat(20),
      fc.constantFrom<RetriedClass>('not_sent', 'rate_limited', 'transient', 'unknown'),
      fc.option(fc.nat(1_000_000)),
      fc.nat(3600),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (policy, made, kind, retryAfter, reconcileSeconds, fraction) => {
        const random = chance(fraction)
        const delay = nextDelay(policy, made, { class: kind }, retryAfter, {
          reconcileSeconds,
          random,
        })
        expect(delay === null).toBe(made >= retryPolicies[policy].maxAttempts)
        if (delay === null) return
        expect(Number.isInteger(delay)).toBe(true)
        expect(delay).toBeGreaterThanOrEqual(10_000)
        expect(delay).toBeLessThanOrEqual(3600 * 1000 + maxJitterMs)
      },
    ),
  )
})
