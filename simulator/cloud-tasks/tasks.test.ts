import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { OAuth2Client } from 'google-auth-library'
import { expect, test } from 'vitest'
import { advance } from '../test-clock.ts'
import { systemClock } from '../time-and-chance.ts'
import { location, nameOf, queueName, stage } from './test-support.ts'

const code = { invalid: 3, notFound: 5, alreadyExists: 6, precondition: 9, unimplemented: 12 }
const hour = 3_600_000

test('a task reaches its target as Cloud Tasks would bring it', async () => {
  const { create, cloudTasks, target } = await stage()
  const [created] = await create('letter-1', {
    httpRequest: {
      httpMethod: 'PUT',
      headers: {
        'Content-Type': 'application/json',
        'X-Internal-Token': 'sesame',
        Host: 'elsewhere',
      },
      body: Buffer.from('{"outbox_id":"7"}').toString('base64'),
    },
  })
  await cloudTasks.idle()

  expect(created).toMatchObject({ name: nameOf('letter-1'), dispatchCount: 0, view: 'BASIC' })
  expect(target.received).toHaveLength(1)
  const [{ method, headers, body } = expect.fail()] = target.received
  expect([method, body.toString()]).toEqual(['PUT', '{"outbox_id":"7"}'])
  expect(headers).toMatchObject({
    host: new URL(target.url).host,
    'content-type': 'application/json',
    'x-internal-token': 'sesame',
    'user-agent': 'Google-Cloud-Tasks',
    'x-cloudtasks-queuename': 'parcels',
    'x-cloudtasks-taskname': 'letter-1',
    'x-cloudtasks-taskretrycount': '0',
    'x-cloudtasks-taskexecutioncount': '0',
    'x-cloudtasks-tasketa': '1794744000.000000',
  })
  expect(headers).not.toHaveProperty('x-cloudtasks-taskpreviousresponse')
  expect(cloudTasks.dispatches()).toMatchObject([
    { task: nameOf('letter-1'), attempt: 1, status: 200 },
  ])
})

test('a name stays taken while its task waits, and for an hour after it ran or was deleted', async () => {
  const { clock, create, client, cloudTasks, secondsFromNow, arrived } = await stage()
  await create('waits', { scheduleTime: secondsFromNow(60) })
  await expect(create('waits')).rejects.toMatchObject({ code: code.alreadyExists })
  await client.deleteTask({ name: nameOf('waits') })
  await expect(client.getTask({ name: nameOf('waits') })).rejects.toMatchObject({
    code: code.notFound,
  })
  await expect(create('waits')).rejects.toMatchObject({ code: code.alreadyExists })
  await create('ran')
  await cloudTasks.idle()
  await expect(create('ran')).rejects.toMatchObject({ code: code.alreadyExists })

  advance(clock, hour)
  await create('waits')
  await create('ran')
  await cloudTasks.idle()
  expect(arrived().sort()).toEqual(['ran', 'ran', 'waits'])
})

test('tasks without a name get one, and are shown, listed and run', async () => {
  const { create, client, cloudTasks, secondsFromNow, arrived } = await stage()
  const later = { scheduleTime: secondsFromNow(60), httpRequest: { body: Buffer.from('hi') } }
  const [nameless] = await create(undefined, later)
  await create('b', later)
  await create('c', later)
  const [full] = await client.getTask({ name: String(nameless.name), responseView: 'FULL' })
  const [page] = await client.listTasks({ parent: queueName, pageSize: 2 }, { autoPaginate: false })
  const [all] = await client.listTasks({ parent: queueName })
  await client.runTask({ name: nameOf('b') })
  await cloudTasks.idle()

  expect(nameless.name).toMatch(new RegExp(`^${queueName}/tasks/\\d+$`))
  expect(full.httpRequest?.body).toEqual(Buffer.from('hi'))
  expect([page.length, all.length]).toEqual([2, 3])
  expect(all.map(({ httpRequest }) => httpRequest?.body?.length)).toEqual([0, 0, 0])
  expect(arrived()).toEqual(['b'])
  expect(cloudTasks.tasks().map(({ name }) => name)).toEqual([nameless.name, nameOf('c')])
  await expect(client.runTask({ name: nameOf('b') })).rejects.toMatchObject({ code: code.notFound })
})

test('what Cloud Tasks refuses is refused', async () => {
  const { create, client, secondsFromNow, cloudTasks } = await stage()
  const day = 86_400
  await create('just-in-time', { scheduleTime: secondsFromNow(30 * day) })
  const refused = [
    create('bad name'),
    create('x'.repeat(501)),
    create('late', { scheduleTime: secondsFromNow(30 * day + 1) }),
    create('large', { httpRequest: { body: Buffer.alloc(1024 * 1024) } }),
    create('headers', { httpRequest: { headers: { much: 'x'.repeat(80 * 1024) } } }),
    create('url', { httpRequest: { url: 'ftp://example.com' } }),
    create('body', { httpRequest: { httpMethod: 'GET', body: Buffer.from('x') } }),
    create('deadline', { dispatchDeadline: { seconds: 14 } }),
    create('oauth', { httpRequest: { oauthToken: { serviceAccountEmail: 'a@example.com' } } }),
    client.createTask({ parent: queueName, task: { appEngineHttpRequest: { relativeUri: '/' } } }),
    client.createTask({ parent: 'nowhere', task: {} }),
  ]
  const reasons = (await Promise.allSettled(refused)).map((settled) =>
    settled.status === 'rejected' ? settled.reason.code : 'accepted',
  )
  expect(reasons).toEqual(refused.map(() => code.invalid))
  const elsewhere = { parent: `${location}/queues/unknown`, task: {} }
  await expect(client.createTask(elsewhere)).rejects.toMatchObject({ code: code.notFound })
  expect(cloudTasks.tasks()).toHaveLength(1)
})

test('queues are made, shown, changed in part, paused, purged and deleted', async () => {
  const { client, create, cloudTasks, arrived } = await stage()
  const name = `${location}/queues/letters`
  const [made] = await client.createQueue({
    parent: location,
    queue: { name, rateLimits: { maxDispatchesPerSecond: 10 }, retryConfig: { maxAttempts: 3 } },
  })
  expect(made).toMatchObject({
    state: 'RUNNING',
    rateLimits: { maxDispatchesPerSecond: 10, maxBurstSize: 2, maxConcurrentDispatches: 1000 },
    retryConfig: { maxAttempts: 3, maxDoublings: 16, maxBackoff: { seconds: '3600' } },
  })
  await expect(client.createQueue({ parent: location, queue: { name } })).rejects.toMatchObject({
    code: code.alreadyExists,
  })
  const [changed] = await client.updateQueue({
    queue: { name, rateLimits: { maxDispatchesPerSecond: 20, maxConcurrentDispatches: 7 } },
    updateMask: { paths: ['rate_limits.max_concurrent_dispatches'] },
  })
  expect(changed.rateLimits).toMatchObject({
    maxDispatchesPerSecond: 10,
    maxConcurrentDispatches: 7,
  })
  const tooFast = { name, rateLimits: { maxDispatchesPerSecond: 501 } }
  await expect(client.updateQueue({ queue: tooFast })).rejects.toMatchObject({ code: code.invalid })

  await client.pauseQueue({ name: queueName })
  await create('stays')
  await cloudTasks.idle()
  expect([arrived(), cloudTasks.tasks().length]).toEqual([[], 1])
  const [purged] = await client.purgeQueue({ name: queueName })
  expect(purged).toMatchObject({ state: 'PAUSED', purgeTime: { nanos: 0 } })
  await client.resumeQueue({ name: queueName })
  await create('goes')
  await cloudTasks.idle()
  expect(arrived()).toEqual(['goes'])

  const [listed] = await client.listQueues({ parent: location })
  expect(listed.map((queue) => queue.name)).toEqual([name, queueName])
  await client.deleteQueue({ name })
  await expect(client.getQueue({ name })).rejects.toMatchObject({ code: code.notFound })
  await expect(client.createQueue({ parent: location, queue: { name } })).rejects.toMatchObject({
    code: code.precondition,
  })
})

test('with auto-create the first task makes its queue', async () => {
  const { client, cloudTasks, target, arrived } = await stage({ autoCreateQueues: true })
  const parent = `${location}/queues/new`
  await client.createTask({
    parent,
    task: { name: nameOf('first', parent), httpRequest: { url: target.url } },
  })
  await cloudTasks.idle()
  expect(arrived()).toEqual(['first'])
})

test('an identity token verifies with the published keys', async () => {
  const { create, cloudTasks, target } = await stage({ clock: systemClock })
  const email = 'courier@example.iam.gserviceaccount.com'
  await create('signed', {
    httpRequest: {
      headers: { authorization: 'Bearer of nothing' },
      oidcToken: { serviceAccountEmail: email, audience: 'https://gateway.example' },
    },
  })
  await cloudTasks.idle()
  const token = String(target.received[0]?.headers.authorization).replace('Bearer ', '')
  const { keys } = (await (await fetch(cloudTasks.jwksUrl)).json()) as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const certificates = Object.fromEntries(
    keys.map((key) => [
      key.kid,
      createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }),
    ]),
  )
  const verify = (audience: string) =>
    new OAuth2Client().verifySignedJwtWithCertsAsync(
      token,
      certificates as Record<string, string>,
      audience,
      ['https://accounts.google.com'],
    )

  expect((await verify('https://gateway.example')).getPayload()).toMatchObject({
    email,
    email_verified: true,
  })
  await expect(verify('https://other.example')).rejects.toThrow('audience')
})
