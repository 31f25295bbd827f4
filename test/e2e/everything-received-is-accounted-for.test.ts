import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { reconcile } from '../../src/ops/reconcile.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../support/gateway.ts'
import { entry, fixture, payload, statusUpdate, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let firmA: TestTenant

beforeEach(async () => {
  gateway = await startTestGateway()
  firmA = await gateway.createTenant('Firm A', tenantANumber)
})

const admin = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/api/admin/whatsapp${path}`, {
    key: operatorKey,
    ...(body !== undefined && { body }),
  })

async function accounting(query = '') {
  const { status, json } = await admin('GET', `/accounting${query}`)
  expect(status).toBe(200)
  for (const account of [json.total, ...json.tenants]) {
    const ignored = Object.values(account.ignored as Record<string, number>)
    const parts = [
      account.messages,
      account.statuses,
      account.notices,
      account.duplicates,
      account.dead,
      ...ignored,
    ]
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(account.received)
    expect(account.adds_up).toBe(true)
  }
  return json
}

async function expectWhole() {
  const result = await reconcile(gateway.runtime.db.api)
  expect(result.differences).toEqual([])
  expect(result.adds_up).toBe(true)
}

/** Duplicates, junk, numbers of nobody, notices, and something to ignore. */
async function deliverEverything() {
  const nobody = { waba_id: '1', phone_number_id: '999' }
  const both = {
    object: 'whatsapp_business_account',
    entry: [
      entry({ messages: [textMessage('wamid.1', 'again'), textMessage('wamid.2', 'new')] }),
      entry({ number: tenantBNumber, messages: [textMessage('wamid.b1', 'for firm B')] }),
      entry({ number: nobody, messages: [textMessage('wamid.n1', 'x'), { no: 'id' }] }),
      entry({}),
    ],
  }
  await gateway.deliver(payload({ messages: [textMessage('wamid.1', 'first')] }))
  await gateway.deliver(both)
  await gateway.deliver(
    payload({ statuses: [statusUpdate('wamid.s1', 'sent'), statusUpdate('wamid.s1', 'sent')] }),
  )
  await gateway.deliver('{ not json')
  await gateway.deliver(fixture('077-template-status-approved.json'))
  await gateway.deliver(payload({ messages: [{ id: '' }, textMessage('wamid.3', 'good')] }))
  await gateway.drain()
}

describe('everything received is accounted for', () => {
  test('after duplicates, junk and numbers of nobody; then connecting, requeueing and replaying', async () => {
    await deliverEverything()

    const before = await accounting()
    expect(before.total).toMatchObject({
      received: 13,
      messages: 3,
      statuses: 1,
      notices: 1,
      duplicates: 2,
      ignored: { nothing_in_it: 1 },
      dead: 5,
      pending: 0,
      webhooks: { done: 6, failed: 0, pending: 0 },
    })
    await expectWhole()

    // Firm B is connected: its item goes through when the event is processed again, whoever asked for it.
    const firmB = await gateway.createTenant('Firm B', tenantBNumber)
    const letters = await admin('GET', '/dlq?kind=unroutable')
    const stranger = letters.json.data.find(
      (one: { phone_number_id: string }) => one.phone_number_id === '999',
    )
    await admin('POST', `/dlq/${stranger.id}/requeue`, { reason: 'try again' })
    expect((await accounting()).total).toMatchObject({ pending: 1 })
    await expectWhole()
    await gateway.drain()

    const after = await accounting()
    expect(after.total).toMatchObject({ received: 13, messages: 4, dead: 4, pending: 0 })
    expect(
      after.tenants.find((one: { tenant_id: string }) => one.tenant_id === firmB.id),
    ).toMatchObject({ received: 1, messages: 1 })
    await expectWhole()

    const everything = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
    await admin('POST', '/events/replay', { ...everything, reason: 'prove it', dry_run: false })
    expect((await accounting()).total).toMatchObject({ received: 0, pending: 6 })
    await expectWhole()
    await gateway.drain()
    expect(await accounting()).toEqual(after)
    await expectWhole()
  })

  test('an item that went through with its neighbour’s requeue leaves no open dead letter', async () => {
    const messages = [textMessage('wamid.b1', 'one'), textMessage('wamid.b2', 'two')]
    await gateway.deliver(payload({ number: tenantBNumber, messages }))
    await gateway.drain()
    await gateway.createTenant('Firm B', tenantBNumber)
    const [first, second] = (await admin('GET', '/dlq')).json.data

    await admin('POST', `/dlq/${first.id}/requeue`, { reason: 'connected' })
    await gateway.drain()

    expect((await admin('GET', '/dlq')).json.data).toEqual([])
    const closed = await admin('GET', `/dlq/${second.id}`)
    expect(closed.json).toMatchObject({ state: 'requeued', decided_by: 'estafet' })
    await expectWhole()
  })

  test('after an event that failed as a whole, and its replay', async () => {
    await gateway.deliver(payload({ messages: [textMessage('wamid.x', 'x')] }))
    const ids = await gateway.db.query(sql<{ id: string }>`
      update whatsapp_webhook_events set attempt = 10 returning id`)
    await gateway.drain({ maxAttempts: 10 })
    expect((await accounting()).total).toMatchObject({
      received: 1,
      dead: 1,
      webhooks: { done: 0, failed: 1, pending: 0 },
    })
    await expectWhole()

    const everything = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
    await admin('POST', '/events/replay', { ...everything, reason: 'mended', dry_run: false })
    await gateway.drain()
    expect(ids).toHaveLength(1)
    expect((await accounting()).total).toMatchObject({ received: 1, messages: 1, dead: 0 })
    expect((await admin('GET', '/dlq')).json.data).toEqual([])
    await expectWhole()
  })

  test('after an item was discarded, which stays out when its neighbour goes through', async () => {
    const messages = [textMessage('wamid.b1', 'one'), textMessage('wamid.b2', 'two')]
    await gateway.deliver(payload({ number: tenantBNumber, messages }))
    await gateway.drain()
    const [first, second] = (await admin('GET', '/dlq')).json.data
    await admin('POST', `/dlq/${first.id}/discard`, { reason: 'not needed' })
    await expectWhole()
    await gateway.createTenant('Firm B', tenantBNumber)
    await admin('POST', `/dlq/${second.id}/requeue`, { reason: 'connected' })
    await gateway.drain()
    expect((await accounting()).total).toMatchObject({ received: 2, messages: 1, dead: 1 })
    await expectWhole()
  })

  test('a webhook that cannot be read is not lost when its first attempt fails', async () => {
    await gateway.deliver('{ not json')
    let fails = true
    await gateway.drain({
      beforeApply: () => {
        if (!fails) return
        fails = false
        throw new Error('the first attempt goes wrong')
      },
    })
    await expectWhole()
    const later = new Date(Date.now() + 600_000)
    await gateway.drain({ queueNow: () => later })

    expect((await accounting()).total).toMatchObject({ received: 1, dead: 1, pending: 0 })
    expect((await admin('GET', '/dlq?kind=malformed')).json.data).toHaveLength(1)
    await expectWhole()
  })

  test('by time and tenant', async () => {
    await deliverEverything()
    const none = await accounting('?from=2100-01-01T00:00:00Z')
    expect(none).toMatchObject({ total: { received: 0 }, tenants: [] })
    const mine = await accounting(`?tenant_id=${firmA.id}`)
    expect(mine.tenants).toHaveLength(1)
    expect(mine.total.received).toBe(mine.tenants[0].received)
    expect(mine.total.received).toBeGreaterThan(0)
    const unknown = await accounting('?tenant_id=00000000-0000-4000-8000-000000000000')
    expect(unknown.total.received).toBe(0)
    expect((await admin('GET', '/accounting?from=yesterday')).status).toBe(400)
    const asTenant = await gateway.call('GET', '/api/admin/whatsapp/accounting', {
      key: firmA.key,
    })
    expect(asTenant.status).toBe(403)
  })

  test('while webhooks wait they are pending, and nobody’s are told apart', async () => {
    await gateway.deliver(payload({ messages: [textMessage('wamid.w', 'x')] }))
    const { total, tenants } = await accounting()
    expect(total).toMatchObject({ received: 0, pending: 1 })
    expect(tenants).toMatchObject([{ tenant_id: firmA.id, pending: 1 }])
  })
})

describe('reconcile names', () => {
  async function differences() {
    const result = await reconcile(gateway.runtime.db.api)
    expect(result.adds_up).toBe(result.differences.length === 0)
    return result.differences
  }

  beforeEach(async () => {
    await deliverEverything()
    await expectWhole()
  })

  test('a deleted message', async () => {
    await gateway.db.query(sql`delete from whatsapp_messages where wamid = 'wamid.2'`)
    expect(await differences()).toMatchObject([
      {
        kind: 'messages',
        tenant_id: firmA.id,
        message: 'its outcome tells of 1 messages, the table has 0',
      },
    ])
  })

  test('a deleted status and a deleted notice', async () => {
    await gateway.db.query(sql`delete from whatsapp_message_statuses`)
    await gateway.db.query(sql`delete from whatsapp_account_events`)
    expect((await differences()).map((one) => one.kind).sort()).toEqual(['notices', 'statuses'])
  })

  test('a message that nothing tells of', async () => {
    await gateway.db.query(sql`
      update whatsapp_messages set event_id = gen_random_uuid() where wamid = 'wamid.2'`)
    expect((await differences()).map((one) => one.message).sort()).toEqual([
      'its outcome tells of 0 messages, the table has 1',
      'its outcome tells of 1 messages, the table has 0',
    ])
  })

  test('a deleted dead letter', async () => {
    await gateway.db.query(sql`delete from dead_letters where kind = 'unroutable'`)
    const [first, ...others] = await differences()
    expect(first).toMatchObject({ kind: 'dead' })
    expect(others).toEqual([])
  })

  test.each([
    ['a number that was raised', '{"received": 2}'],
    ['a number that is none', '{"received": "many"}'],
    ['a number that is gone', '{"dead": null}'],
    ['ignored that is no list', '{"ignored": 7}'],
  ])('%s', async (_title, change) => {
    await gateway.db.query(sql`
      update whatsapp_webhook_events
      set outcome = jsonb_build_object(${firmA.id}::text, (outcome -> ${firmA.id}::text) || ${change}::jsonb)
      where inbound_event_id = 'wamid.1' and single_item_of is not null`)
    const found = await differences()
    expect(found.map((one) => one.kind)).toContain('outcome')
    expect((await admin('GET', '/accounting')).status).toBe(200)
  })

  test.each([['null'], ['"nothing"'], ['[]']])('an outcome that became %s', async (outcome) => {
    await gateway.db.query(sql`
      update whatsapp_webhook_events set outcome = ${outcome}::jsonb
      where inbound_event_id = 'wamid.1' and single_item_of is not null`)
    expect((await differences()).map((one) => one.kind).sort()).toEqual(['messages', 'outcome'])
  })

  test('numbers that were moved between kinds, though they add up', async () => {
    await gateway.db.query(sql`
      update whatsapp_webhook_events
      set outcome = jsonb_build_object(${firmA.id}::text,
        (outcome -> ${firmA.id}::text) || '{"messages": 0, "duplicates": 1}')
      where inbound_event_id = 'wamid.1' and single_item_of is not null`)
    expect(await differences()).toMatchObject([{ kind: 'messages' }])
  })
})
