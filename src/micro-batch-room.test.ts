import { describe, expect, test } from 'vitest'
import { createMicroBatch } from './micro-batch.ts'
import type { Clock } from './time-and-chance.ts'

/** Batches end when the test says so, and so do turns and timers. */
function startBatching(options: { fewItems?: number; maxInFlight?: number } = {}) {
  const turn: (() => void)[] = []
  let timers: { ms: number; task: () => void }[] = []
  const clock: Clock = {
    now: () => new Date(0),
    monotonicMs: () => 0,
    after: (ms, task) => {
      const timer = { ms, task }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    afterThisTurn: (task) => void turn.push(task),
  }
  const left: { size: number; end: () => void }[] = []
  const batch = createMicroBatch<number, number>({
    clock,
    maxInFlight: options.maxInFlight ?? 4,
    fewItems: options.fewItems ?? 16,
    patienceMs: 25,
    maxItems: 256,
    weigh: () => 1,
    maxWeight: 1000,
    maxWaitingItems: 1000,
    maxWaitingWeight: 1000,
    deadlineMs: 4000,
    run: (items) =>
      new Promise((resolve) =>
        left.push({
          size: items.length,
          end: () => resolve(items.map((value) => ({ value }))),
        }),
      ),
  })
  const endTurn = async () => {
    for (const task of turn.splice(0)) task()
    await new Promise((resolve) => setImmediate(resolve))
    for (const task of turn.splice(0)) task()
  }
  return {
    sizes: () => left.map((one) => one.size),
    async arrive(count: number) {
      for (let index = 0; index < count; index++) void batch.submit(index)
      await endTurn()
    },
    async end(index: number) {
      left[index]?.end()
      await endTurn()
    },
    async patienceEnds() {
      const due = timers.filter((timer) => timer.ms === 25)
      timers = timers.filter((timer) => timer.ms !== 25)
      for (const { task } of due) task()
      await endTurn()
    },
    idle: batch.idle,
  }
}

describe('a micro-batch', () => {
  test('while little is under way, what arrives leaves at once, a few batches at a time', async () => {
    const batching = startBatching()

    for (let index = 0; index < 5; index++) await batching.arrive(2)

    expect(batching.sizes()).toEqual([2, 2, 2, 2])
  })

  test('with much under way, what arrives becomes one larger batch', async () => {
    const batching = startBatching()

    await batching.arrive(20)
    for (let index = 0; index < 5; index++) await batching.arrive(10)
    expect(batching.sizes()).toEqual([20])
    await batching.end(0)

    expect(batching.sizes()).toEqual([20, 50])
  })

  test('a batch that is stuck holds up the others only for a moment', async () => {
    const batching = startBatching()

    await batching.arrive(20)
    await batching.arrive(10)
    await batching.patienceEnds()
    await batching.arrive(3)
    expect(batching.sizes()).toEqual([20, 10, 3])
    for (const index of [0, 1, 2]) await batching.end(index)

    await batching.idle()
    await batching.arrive(7)
    expect(batching.sizes()).toEqual([20, 10, 3, 7])
  })
})
