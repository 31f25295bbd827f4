// With Cloud Tasks as the doorbell: nothing polls, every row is called for, and what is lost on the way is found by the sweep.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { claimSends } from '../../src/outbox/queue-queries.ts'
import { releaseAccount } from '../../src/outbox/release.ts'
import { registerWorker } from '../../src/queue/workers.ts'
import { canary, expectNone } from '../support/canaries.ts'
import {
  type CloudTasksSending,
  startCloudTasksSending,
  taskToken,
} from '../support/cloud-tasks.ts'
import { startEventReceiver } from '../support/event-receiver.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { makeDue } from '../support/queue.ts'
import { type Firm, sendRowOf } from '../support/sending.ts'

let world: CloudTasksSending

beforeAll(async () => {
  // Nothing counts as lost before a test says so.
  world = await startCloudTasksSending({ environment: { TASK_PATIENCE_SECONDS: '3600' } })
})

beforeEach(async () => {
  await world.idle()
  world.cloudTasks.clearFaults()
})

const isOf = (path: string) => (entry: { url: string }) => entry.url.endsWith(`/internal/${path}`)
const callsOf = (rowId: string) =>
  world.cloudTasks.dispatches().filter(({ task }) => task.includes(`-${rowId}-`))
const tasksOf = (rowId: string) =>
  world.cloudTasks.tasks().filter(({ name }) => name.includes(`-${rowId}-`))
const statusOf = async (firm: Firm, id: string) => (await world.read(firm, id)).status
const isSent = (firm: Firm, id: string) => async () => (await statusOf(firm, id)) !== 'queued'
const outboundCall = (rowId: string) =>
  world.callInternal('/internal/process_outbound', {
    outbox_id: rowId,
    idempotency_key: 'any',
    correlation_id: '0195a0b0-0000-7000-8000-000000000000',
  })

async function setCap(firm: Firm, cap: number): Promise<void> {
  await world.gateway.call('PATCH', `/api/admin/tenants/${firm.id}`, {
    key: operatorKey,
    body: { max_concurrency: cap },
  })
}

/** Accepted while nothing is delivered; then Cloud Tasks goes on. */
async function whilePaused<T>(work: () => Promise<T>): Promise<T> {
  for (const queue of world.queues.outbound) world.cloudTasks.pause(queue)
  try {
    return await work()
  } finally {
    for (const queue of world.queues.outbound) world.cloudTasks.resume(queue)
  }
}

/** Somebody else has it in hand. */
async function holdElsewhere(tenantId: string, id: string): Promise<string> {
  const { db } = world.gateway
  const worker = await registerWorker(db, 3600)
  expect(await claimSends(db, worker, 1, 1, { tenantId, id })).toHaveLength(1)
  return worker
}

const privateText = canary('text of a message').text
/** What Meta makes of the customer's number in a wamid, without its padding. */
const customersWamid = 'HBgLMTY1MDU1NTc3NzcVAgASGBQzQQ'

async function deliverText(firm: Firm, wamid: string) {
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  const timestamp = String(Math.floor(Date.now() / 1000))
  const message = textMessage(wamid, privateText, { from: '16505557777', timestamp })
  const answer = await world.gateway.deliver(payload({ number, messages: [message] }))
  const [event] = await world.gateway.db.query(sql<{ id: string }>`
    select id from whatsapp_webhook_events order by id desc limit 1`)
  return { answer, eventId: event?.id ?? '' }
}

const eventStatus = async (id: string) => {
  const [row] = await world.gateway.db.query(sql<{ status: string; task_name: string | null }>`
    select e.status, t.task_name
    from whatsapp_webhook_events e
    left join whatsapp_inbound_traces t on t.event_id = e.id
    where e.id = ${id}
    order by t.attempt desc
    limit 1`)
  return row
}

describe('a webhook', () => {
  test('is called for once it is stored, and the trace names the task', async () => {
    const firm = await world.createFirm('Inbound')
    for (const queue of world.queues.inbound) world.cloudTasks.pause(queue)
    const { answer, eventId } = await deliverText(firm, `wamid.${customersWamid}==`)
    expect(answer.status).toBe(200)

    const [task] = tasksOf(eventId)
    expect(JSON.parse(task?.body ?? '{}')).toEqual({
      event_id: eventId,
      inbound_event_id: expect.stringMatching(/^[\w-]+$/),
      correlation_id: expect.any(String),
    })
    expect(task?.headers).toMatchObject({
      'x-internal-token': taskToken,
      'x-correlation-id': expect.any(String),
    })
    expectNone(JSON.stringify(task), '16505557777', privateText, customersWamid)
    for (const queue of world.queues.inbound) world.cloudTasks.resume(queue)
    await until('it is processed', async () => (await eventStatus(eventId))?.status === 'done')
    expect(await eventStatus(eventId)).toEqual({
      status: 'done',
      task_name: task?.name.split('/').at(-1),
    })
    await world.idle()
    expect(callsOf(eventId).map(({ status }) => status)).toEqual([200])
  })

  test('whose task is lost is found by the sweep, and so is one whose task could not be made', async () => {
    const firm = await world.createFirm('Lost webhooks')
    for (const fault of ['drop', 'refuse'] as const) {
      const { id } = world.cloudTasks.fault({ fault })
      const { answer, eventId } = await deliverText(firm, `wamid.${fault}`)
      expect(answer.status).toBe(200)
      world.cloudTasks.removeFault(id)
      expect(tasksOf(eventId)).toEqual([])
      // Not lost yet, as far as anybody knows.
      await world.sweep(['lost-inbound-tasks'])
      expect((await eventStatus(eventId))?.status).toBe('pending')

      await world.loseRings()
      await world.sweep(['lost-inbound-tasks'])

      await until('it is processed', async () => (await eventStatus(eventId))?.status === 'done')
    }
  })

  test('that is unknown, or in hand, is answered 200 and called for again', async () => {
    const firm = await world.createFirm('In hand')
    const { eventId } = await deliverText(firm, 'wamid.in-hand')
    const call = (event_id: string) =>
      world.callInternal('/internal/process_inbound', {
        event_id,
        inbound_event_id: 'any',
        correlation_id: '0195a0b0-0000-7000-8000-000000000000',
      })
    await until('it is processed', async () => (await eventStatus(eventId))?.status === 'done')
    expect((await call(eventId)).json).toEqual({ status: 'finished', next_at: null })
    const nobody = '00000000-0000-4000-8000-000000000000'
    expect((await call(nobody)).json).toEqual({ status: 'unknown', next_at: null })

    await world.gateway.db.query(sql`
      update whatsapp_webhook_events
      set status = 'processing', processed_at = null, next_run_at = now() + interval '1 hour'
      where id = ${eventId}`)
    const answer = await call(eventId)
    expect(answer.json).toEqual({ status: 'not_due', next_at: expect.any(String) })
    expect(tasksOf(eventId).map((task) => task.scheduled_at)).toEqual([answer.json.next_at])
  })

  test('with an answer makes one task for each reply', async () => {
    const firm = await world.createFirm('Answers')
    await world.gateway.db.query(sql`
      update whatsapp_accounts set responder = 'echo' where phone_number_id = ${firm.phoneNumberId}`)
    await deliverText(firm, 'wamid.to-answer')
    await until('it was answered', () => world.acceptedFor('16505557777').length === 1)
  })
})

describe('a send', () => {
  test('is called for, and leaves once, though its task is delivered twice at once', async () => {
    const firm = await world.createFirm('Twice')
    const customer = await world.customerOf(firm)
    const { id } = world.cloudTasks.fault({
      fault: 'duplicate',
      match: { queue: world.queues.outbound },
    })
    const message = await world.send(firm, customer)
    const row = await sendRowOf(world.gateway.db, message)
    await until('it is sent', isSent(firm, message))
    await world.idle()
    world.cloudTasks.removeFault(id)

    expect(world.postsTo(customer)).toHaveLength(1)
    const calls = callsOf(row.id)
    expect(calls.map(({ status }) => status)).toEqual([200, 200])
    expect(JSON.parse(calls[0]?.body ?? '{}')).toEqual({
      outbox_id: row.id,
      idempotency_key: `${firm.id}:${row.id}`,
      correlation_id: expect.any(String),
    })
    expect((await outboundCall(row.id)).json).toMatchObject({ status: 'finished' })
    expect((await outboundCall('999999999')).json).toMatchObject({ status: 'unknown' })
  })

  test('of one tenant always goes to the same queue', async () => {
    const firm = await world.createFirm('One way')
    for (let count = 0; count < 3; count++) await world.send(firm, await world.customerOf(firm))
    await world.idle()
    const used = world.cloudTasks
      .dispatches()
      .filter(isOf('process_outbound'))
      .filter(({ body }) => body.includes(firm.id))
      .map(({ queue }) => queue)
    expect(new Set(used).size).toBe(1)
  })

  test('that failed is answered 503 once, and has a task of its own at the time of its next try', async () => {
    const firm = await world.createFirm('Fails once')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'error', code: 131000, http_status: 500, count: 1 })
    const message = await world.send(firm, customer)
    const { id } = await sendRowOf(world.gateway.db, message)
    await until('it was tried', () => world.postsTo(customer).length === 1)
    await until('it was answered twice', () => callsOf(id).filter((one) => one.status).length === 2)

    // The repeat of Cloud Tasks finds nothing due.
    expect(callsOf(id).map(({ status }) => status)).toEqual([503, 200])
    expect(world.postsTo(customer)).toHaveLength(1)
    const { next_run_at } = await sendRowOf(world.gateway.db, message)
    expect(tasksOf(id).map((task) => task.scheduled_at)).toEqual([next_run_at.toISOString()])

    await makeDue(world.gateway.db)
    world.cloudTasks.runNow()
    await until('it is sent', isSent(firm, message))
    await world.idle()
    expect(world.acceptedFor(customer)).toHaveLength(1)
  })

  test('that Meta refuses for good is answered 400 once, then 200', async () => {
    const firm = await world.createFirm('Refused')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'error', code: 131009, http_status: 400, count: 1 })
    const message = await whilePaused(() => world.send(firm, customer))
    const { id } = await sendRowOf(world.gateway.db, message)
    await until('it is dead', async () => (await statusOf(firm, message)) === 'failed')
    await until('it was answered twice', () => callsOf(id).filter((one) => one.status).length === 2)
    expect(callsOf(id).map(({ status }) => status)).toEqual([400, 200])
  })

  test('called for by hand says what it is: permanent, with Meta’s own words apart', async () => {
    const firm = await world.createFirm('By hand')
    const customer = await world.customerOf(firm)
    const { id: drop } = world.cloudTasks.fault({ fault: 'drop' })
    world.fault({ fault: 'error', code: 131009, http_status: 400, count: 1 })
    const message = await world.send(firm, customer)
    world.cloudTasks.removeFault(drop)
    const { id } = await sendRowOf(world.gateway.db, message)

    const answer = await outboundCall(id)

    expect([answer.status, answer.json.error.code]).toEqual([400, 'whatsapp_permanent_error'])
    expect(answer.json.error.details).toMatchObject({ provider: { code: 131009 } })
    expect((await outboundCall(id)).json).toMatchObject({ status: 'finished' })
  })

  test('for later has its task at that time', async () => {
    const firm = await world.createFirm('Later')
    const sendAt = new Date(Date.now() + 3_600_000).toISOString()
    const template = { name: 'hello_world', language: { code: 'en_US' } }
    const more = { type: 'template', text: undefined, template, send_at: sendAt }
    const message = await world.send(firm, await world.customerOf(firm), more)
    const { id } = await sendRowOf(world.gateway.db, message)
    expect(tasksOf(id).map((task) => task.scheduled_at)).toEqual([sendAt])
  })

  test('whose task is lost or could not be made is found by the sweep', async () => {
    const firm = await world.createFirm('Lost sends')
    for (const fault of ['drop', 'refuse'] as const) {
      const customer = await world.customerOf(firm)
      const { id } = world.cloudTasks.fault({ fault })
      const message = await world.send(firm, customer)
      world.cloudTasks.removeFault(id)
      await world.sweep(['lost-outbound-tasks'])
      await world.idle()
      expect(await statusOf(firm, message)).toBe('queued')

      await world.loseRings()
      await world.sweep(['lost-outbound-tasks'])

      await until('it is sent', isSent(firm, message))
    }
    expect(world.gateway.logText()).toContain('tasks_not_made')
  })
})

describe('the rules of the queue', () => {
  test('hold when a row is called for: one at a time per contact, no more than the cap', async () => {
    const firm = await world.createFirm('Rules')
    await setCap(firm, 1)
    const anna = await world.customerOf(firm)
    const bert = await world.customerOf(firm)
    const { id: drop } = world.cloudTasks.fault({ fault: 'drop' })
    const first = await world.send(firm, anna)
    const second = await world.send(firm, anna)
    const third = await world.send(firm, bert)
    world.cloudTasks.removeFault(drop)
    const idOf = async (message: string) => (await sendRowOf(world.gateway.db, message)).id
    await holdElsewhere(firm.id, await idOf(first))

    expect((await outboundCall(await idOf(first))).json).toMatchObject({ status: 'running' })
    for (const [message, reason] of [
      [second, 'order'],
      [third, 'cap'],
    ] as const) {
      const id = await idOf(message)
      const answer = await outboundCall(id)
      expect(answer.json).toEqual({ status: 'not_due', reason, next_at: expect.any(String) })
      expect(tasksOf(id).map((task) => task.scheduled_at)).toEqual([answer.json.next_at])
    }
    expect(world.postsTo(anna)).toEqual([])
    expect(world.postsTo(bert)).toEqual([])
  })

  test('whoever ends calls for whoever is next, until all is sent, in order', async () => {
    const firm = await world.createFirm('In line')
    await setCap(firm, 1)
    const customers = [await world.customerOf(firm), await world.customerOf(firm)]
    const sent = await whilePaused(async () => {
      const messages: string[] = []
      for (let count = 0; count < 8; count++) {
        const text = { body: `number ${count}` }
        messages.push(await world.send(firm, customers[count % 2] ?? '', { text }))
      }
      return messages
    })
    await until('all are sent', async () => {
      const states = await Promise.all(sent.map((message) => statusOf(firm, message)))
      return states.every((state) => state !== 'queued')
    })
    for (const [index, customer] of customers.entries()) {
      const bodies = world.acceptedFor(customer).map(({ request }) => JSON.stringify(request))
      expect(bodies).toHaveLength(4)
      for (const [place, body] of bodies.entries()) {
        expect(body).toContain(`number ${place * 2 + index}`)
      }
    }
  })

  test('a parked number is looked at rarely, and goes on when it is released', async () => {
    const firm = await world.createFirm('Parked')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'token', state: 'revoked', count: 1 })
    const message = await world.send(firm, customer)
    const { id } = await sendRowOf(world.gateway.db, message)
    await until('it was tried', () => callsOf(id).some(({ status }) => status === 200))
    expect((await outboundCall(id)).json).toMatchObject({ status: 'not_due', reason: 'hold' })

    await world.gateway.runtime.db.api.transaction((tx) =>
      releaseAccount(tx, firm.id, firm.phoneNumberId, new Date()),
    )
    await world.sweep(['lost-outbound-tasks'])
    await until('it is sent', isSent(firm, message))
  })
})

describe('the door', () => {
  const paths = ['process_inbound', 'process_outbound', 'sweep']
  test.each(paths)(
    'of /internal/%s opens with any of the tokens, and with nothing else',
    async (path) => {
      const call = (headers: Record<string, string>) =>
        world.gateway.call('POST', `/internal/${path}`, { headers })
      for (const token of ['', 'x', `${taskToken}x`, taskToken.slice(1)]) {
        const answer = await call({ 'x-internal-token': token })
        expect([answer.status, answer.json.error.code], token).toEqual([401, 'UNAUTHORIZED'])
      }
      expect((await call({})).status).toBe(401)
      expect((await call({ authorization: `Bearer ${operatorKey}` })).status).toBe(401)
      const good = await call({ 'x-internal-token': 'an-older-token-that-still-counts' })
      expect(good.status).toBe(path === 'sweep' ? 200 : 400)
    },
  )
})

test('what happens is told to the application without a sweep of everything', async () => {
  const firm = await world.createFirm('Told')
  const receiver = await startEventReceiver()
  const body = { url: receiver.url, events: ['message.status'] }
  await world.gateway.call('POST', '/api/whatsapp/event-endpoints', { key: firm.key, body })

  await world.send(firm, await world.customerOf(firm))

  await until('it is told', () => receiver.types().includes('message.status'))
})

describe('a sweep', () => {
  test('runs everything periodic, also twice at once, and counts', async () => {
    const [one, other] = await Promise.all([world.sweep(), world.sweep()])
    for (const { status, json } of [one, other]) {
      expect(status).toBe(200)
      expect(json.jobs.map(({ name }: { name: string }) => name).sort()).toEqual([
        'alert-rules',
        'alerts',
        'backlog',
        'deliveries',
        'events',
        'history',
        'inbox-watch',
        'latencies',
        'leases',
        'lost-inbound-tasks',
        'lost-outbound-tasks',
        'media',
        'media-retention',
        'reseal',
        'retention',
        'templates',
        'tenant-latencies',
        'tokens',
      ])
      expect(json.jobs.filter(({ is_failed }: { is_failed: boolean }) => is_failed)).toEqual([])
    }
  })

  test('takes back what the dead held, and calls for it when its wait is over', async () => {
    const firm = await world.createFirm('Dead worker')
    const customer = await world.customerOf(firm)
    const { id: drop } = world.cloudTasks.fault({ fault: 'drop' })
    const message = await world.send(firm, customer)
    world.cloudTasks.removeFault(drop)
    const { db } = world.gateway
    const { id } = await sendRowOf(db, message)
    const worker = await holdElsewhere(firm.id, id)
    await db.query(
      sql`update send_workers set alive_until = now() - interval '1 s' where id = ${worker}::bigint`,
    )

    await world.sweep(['leases'])

    const row = await sendRowOf(db, message)
    expect(row.status).toBe('pending')
    expect(tasksOf(id).map((task) => task.scheduled_at)).toEqual([row.next_run_at.toISOString()])
  })
})
