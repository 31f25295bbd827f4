import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bucketMs, bucketOf, createRecent, percentileMs } from './recent.ts'

describe('a bucket', () => {
  test('holds what is at most 8 % below its end', async () => {
    await fc.assert(
      fc.property(fc.double({ min: 0.11, max: 3_000_000, noNaN: true }), (ms) => {
        const end = bucketMs(bucketOf(ms))
        expect(end).toBeGreaterThanOrEqual(ms * 0.999_999)
        expect(end / ms).toBeLessThan(1.081)
      }),
    )
  })

  test.each([[0], [-1], [0.05], [Number.NaN]])('of %s is the first', (ms) => {
    expect(bucketOf(ms)).toBe(0)
  })

  test('of something endless is the last', () => {
    expect(bucketOf(Number.POSITIVE_INFINITY)).toBe(bucketOf(1e12))
  })
})

describe('a percentile', () => {
  test('of nothing is none', () => {
    expect(percentileMs([], 0.95)).toBeNull()
  })

  test('is what that share does not exceed', () => {
    const counts = [
      { bucket: bucketOf(500), count: 5 },
      { bucket: bucketOf(10), count: 95 },
    ]
    expect(percentileMs(counts, 0.95)).toBeCloseTo(10, -1)
    expect(percentileMs(counts, 0.96)).toBeGreaterThanOrEqual(500)
  })
})

describe('what happened lately', () => {
  test('is taken once, and can be put back', () => {
    const recent = createRecent()
    recent.observe('send', 10)
    recent.observe('send', 10)
    const taken = recent.take()
    expect(taken).toEqual([{ kind: 'send', bucket: bucketOf(10), count: 2 }])
    expect(recent.take()).toEqual([])
    recent.putBack(taken)
    recent.observe('send', 10)
    expect(recent.take()).toEqual([{ kind: 'send', bucket: bucketOf(10), count: 3 }])
  })
})
