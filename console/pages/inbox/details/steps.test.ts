import { expect, test } from 'vitest'
import { outcomeName, stepsOf } from './steps.ts'

const at = (second: number) => `2026-11-16T10:00:${String(second).padStart(2, '0')}.000Z`
const send = (from: number, to: number | null, outcome: string | null) => ({
  started_at: at(from),
  finished_at: to === null ? null : at(to),
  outcome,
  status_code: 200,
  provider_code: null,
  error_message: null,
})

test('attempts stand between what we accepted and what became of it', () => {
  const steps = stepsOf({
    timeline: [
      { status: 'queued', at: at(7) },
      { status: 'sent', at: at(9) },
      // By Meta's clock, which is a little behind.
      { status: 'delivered', at: at(8) },
      { status: 'read', at: at(40) },
    ],
    sends: [send(8, 9, 'transient'), send(11, 12, 'accepted')],
  })
  expect(
    steps.map((step) => [step.kind === 'attempt' ? step.count : step.status, step.tone]),
  ).toEqual([
    ['queued', 'done'],
    [1, 'warn'],
    [2, 'done'],
    ['delivered', 'done'],
    ['read', 'ok'],
  ])
  expect(steps[1]).toMatchObject({ waitMs: 2_000 })
  expect(steps[2]).toMatchObject({ waitMs: undefined })
})

test('what Meta accepted without an attempt of ours is told, and a refusal is bad', () => {
  const queued = { status: 'queued', at: at(1) }
  const echoed = stepsOf({ timeline: [queued, { status: 'sent', at: at(2) }], sends: [] })
  expect(echoed).toMatchObject([{ status: 'queued' }, { status: 'sent' }])
  const failed = { status: 'failed', at: at(3) }
  const refused = stepsOf({ timeline: [queued, failed], sends: [send(2, 3, 'permanent')] })
  expect(refused.map(({ tone }) => tone)).toEqual(['done', 'bad', 'bad'])
})

test('every outcome has its words', () => {
  expect(outcomeName(send(1, 2, 'pair_limited'))).toBe('throttled')
  expect(outcomeName(send(1, 2, 'recipient'))).toBe('permanent')
  expect(outcomeName(send(1, null, null))).toBe('underWay')
  expect(outcomeName(send(1, 2, 'something new'))).toBe('other')
})
