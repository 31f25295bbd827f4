import { describe, expect, test } from 'vitest'
import { decideFetch, type FetchOutcome } from './decide-fetch.ts'

const pending = (failures = 0) => ({ state: 'pending' as const, failures })
const trouble = (more = {}): FetchOutcome => ({ kind: 'trouble', error: 'NOT_REACHED', ...more })

describe('an attempt that', () => {
  test('stored the file ends it', () => {
    const stored = { bytes: 3, sha256: Buffer.alloc(32), mimeType: 'image/png' }
    expect(decideFetch(pending(), { kind: 'stored', ...stored }, 0.5)).toEqual({
      state: 'stored',
      delaySeconds: null,
      failures: 0,
      error: null,
      stored,
    })
  })

  test('failed is repeated, each time later, at last every hour', () => {
    const waits = [0, 1, 2, 3, 9, 10, 500].map(
      (failures) => decideFetch(pending(failures), trouble(), 0).delaySeconds,
    )
    expect(waits).toEqual([10, 20, 40, 80, 3600, 3600, 3600])
    expect(decideFetch(pending(), trouble(), 0.75).delaySeconds).toBe(10.75)
  })

  test('was told to wait does so, within reason', () => {
    const told = (retryAfterSeconds: number) =>
      decideFetch(pending(), trouble({ retryAfterSeconds }), 0).delaySeconds
    expect([told(1), told(90), told(1_000_000)]).toEqual([10, 90, 3600])
  })

  test('found no account to ask with counts for nothing', () => {
    const end = decideFetch(pending(4), { kind: 'waiting', error: 'ACCOUNT_NEEDS_REAUTH' }, 0)
    expect(end).toMatchObject({ state: 'pending', failures: 0, delaySeconds: 300 })
  })

  test('heard three times that it is gone shows it, and still looks now and then', () => {
    const gone: FetchOutcome = { kind: 'gone' }
    expect(decideFetch(pending(0), gone, 0)).toMatchObject({ state: 'pending', delaySeconds: 10 })
    expect(decideFetch(pending(1), gone, 0)).toMatchObject({ state: 'pending', delaySeconds: 20 })
    expect(decideFetch(pending(2), gone, 0)).toMatchObject({
      state: 'expired',
      delaySeconds: 6 * 3600,
      error: 'GONE_AT_META',
    })
    const expired = { state: 'expired' as const, failures: 3 }
    expect(decideFetch(expired, trouble(), 0)).toMatchObject({ state: 'expired' })
  })

  test('came too late, or can never succeed, is the last', () => {
    expect(decideFetch(pending(), { kind: 'over' }, 0)).toMatchObject({
      state: 'deleting',
      delaySeconds: null,
    })
    expect(decideFetch(pending(), { kind: 'impossible', error: 'TOO_LARGE' }, 0)).toMatchObject({
      state: 'failed',
      delaySeconds: null,
      error: 'TOO_LARGE',
    })
  })

  test('was broken off by a stop is due at once', () => {
    expect(decideFetch(pending(2), { kind: 'released' }, 0.9)).toMatchObject({
      state: 'pending',
      failures: 0,
      delaySeconds: 0,
    })
  })
})
