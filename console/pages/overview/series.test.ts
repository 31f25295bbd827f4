import { describe, expect, test } from 'vitest'
import { createFormat } from '../../words/format.ts'
import { boundsOf, roundUp, roundUpTime, series } from './series.ts'
import type { Point } from './types.ts'

const point: Point = {
  at: '2026-11-16T10:00:00Z',
  minutes: 5,
  webhook_ack_p95_ms: 44,
  inbound_processing_p95_ms: 234,
  send_p95_ms: null,
  outbox_pending_count: 139,
  webhook_events_pending_count: 0,
  oldest_pending_seconds: 90,
  dlq_count: 3,
  sends_accepted: 90,
  sends_decided: 100,
}
const format = createFormat('en')
const said = (of: Point) =>
  Object.fromEntries(
    series.map(({ name, read, say }) => {
      const value = read(of)
      return [name, value === null ? null : say(value, format)]
    }),
  )

describe('what is shown of a point', () => {
  test('has its units; rates are by the minutes that are known', () => {
    expect(said(point)).toEqual({
      ack: '44 ms',
      processing: '234 ms',
      send: null,
      waitingSends: '139',
      waitingEvents: '0',
      oldest: '1 min',
      success: '90 %',
      sends: '18',
      deadLetters: '3',
    })
  })

  test('is no success and no failure where nothing was decided', () => {
    expect(said({ ...point, sends_accepted: 0, sends_decided: 0 })).toMatchObject({
      success: null,
      sends: '0',
    })
  })

  test('has the limits that alerts have: dead letters are each tenant’s own', () => {
    const limits = { oldest_pending_seconds: 300, dlq_count: 10 }
    const limitsOf = (isWhole: boolean) =>
      series.flatMap(({ name, limitOf }) => {
        const limit = limitOf?.(limits, isWhole) ?? null
        return limit === null ? [] : [[name, limit]]
      })
    expect(limitsOf(true)).toEqual([['oldest', 300]])
    expect(limitsOf(false)).toEqual([
      ['oldest', 300],
      ['deadLetters', 10],
    ])
  })
})

describe('the side of a chart', () => {
  test('leaves room for the limit, and ends at a round figure', () => {
    expect(boundsOf([1, null, 3], null, undefined)).toEqual([0, 3])
    expect(boundsOf([1], 10, undefined)).toEqual([0, 15])
    expect(boundsOf([], null, undefined)).toEqual([0, 1])
    expect(boundsOf([2], 300, 'seconds')).toEqual([0, 600])
    expect([roundUp(101), roundUp(0.04), roundUpTime(61)]).toEqual([150, 0.05, 120])
  })

  test('of a share ends at all, and begins where it is worth looking', () => {
    expect(boundsOf([0.995, 1], null, 'share')).toEqual([0.9, 1])
    expect(boundsOf([0.42], null, 'share')).toEqual([0.4, 1])
  })
})
