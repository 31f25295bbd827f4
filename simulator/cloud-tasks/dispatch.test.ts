import { describe, expect, test } from 'vitest'
import { advance, eventually, manualClock } from '../test-clock.ts'
import { createPace } from './pace.ts'
import { backoffMs, defaultSettings, isExhausted } from './settings.ts'
import { nameOf, queueName, type Stage, stage } from './test-support.ts'

const many = (count: number) => Array.from({ length: count }, (_none, index) => `t${index}`)
const createAll = async ({ create }: Stage, names: string[]) => {
  for (const name of names) await create(name)
}

/** Time passes timer by timer; what each timer sent has been answered before the next rings. */
async function pass({ clock, cloudTasks }: Stage, ms: number) {
  const until = clock.now().getTime() + ms
  const answered = () =>
    eventually(() => cloudTasks.dispatches().every(({ ended_at }) => ended_at !== null))
  do await answered()
  while (clock.step(until))
}

test('a task waits for its time', async () => {
  const scene = await stage()
  await scene.create('later', { scheduleTime: scene.secondsFromNow(90) })
  await scene.cloudTasks.idle()
  advance(scene.clock, 89_999)
  await scene.cloudTasks.idle()
  expect(scene.arrived()).toEqual([])
  advance(scene.clock, 1)
  await scene.cloudTasks.idle()
  expect(scene.arrived()).toEqual(['later'])
})

test('a failed task is tried again as the retry policy says, then given up', async () => {
  const scene = await stage({ answer: () => ({ status: 500 }) })
  const { cloudTasks, target } = scene
  cloudTasks.setQueue(queueName, {
    maxAttempts: 4,
    minBackoffMs: 5000,
    maxBackoffMs: 12_000,
    maxDoublings: 1,
  })
  await scene.create('unlucky')
  await pass(scene, 60_000)

  const start = scene.clock.now().getTime() - 60_000
  expect(cloudTasks.dispatches().map(({ at }) => Date.parse(at) - start)).toEqual([
    0, 5000, 15_000, 27_000,
  ])
  expect(target.received.map(({ headers }) => headers['x-cloudtasks-taskretrycount'])).toEqual([
    '0',
    '1',
    '2',
    '3',
  ])
  expect(target.received[1]?.headers).toMatchObject({
    'x-cloudtasks-taskexecutioncount': '1',
    'x-cloudtasks-taskpreviousresponse': '500',
  })
  expect([cloudTasks.tasks(), cloudTasks.abandoned()]).toEqual([[], [nameOf('unlucky')]])
})

test('nobody at home counts as an attempt, not as an execution', async () => {
  const scene = await stage()
  await scene.create('absent', { httpRequest: { url: 'http://127.0.0.1:1/' } })
  await scene.cloudTasks.idle()
  const [task] = await scene.client.getTask({ name: nameOf('absent') })
  expect(task).toMatchObject({ dispatchCount: 1, responseCount: 0 })
  expect(task.lastAttempt?.responseStatus).toMatchObject({ code: 14, message: 'ECONNREFUSED' })
})

test('an answer after the deadline is no answer', async () => {
  const scene = await stage()
  scene.target.hold()
  await scene.create('slow', { dispatchDeadline: { seconds: 15 } })
  await eventually(() => scene.target.received.length === 1)
  advance(scene.clock, 15_000)
  await scene.cloudTasks.idle()
  expect(scene.cloudTasks.dispatches()).toMatchObject([
    { status: null, error: 'DEADLINE_EXCEEDED' },
  ])
  expect(scene.cloudTasks.tasks()).toMatchObject([{ attempts: 1 }])
})

test('no more tasks are under way than the queue allows', async () => {
  const scene = await stage()
  scene.cloudTasks.setQueue(queueName, { maxConcurrentDispatches: 3 })
  scene.target.hold()
  await createAll(scene, many(8))
  await eventually(() => scene.target.received.length === 3)
  expect(scene.cloudTasks.queues()).toMatchObject([{ in_flight: 3, due: 5, waiting: 8 }])
  scene.target.release()
  await scene.cloudTasks.idle()
  expect(scene.arrived().sort()).toEqual(many(8))
})

test('no more tasks leave in a second than the queue allows', async () => {
  const scene = await stage()
  scene.cloudTasks.setQueue(queueName, { maxDispatchesPerSecond: 5 })
  await scene.cloudTasks.idle()
  await createAll(scene, many(12))
  const seen = []
  for (let second = 0; second < 3; second++) {
    await pass(scene, 999)
    seen.push(scene.arrived().length)
    advance(scene.clock, 1)
  }
  // The first may leave at once; the bucket holds one token at this rate.
  expect(seen).toEqual([5, 10, 12])
})

describe('429 and 503 slow the whole queue down', () => {
  test('each halves its rate, successes bring it back', async () => {
    let status = 503
    const scene = await stage({ answer: () => ({ status }) })
    const factor = () => scene.cloudTasks.queues()[0]?.rate_factor
    await scene.create('a')
    await scene.cloudTasks.idle()
    expect(factor()).toBe(1 / 2)
    status = 429
    await scene.create('b')
    await scene.cloudTasks.idle()
    expect(factor()).toBe(1 / 4)
    status = 500
    await scene.create('c')
    await scene.cloudTasks.idle()
    expect(factor()).toBe(1 / 4)
    status = 200
    await createAll(scene, ['d', 'e', 'f'])
    await scene.cloudTasks.idle()
    expect(factor()).toBeCloseTo(1 / 4 + 3 / 20)
    status = 503
    for (const name of many(10)) {
      await scene.create(name)
      await pass(scene, 1000)
    }
    expect(factor()).toBe(1 / 64)
  })

  test('a queue that was slowed down dispatches fewer in the same time', async () => {
    const scene = await stage({
      answer: ({ headers }) => ({
        status: headers['x-cloudtasks-taskname'] === 'sick' ? 503 : 500,
      }),
    })
    scene.cloudTasks.setQueue(queueName, {
      maxDispatchesPerSecond: 8,
      maxAttempts: 1,
    })
    await scene.create('sick')
    await pass(scene, 10_000)
    await createAll(scene, many(40))
    await pass(scene, 4000)
    // Half of 8 a second for four seconds, and the one the bucket had.
    expect(scene.arrived().length - 1).toBe(17)
  })
})

test('a Retry-After stops the whole queue for that long', () => {
  const clock = manualClock()
  const pace = createPace(clock, () => 10)
  expect(pace.take()).toBe(true)
  pace.refused(30_000)
  advance(clock, 29_999)
  expect([pace.take(), pace.waitMs()]).toEqual([false, 1])
  advance(clock, 1)
  expect(pace.take()).toBe(true)
})

test('the wait between attempts doubles, then grows evenly, then stays', () => {
  const settings = { ...defaultSettings, minBackoffMs: 10, maxBackoffMs: 300, maxDoublings: 3 }
  expect([1, 2, 3, 4, 5, 6, 7, 8].map((failures) => backoffMs(settings, failures))).toEqual([
    10, 20, 40, 80, 160, 240, 300, 300,
  ])
})

test.each([
  [-1, 0, 1000, 1e9, false],
  [3, 0, 2, 1e9, false],
  [3, 0, 3, 0, true],
  [-1, 60, 1000, 59, false],
  [-1, 60, 1, 60, true],
  [3, 60, 3, 59, false],
  [3, 60, 3, 60, true],
])(
  'limits %i and %i ms after %i failures in %i ms: ended %s',
  (maxAttempts, maxRetryDurationMs, failures, ageMs, ended) => {
    expect(
      isExhausted({ ...defaultSettings, maxAttempts, maxRetryDurationMs }, failures, ageMs),
    ).toBe(ended)
  },
)
