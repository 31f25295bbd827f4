import { describe, expect, test } from 'vitest'
import type { Ring } from './queue.ts'
import { queueFor, taskNameOf } from './task-names.ts'

const ring: Ring = {
  queue: 'outbox',
  id: '4711',
  number: 3,
  owner: 'a tenant',
  at: new Date(0),
  correlationId: '0190b0a0-0000-7000-8000-000000000001',
  body: {},
}

describe('the name of a task', () => {
  test('is that of the row and the ring, in letters that Cloud Tasks takes', () => {
    expect(taskNameOf(ring)).toMatch(/^[0-9a-f]{8}-outbox-4711-3$/)
    expect(taskNameOf(ring)).toBe(taskNameOf({ ...ring, owner: 'another', at: new Date(1) }))
  })

  test('is another for every ring, row and queue, and does not begin like its neighbour’s', () => {
    const others = [
      { ...ring, number: 4 },
      { ...ring, id: '4712' },
      { ...ring, queue: 'inbox' as const },
    ]
    expect(new Set([ring, ...others].map(taskNameOf)).size).toBe(4)
    expect(taskNameOf({ ...ring, id: '4712' }).slice(0, 8)).not.toBe(taskNameOf(ring).slice(0, 8))
  })
})

describe('the queue of an owner', () => {
  const owners = Array.from({ length: 1_000 }, (_, index) => `tenant ${index}`)

  test('is the same every time, whatever the order in which the queues are named', () => {
    for (const owner of owners.slice(0, 50)) {
      expect(queueFor(['a', 'b', 'c'], owner)).toBe(queueFor(['c', 'a', 'b'], owner))
    }
  })

  test('is one of all of them', () => {
    expect(new Set(owners.map((owner) => queueFor(['a', 'b', 'c'], owner))).size).toBe(3)
    expect(queueFor(['only'], 'anybody')).toBe('only')
  })

  test('stays the same for those who are not moved to a new one', () => {
    for (const owner of owners) {
      const now = queueFor(['a', 'b', 'c'], owner)
      if (now !== 'c') expect(queueFor(['a', 'b'], owner)).toBe(now)
    }
  })
})
