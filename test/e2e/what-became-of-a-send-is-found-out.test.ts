// The answer to a send is lost, late, or overtaken by what Meta reports: each status carries the id of its attempt, and so
// tells what the answer did not.
import { beforeAll, describe, expect, test } from 'vitest'
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { sql } from '../../src/db/connect.ts'
import { reapWorkers } from '../../src/outbox/queue-queries.ts'
import { operatorKey } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { makeDue } from '../support/queue.ts'
import {
  type Firm,
  forgetLateAnswer,
  type Sending,
  sendRowOf,
  sendRowsOf,
  sendTimeoutMs,
  startSending,
  template,
} from '../support/sending.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

async function lettersOf(messageId: string): Promise<Record<string, unknown>[]> {
  const path = `/api/admin/whatsapp/dlq?message_id=${messageId}`
  return (await world.gateway.call('GET', path, { key: operatorKey })).json.data
}

const stepsOf = (message: { timeline: { status: string }[] }) =>
  message.timeline.map((step) => step.status)

/** Meta accepts it, its statuses come and are processed, and only then has the sender its answer, or none. */
async function sendOvertaken(
  customer: string,
  more: Record<string, unknown> = {},
  end = world.simulator.letGo,
): Promise<string> {
  const id = await world.send(firm, customer, more)
  const sending = world.gateway.sendDue()
  await until('Meta has it', () => world.acceptedFor(customer).length > 0)
  await world.hearMeta()
  const [row] = await sendRowsOf(world.gateway.db, id)
  expect(row?.status).toBe('running')
  end()
  await sending
  return id
}

const lost: [name: string, fault: FaultInput][] = [
  ['a timeout', { fault: 'hang', when: 'after_accepting' }],
  ['a reset', { fault: 'reset', when: 'after_accepting' }],
  ['half an answer', { fault: 'truncate' }],
  ['half an answer that claims to be whole', { fault: 'truncate', connection: 'kept' }],
  ['a 502 in between', { fault: 'html', http_status: 502, when: 'after_accepting' }],
  ['a 500', { fault: 'error', code: 131000, http_status: 500, when: 'after_accepting' }],
]

describe('the answer is lost', () => {
  test.each(lost)(
    '%s: a status tells before the retry, and there is no second POST',
    async (_, fault) => {
      const customer = await world.customerOf(firm)
      world.fault({ ...fault, match: { recipient: customer } })
      const id = await world.send(firm, customer)
      const next = await world.send(firm, customer, { text: { body: 'And another' } })
      const sending = world.gateway.sendDue()
      if (fault.fault === 'hang') {
        await until('Meta has it', () => world.acceptedFor(customer).length > 0)
        world.clock.runOut(sendTimeoutMs)
      }
      await sending
      expect((await sendRowOf(world.gateway.db, id)).status).toBe('pending')

      world.simulator.clearFaults()
      await world.hearMeta()
      expect((await world.read(firm, id)).status).toBe('read')
      await world.sendWhatWaits()

      const [first, second, ...more] = world.acceptedFor(customer)
      expect(more).toEqual([])
      expect(await world.read(firm, id)).toMatchObject({
        status: 'read',
        wamid: first?.wamid,
        attempts: 1,
        error: null,
      })
      expect(stepsOf(await world.read(firm, id))).toEqual(['queued', 'sent', 'delivered', 'read'])
      expect((await sendRowOf(world.gateway.db, id)).status).toBe('done')
      // In its order, after what came before it was known to be sent.
      expect((await world.read(firm, next)).wamid).toBe(second?.wamid)
      expect(await lettersOf(id)).toEqual([])
    },
  )

  test('and the status tells that it failed: dead, and no second POST', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'after_accepting', match })
    world.fault({ fault: 'fail', code: 131026, match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    world.simulator.clearFaults()
    await world.hearMeta()
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      error: { code: 'UNDELIVERABLE' },
    })
    expect(await lettersOf(id)).toMatchObject([{ error_code: 'UNDELIVERABLE' }])
  })

  test('and nothing tells: it is sent again', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
    world.fault({ fault: 'stuck', after: 'accepted', match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.hearMeta()
    await world.sendWhatWaits()

    expect(world.acceptedFor(customer)).toHaveLength(2)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'sent',
      attempts: 2,
      wamid: world.acceptedFor(customer).at(-1)?.wamid,
    })
  })
})

describe('at most once', () => {
  const delivery = 'at_most_once'

  test('an answer that is lost parks it as unknown after the wait; a status tells later, and nothing is sent again', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
    const id = await world.send(firm, customer, { delivery })
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('queued')
    await world.sendWhatWaits()
    expect(await world.read(firm, id)).toMatchObject({
      status: 'unknown',
      error: { code: 'OUTCOME_UNKNOWN' },
    })
    expect(await lettersOf(id)).toMatchObject([{ kind: 'unknown' }])

    await world.hearMeta()
    await world.sendWhatWaits()
    expect(await world.read(firm, id)).toMatchObject({
      status: 'read',
      wamid: world.acceptedFor(customer)[0]?.wamid,
      error: null,
    })
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await lettersOf(id)).toEqual([])
  })

  test('an answer that came too late, and was forgotten before it proved anything: the next status does', async () => {
    const customer = await world.customerOf(firm)
    world.fault({
      fault: 'reset',
      when: 'after_accepting',
      match: { recipient: customer },
      count: 1,
    })
    const id = await world.send(firm, customer, { delivery })
    await world.gateway.sendDue()
    await world.sendWhatWaits()
    expect(await lettersOf(id)).toMatchObject([{ kind: 'unknown' }])
    const [accepted] = world.acceptedFor(customer)
    await forgetLateAnswer(world.gateway.db, id, accepted?.wamid ?? '')

    await world.hearMeta()
    expect(await world.read(firm, id)).toMatchObject({
      status: 'read',
      wamid: accepted?.wamid,
      error: null,
    })
    expect(await lettersOf(id)).toEqual([])
    expect(world.postsTo(customer)).toHaveLength(1)
  })

  test('a status that comes before the sender gives up: it is sent, not unknown', async () => {
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'hang', when: 'after_accepting', match: { recipient: customer } })
    const id = await sendOvertaken(customer, { delivery }, () => world.clock.runOut(sendTimeoutMs))

    expect(await world.read(firm, id)).toMatchObject({
      status: 'read',
      attempts: 1,
      wamid: world.acceptedFor(customer)[0]?.wamid,
    })
    expect(await lettersOf(id)).toEqual([])
    expect((await sendRowOf(world.gateway.db, id)).status).toBe('done')
  })

  test('a worker that died with it: unknown, and never sent by itself', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendWithDeadWorker(customer, { delivery })
    await world.sendWhatWaits()
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toEqual([])
    expect((await world.read(firm, id)).status).toBe('unknown')
    expect(await lettersOf(id)).toMatchObject([{ kind: 'unknown' }])
  })
})

describe('a worker dies', () => {
  test('what it held is taken up again after the wait for evidence', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendWithDeadWorker(customer)
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'pending', attempts: 1 })
    await world.gateway.sendDue()
    expect(world.postsTo(customer)).toEqual([])

    await world.sendWhatWaits()
    expect((await world.read(firm, id)).status).toBe('sent')
    expect(world.acceptedFor(customer)).toHaveLength(1)
  })

  test('in the last attempt: there is none after it', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendWithDeadWorker(customer, {}, 8)
    await world.sendWhatWaits()
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toEqual([])
    expect((await world.read(firm, id)).status).toBe('unknown')
    expect(await lettersOf(id)).toMatchObject([{ kind: 'unknown' }])
  })
})

/** Claimed by workers that are gone before a POST, one after another. */
async function sendWithDeadWorker(
  customer: string,
  more: Record<string, unknown> = {},
  deaths = 1,
): Promise<string> {
  const { db } = world.gateway
  const id = await world.send(firm, customer, more)
  for (let death = 0; death < deaths; death++) {
    await makeDue(db)
    const [worker] = await db.query(sql<{ id: string }>`
      insert into send_workers (alive_until) values (now() + interval '1 hour') returning id`)
    const claimed = await db.query(sql`select id from send_claim(${worker?.id}::bigint, 10, 10)`)
    expect(claimed).toHaveLength(1)
    await db.query(sql`
      update send_workers set alive_until = now() - interval '1 s' where id = ${worker?.id}::bigint`)
    expect(await reapWorkers(db, 30, 'standard')).toHaveLength(1)
  }
  return id
}

describe('a status comes before the answer', () => {
  test('it is kept: the message shows how far it got', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'early_status', statuses: ['sent', 'delivered'], match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.hearMeta()

    const message = await world.read(firm, id)
    expect(message).toMatchObject({ status: 'read', attempts: 1, error: null })
    expect(stepsOf(message)).toEqual(['queued', 'sent', 'delivered', 'read'])
    expect(world.postsTo(customer)).toHaveLength(1)
  })

  test('it is processed before the answer: the answer takes nothing back', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.simulator.hold({ when: 'after_accepting', match })
    const id = await sendOvertaken(customer)

    const message = await world.read(firm, id)
    expect(message).toMatchObject({ status: 'read', attempts: 1, error: null })
    expect(stepsOf(message)).toEqual(['queued', 'sent', 'delivered', 'read'])
    expect((await sendRowOf(world.gateway.db, id)).status).toBe('done')
  })

  test('it says failed, and is processed before the answer: dead, with its reason', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.simulator.hold({ when: 'after_accepting', match })
    world.fault({ fault: 'fail', code: 131026, match })
    const id = await sendOvertaken(customer)

    const message = await world.read(firm, id)
    expect(message).toMatchObject({
      status: 'failed',
      attempts: 1,
      wamid: world.acceptedFor(customer)[0]?.wamid,
      error: { code: 'UNDELIVERABLE', provider: { code: 131026 } },
    })
    expect(stepsOf(message)).toEqual(['queued', 'sent', 'failed'])
    expect(await lettersOf(id)).toMatchObject([{ error_code: 'UNDELIVERABLE' }])
  })

  test('the same for a closed window: the fallback template goes out, once', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.simulator.hold({ when: 'after_accepting', match, count: 1 })
    world.fault({ fault: 'fail', code: 131047, match, count: 1 })
    const id = await sendOvertaken(customer, { fallback_template: template })
    await world.sendWhatWaits()
    await world.hearMeta()

    expect(world.acceptedFor(customer).map((send) => send.type)).toEqual(['text', 'template'])
    expect(await world.read(firm, id)).toMatchObject({
      status: 'read',
      attempts: 2,
      wamid: world.acceptedFor(customer).at(-1)?.wamid,
      error: null,
    })
    expect(await lettersOf(id)).toEqual([])
  })
})
