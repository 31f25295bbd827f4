// A tenant may have so many messages waiting and no more: what comes then is refused before anything of it is kept. It is
// counted from rows, so that whatever leaves the queue, and however, makes room.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { operatorKey, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let world: Sending
let customer: string
let firm: Firm
let elsewhere: TestGateway

beforeAll(async () => {
  world = await startSending({ MAX_QUEUED_PER_TENANT: '3' })
  const { databaseUrl: url, db, runtime } = world.gateway
  elsewhere = await startTestGateway({
    environment: { MAX_QUEUED_PER_TENANT: '3' },
    database: { url, db },
    clock: runtime.clock,
  })
  firm = await world.createFirm('Firm Busy')
  customer = await world.customerOf(firm)
})

const post = (
  more: Record<string, unknown> = {},
  { by = firm, to = customer, gateway = world.gateway, headers = {} } = {},
) =>
  gateway.call('POST', '/api/whatsapp/meta/send', {
    key: by.key,
    headers,
    body: { to: `+${to}`, type: 'text', text: { body: 'Good morning' }, ...more },
  })
const change = (body: Record<string, unknown>) =>
  world.gateway.call('PATCH', `/api/admin/tenants/${firm.id}`, { key: operatorKey, body })
const fill = async (count: number) => {
  for (let one = 0; one < count; one++) await world.send(firm, customer)
}
const inAnHour = () => new Date(world.clock.now().getTime() + 3_600_000).toISOString()

const echo = async (responder: 'echo' | 'off') => {
  const list = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
  const path = `/api/whatsapp/accounts/${list.json.data[0].id}`
  await world.gateway.call('PATCH', path, { key: firm.key, body: { responder } })
}
const hear = async (id: string, text: string) => {
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
  const messages = [textMessage(id, text, { from: customer, timestamp })]
  await world.gateway.deliver(payload({ number, messages }))
  await world.gateway.drain()
}

interface Kept {
  messages: number
  rows: number
  keys: number
}

async function kept(): Promise<Kept | undefined> {
  const [row] = await world.gateway.db.query(sql<Kept>`
    select (select count(*) from whatsapp_messages where tenant_id = ${firm.id})::int as messages,
      (select count(*) from whatsapp_send_outbox where tenant_id = ${firm.id})::int as rows,
      (select count(*) from idempotency_keys where tenant_id = ${firm.id})::int as keys`)
  return row
}

/** Everybody starts with an empty queue and the setting's limit. */
beforeEach(async () => {
  await world.sendWhatWaits()
  await change({ max_queued: null })
})

const refusal = { code: 'BACKLOG_FULL', details: { limit: 3, queued: 3 } }

describe('a tenant with as many waiting as it may have', () => {
  test('is refused and told how many wait; nothing is kept, and its key is free', async () => {
    await fill(3)
    const before = await kept()
    const key = { 'idempotency-key': 'monday' }

    const refused = await post({}, { headers: key })

    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.json.error).toMatchObject(refusal)
    expect(await kept()).toEqual(before)
    const { text } = await world.gateway.call('GET', '/metrics', { key: operatorKey })
    expect(text).toContain('estafet_rate_limits_total{scope="backlog"} 1')

    await world.gateway.sendDue()
    const accepted = await post({}, { headers: key })
    expect(accepted.status).toBe(202)
    expect(accepted.headers.get('idempotent-replayed')).toBeNull()
    await fill(2)
    // What was accepted stays accepted.
    expect((await post({}, { headers: key })).json).toEqual(accepted.json)
  })

  test('has those counted that are for later, and those that another process took', async () => {
    expect((await post({ send_at: inAnHour() })).status).toBe(202)
    expect((await post({}, { gateway: elsewhere })).status).toBe(202)
    expect((await post({}, { gateway: elsewhere })).status).toBe(202)

    expect((await post()).json.error).toMatchObject(refusal)
    expect((await post({ send_at: inAnHour() })).json.error).toMatchObject(refusal)
    expect((await post({}, { gateway: elsewhere })).json.error).toMatchObject(refusal)
  })

  test('has room again for each that ends in any way', async () => {
    await fill(2)
    const cancelled = await world.send(firm, customer)
    expect((await post()).status).toBe(429)
    const path = `/api/whatsapp/messages/${cancelled}/cancel`
    await world.gateway.call('POST', path, { key: firm.key })

    expect((await post()).status).toBe(202)
    expect((await post()).status).toBe(429)
    const match = { phone_number_id: firm.phoneNumberId }
    world.fault({ fault: 'error', code: 132001, http_status: 404, match, count: 1 })
    await world.gateway.sendDue()
    await fill(3)
  })

  test('holds up nobody else, not even in the same moment', async () => {
    const other = await world.createFirm('Firm Calm')
    const to = await world.customerOf(other)
    await fill(3)

    const answers = await Promise.all([post(), post({}, { by: other, to }), post()])

    expect(answers.map(({ status }) => status)).toEqual([429, 202, 429])
  })

  test('is still answered for: replies and what an operator sends again are queued', async () => {
    const match = { phone_number_id: firm.phoneNumberId }
    world.fault({ fault: 'error', code: 132001, http_status: 404, match, count: 1 })
    const dead = await world.send(firm, customer)
    await world.gateway.sendDue()
    const letters = await world.gateway.call(
      'GET',
      `/api/admin/whatsapp/dlq?tenant_id=${firm.id}&message_id=${dead}`,
      { key: operatorKey },
    )
    await echo('echo')
    await fill(3)

    const letter = `/api/admin/whatsapp/dlq/${letters.json.data[0].id}/requeue`
    const body = { reason: 'the template is there now' }
    expect((await world.gateway.call('POST', letter, { key: operatorKey, body })).status).toBe(200)
    await hear('wamid.while-full', 'Are you there?')

    expect((await post()).json.error.details).toEqual({ limit: 3, queued: 4 })
    await echo('off')
    await world.gateway.sendDue()
    expect((await world.read(firm, dead)).status).toBe('sent')
    expect(world.acceptedFor(customer).map(({ request }) => request)).toContainEqual(
      expect.objectContaining({ text: { body: 'Are you there?' } }),
    )
  })
})

describe('a limit of its own', () => {
  test('is given, changed and taken back by an operator', async () => {
    const made = await world.gateway.call('POST', '/api/admin/tenants', {
      key: operatorKey,
      body: { name: 'Firm Small', max_queued: 7 },
    })
    expect(made.json.max_queued).toBe(7)
    expect((await change({ max_queued: 1 })).json.max_queued).toBe(1)
    await fill(1)
    const refused = await post()
    expect(refused.json.error.details).toEqual({ limit: 1, queued: 1 })

    await change({ max_queued: 2 })
    await fill(1)
    expect((await post()).json.error.details).toEqual({ limit: 2, queued: 2 })

    expect((await change({ max_queued: null })).json.max_queued).toBeNull()
    await fill(1)
    expect((await post()).json.error).toMatchObject(refusal)
  })

  test.each([0, -1, 1.5, 1_000_001, '5'])('that is %j is refused by name', async (max_queued) => {
    const answer = await change({ max_queued })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.fields[0].field).toBe('max_queued')
  })
})

describe('what is known of the number of messages', () => {
  const know = (queued: number | null, recountAt: string) =>
    world.gateway.db.query(sql`
      update send_tenants set queued = ${queued}, recount_at = ${recountAt}::timestamptz
      where tenant_id = ${firm.id}`)

  test('is counted first where nobody has, as after an upgrade', async () => {
    await fill(3)
    await know(null, 'infinity')
    expect((await post()).json.error).toMatchObject(refusal)
  })

  test('is counted again when it is used up, but not for every one that is refused', async () => {
    await know(3, 'infinity')
    expect((await post()).json.error).toMatchObject(refusal)
    await know(3, '-infinity')
    expect((await post()).status).toBe(202)
  })
})
