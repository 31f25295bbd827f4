import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Random } from '../time-and-chance.ts'
import { decideDelivery, retryDelaysSeconds } from './decide.ts'
import type { PostOutcome } from './model.ts'

const now = new Date('2026-11-16T12:00:00Z')
const dice = (fraction: number) => ({ fraction: () => fraction }) as Random
const said = (statusCode: number | null, more: Partial<PostOutcome> = {}): PostOutcome => ({
  statusCode,
  errorCode: statusCode === 200 ? null : `HTTP_${statusCode}`,
  retryAfterSeconds: null,
  body: null,
  ...more,
})
const decide = (outcome: PostOutcome, attempts = 0, fraction = 0) =>
  decideDelivery(outcome, attempts, { random: dice(fraction), now })
const secondsUntil = (at: Date | null) => ((at?.getTime() ?? Number.NaN) - now.getTime()) / 1000

describe('what comes of an attempt', () => {
  test('any 2xx is taken', () => {
    for (const status of [200, 201, 202, 204, 299]) {
      expect(decide(said(status))).toMatchObject({ state: 'done', endpoint: { isTaken: true } })
    }
  })

  test('anything else is tried again: a redirect, a mistake of theirs or of ours, silence', () => {
    for (const status of [300, 301, 302, 307, 308, 400, 401, 403, 404, 422, 429, 500, 503, null]) {
      expect(decide(said(status))).toMatchObject({ state: 'pending', failures: 1 })
    }
  })

  test('retries span more than a day, whatever the dice say, and then it is given up', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (fraction) => {
        let total = 0
        for (const [attempts, delay] of retryDelaysSeconds.entries()) {
          const { runAt } = decide(said(500), attempts, fraction)
          const seconds = secondsUntil(runAt)
          expect(seconds).toBeGreaterThanOrEqual(delay)
          expect(seconds).toBeLessThanOrEqual(delay * 1.2)
          total += seconds
        }
        expect(total).toBeGreaterThan(24 * 3600)
        expect(decide(said(500), retryDelaysSeconds.length, fraction).state).toBe('failed')
      }),
    )
    expect(secondsUntil(decide(said(500), 4, 0).runAt)).not.toBe(
      secondsUntil(decide(said(500), 4, 0.5).runAt),
    )
  })

  test('a Retry-After that is longer is kept to, up to a day; a shorter one does not hurry us', () => {
    expect(secondsUntil(decide(said(429, { retryAfterSeconds: 600 })).runAt)).toBe(600)
    expect(secondsUntil(decide(said(503, { retryAfterSeconds: 1e9 })).runAt)).toBe(86_400)
    expect(secondsUntil(decide(said(429, { retryAfterSeconds: 0 })).runAt)).toBe(5)
  })

  test('only who says when to come back holds back the whole endpoint', () => {
    expect(decide(said(429, { retryAfterSeconds: 60 })).endpoint?.holdUntil).toEqual(
      new Date('2026-11-16T12:01:00Z'),
    )
    for (const outcome of [said(429), said(500, { retryAfterSeconds: 60 }), said(null)]) {
      expect(decide(outcome).endpoint?.holdUntil).toBeNull()
    }
  })

  test('a poisoned event is not taken for an endpoint that is down', () => {
    for (const status of [400, 404, 422, 500]) {
      expect(decide(said(status)).endpoint?.isDown).toBe(false)
    }
    for (const status of [null, 429, 502, 503, 504]) {
      expect(decide(said(status)).endpoint?.isDown).toBe(true)
    }
  })

  test('410 says that the endpoint is no more', () => {
    expect(decide(said(410)).endpoint?.isGone).toBe(true)
    expect(decide(said(404)).endpoint?.isGone).toBe(false)
  })

  test('trouble of our own uses up no attempt and says nothing about the endpoint', () => {
    for (const errorCode of ['SECRET_UNREADABLE', 'UNAVAILABLE', 'STOPPED']) {
      const decision = decide(said(null, { errorCode }), 8)
      expect(decision).toMatchObject({ state: 'pending', failures: 0, endpoint: null })
    }
  })
})
