import { expect, test } from 'vitest'
import { advance } from '../test-clock.ts'
import { nameOf, queueName, stage } from './test-support.ts'

const unavailable = 14
const many = (count: number) => Array.from({ length: count }, (_none, index) => `t${index}`)

test('dropped tasks are accepted, never come, and keep their name', async () => {
  const { cloudTasks, create, arrived } = await stage()
  cloudTasks.fault({ fault: 'drop', count: 1 })
  await create('lost')
  await create('kept')
  await cloudTasks.idle()
  expect(arrived()).toEqual(['kept'])
  expect(cloudTasks.creations().map(({ outcome }) => outcome)).toEqual(['dropped', 'created'])
  await expect(create('lost')).rejects.toMatchObject({ code: 6 })
})

test('a share of the tasks is struck, the same ones in whatever order they come', async () => {
  const strike = async (names: string[]) => {
    const { cloudTasks, create, arrived } = await stage()
    cloudTasks.fault({ fault: 'drop', probability: 0.3 })
    for (const name of names) await create(name)
    await cloudTasks.idle()
    return names.filter((name) => !arrived().includes(name)).sort()
  }
  const lost = await strike(many(60))
  expect(lost.length).toBeGreaterThan(5)
  expect(lost.length).toBeLessThan(30)
  expect(await strike(many(60).reverse())).toEqual(lost)
})

test('a doubled task comes twice, also while the first delivery is under way', async () => {
  const { clock, cloudTasks, create, target } = await stage()
  cloudTasks.fault({ fault: 'duplicate', gap: '2s' })
  target.hold()
  await create('twin')
  advance(clock, 2000)
  target.release()
  await cloudTasks.idle()
  expect(
    cloudTasks.dispatches().map(({ attempt, copy, status }) => [attempt, copy, status]),
  ).toEqual([
    [1, false, 200],
    [1, true, 200],
  ])
  expect(target.received).toHaveLength(2)
  expect(cloudTasks.tasks()).toEqual([])
})

test('a delayed task comes later than asked for', async () => {
  const { clock, cloudTasks, create, arrived } = await stage()
  cloudTasks.fault({ fault: 'delay', delay: '1m', match: { queue: 'parcels' } })
  await create('late')
  advance(clock, 59_999)
  await cloudTasks.idle()
  expect(arrived()).toEqual([])
  advance(clock, 1)
  await cloudTasks.idle()
  expect(arrived()).toEqual(['late'])
})

test('creation is refused for a while, or its answer is lost', async () => {
  const { clock, cloudTasks, create, arrived } = await stage()
  cloudTasks.fault({ fault: 'refuse', until: '30s' })
  await expect(create('a')).rejects.toMatchObject({ code: unavailable })
  advance(clock, 30_000)
  await create('a')
  cloudTasks.fault({ fault: 'lose_answer', count: 1 })
  await expect(create('b')).rejects.toMatchObject({ code: unavailable })
  await expect(create('b')).rejects.toMatchObject({ code: 6 })
  await cloudTasks.idle()
  expect(arrived().sort()).toEqual(['a', 'b'])
  expect(cloudTasks.creations({ task: 'b' }).map(({ outcome }) => outcome)).toEqual([
    'answer_lost',
    'already_exists',
  ])
})

test('all of it can be done over HTTP', async () => {
  const { cloudTasks, create, secondsFromNow, arrived } = await stage()
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${cloudTasks.url}/simulator/cloud-tasks/${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: await response.json() }
  }
  await create('later', { scheduleTime: secondsFromNow(60) })

  const settings = { name: queueName, max_dispatches_per_second: 50, min_backoff_ms: 5000 }
  expect((await ask('PUT', 'queues', settings)).body).toMatchObject({
    maxDispatchesPerSecond: 50,
    minBackoffMs: 5000,
  })
  const tooFast = { name: queueName, max_dispatches_per_second: 501 }
  expect(await ask('PUT', 'queues', tooFast)).toMatchObject({
    status: 400,
    body: { error: { code: 'INVALID_REQUEST', message: expect.stringContaining('500') } },
  })
  await ask('POST', 'queues/parcels/pause')
  expect((await ask('GET', 'queues')).body).toMatchObject({
    data: [{ state: 'PAUSED', waiting: 1 }],
  })
  expect((await ask('GET', 'tasks?queue=parcels')).body).toMatchObject({
    data: [{ name: nameOf('later') }],
    total: 1,
  })
  expect(await ask('POST', 'queues/nowhere/pause')).toMatchObject({ status: 404 })
  expect((await ask('POST', 'tasks/run', { task: 'later' })).body).toEqual({ run: 1 })
  await ask('POST', 'queues/parcels/resume')
  expect((await ask('GET', 'idle')).body).toEqual({ idle: true })
  expect(arrived()).toEqual(['later'])
  expect((await ask('GET', 'dispatches')).body).toMatchObject({ total: 1, data: [{ status: 200 }] })
  expect((await ask('GET', 'creations')).body).toMatchObject({ data: [{ outcome: 'created' }] })

  expect(await ask('POST', 'faults', { fault: 'drop', probability: 2 })).toMatchObject({
    status: 400,
  })
  const set = await ask('POST', 'faults', { fault: 'drop', probability: 0.1 })
  expect(set).toMatchObject({ status: 201, body: { id: 'fault-1', struck: 0 } })
  expect((await ask('GET', 'faults')).body).toMatchObject({ data: [{ fault: 'drop' }] })
  expect((await ask('DELETE', 'faults/fault-1')).body).toEqual({ removed: 'fault-1' })
  expect(await ask('DELETE', 'faults/fault-1')).toMatchObject({ status: 404 })
  expect((await ask('DELETE', 'faults')).body).toEqual({ removed: 0 })
})
