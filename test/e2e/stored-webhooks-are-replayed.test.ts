import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { replayEvents } from '../../src/ops/replay.ts'
import {
  countRows,
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../support/gateway.ts'
import { entry, payload, statusUpdate, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let firmA: TestTenant
let firmB: TestTenant

const everything = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

beforeEach(async () => {
  gateway = await startTestGateway()
  firmA = await gateway.createTenant('Firm A', tenantANumber)
  firmB = await gateway.createTenant('Firm B', tenantBNumber)
  await gateway.deliver(payload({ messages: [textMessage('wamid.a1', 'one')] }))
  await gateway.deliver(payload({ statuses: [statusUpdate('wamid.a2', 'sent')] }))
  await gateway.deliver(
    payload({ number: tenantBNumber, messages: [textMessage('wamid.b1', 'two')] }),
  )
  await gateway.deliver({
    object: 'whatsapp_business_account',
    entry: [
      entry({ number: tenantBNumber, messages: [textMessage('wamid.b2', 'x')] }),
      entry({ messages: [textMessage('wamid.a3', 'y')] }),
    ],
  })
  await gateway.drain()
})

const replay = (body: unknown) =>
  gateway.call('POST', '/api/admin/whatsapp/events/replay', { key: operatorKey, body })

async function states() {
  const rows = await gateway.db.query(sql<{ status: string; count: number }>`
    select status, count(*)::int as count from whatsapp_webhook_events group by status`)
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

async function replays() {
  const { json } = await gateway.call('GET', '/api/admin/audit', { key: operatorKey })
  return json.data.filter((act: { action: string }) => act.action === 'events.replayed')
}

describe('stored webhooks are replayed', () => {
  test('unless told otherwise it only says what it would do', async () => {
    const answer = await replay({ ...everything, reason: 'let us see' })
    expect(answer.json).toEqual({
      dry_run: true,
      matched: 4,
      replayable: 4,
      pruned: 0,
      waiting: 0,
      replayed: 0,
      next: null,
    })
    expect(await states()).toEqual({ done: 4 })
    expect(await replays()).toEqual([])
  })

  test('nothing comes twice, and it is written down', async () => {
    const before = await countRows(gateway.db, 'whatsapp_messages')
    const conversations = await gateway.call('GET', '/api/whatsapp/conversations', {
      key: firmA.key,
    })

    const answer = await replay({ ...everything, reason: 'a bug was mended', dry_run: false })

    expect(answer.json).toMatchObject({ dry_run: false, matched: 4, replayed: 4, next: null })
    expect(await states()).toEqual({ pending: 4 })
    expect(await replays()).toMatchObject([
      { actor: 'alice', reason: 'a bug was mended', tenant_id: null, details: { count: 4 } },
    ])
    await gateway.drain()
    expect(await states()).toEqual({ done: 4 })
    expect(await countRows(gateway.db, 'whatsapp_messages')).toBe(before)
    const after = await gateway.call('GET', '/api/whatsapp/conversations', { key: firmA.key })
    expect(after.json).toEqual(conversations.json)
    const events = await gateway.db.query(sql<{ attempt: number; attempts_allowed: number }>`
      select attempt, attempts_allowed, attempts_before from whatsapp_webhook_events`)
    expect(events).toEqual(
      Array.from({ length: 4 }, () => ({ attempt: 2, attempts_allowed: 11, attempts_before: 1 })),
    )
  })

  test.each([
    ['a tenant, also where its item is not the first', () => ({ tenant_id: firmA.id }), 3],
    ['another tenant', () => ({ tenant_id: firmB.id }), 2],
    ['a number, wherever it stands', () => ({ phone_number_id: tenantANumber.phone_number_id }), 3],
    ['a number of nobody', () => ({ phone_number_id: '12345' }), 0],
    ['both', () => ({ tenant_id: firmA.id, phone_number_id: tenantBNumber.phone_number_id }), 1],
    ['a time with nothing in it', () => ({ to: '2021-01-01T00:00:00Z' }), 0],
  ])('only those of %s', async (_title, filter, count) => {
    const body = { ...everything, ...filter(), reason: 'why not' }
    expect((await replay(body)).json).toMatchObject({ matched: count, replayable: count })
    expect((await replay({ ...body, dry_run: false })).json).toMatchObject({ replayed: count })
    expect((await states()).pending ?? 0).toBe(count)
  })

  test('what has no payload any more is told, what waits is left alone', async () => {
    await gateway.db.query(sql`
      update whatsapp_webhook_events set raw = '', payload = null, pruned_at = now()
      where inbound_event_id = 'wamid.a1'`)
    await gateway.deliver(payload({ messages: [textMessage('wamid.a4', 'waits')] }))
    const answer = await replay({ ...everything, reason: 'why not', dry_run: false })
    expect(answer.json).toMatchObject({
      matched: 4,
      replayable: 3,
      pruned: 1,
      waiting: 1,
      replayed: 3,
    })
    await gateway.drain()
    expect(await states()).toEqual({ done: 5 })
    expect(await countRows(gateway.db, 'whatsapp_messages')).toBe(5)
  })

  test.each([
    [{ ...everything }, 'REASON_REQUIRED'],
    [{ ...everything, reason: ' ' }, 'REASON_REQUIRED'],
    [{ reason: 'x' }, 'INVALID_REQUEST'],
    [{ from: everything.to, to: everything.from, reason: 'x' }, 'INVALID_REQUEST'],
    [{ ...everything, reason: 'x', after: 'bm9uc2Vuc2U' }, 'INVALID_CURSOR'],
    [{ ...everything, reason: 'x', everything: true }, 'INVALID_REQUEST'],
  ])('%j is refused', async (body, code) => {
    const answer = await replay(body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(code)
    expect(await states()).toEqual({ done: 4 })
  })

  test('whoever waits is told how far it is', async () => {
    const told: number[][] = []
    const { runtime } = gateway
    await replayEvents(
      { ...runtime, db: runtime.db.api },
      {
        ...{ from: new Date(everything.from), to: new Date(everything.to), after: undefined },
        ...{ tenantId: null, phoneNumberId: null, reason: 'x', isDryRun: false, actor: 'cli' },
        onBatch: (...counts) => told.push(counts),
      },
    )
    expect(told).toEqual([[4, 4]])
  })

  test('tenants may not', async () => {
    const answer = await gateway.call('POST', '/api/admin/whatsapp/events/replay', {
      key: firmA.key,
      body: { ...everything, reason: 'x' },
    })
    expect(answer.status).toBe(403)
  })

  test('more than one call’s worth goes on at the cursor, each event once', async () => {
    await gateway.db.query(sql`
      insert into whatsapp_webhook_events
        (id, received_at, processed_at, status, attempt, next_run_at, raw, payload, inbound_event_id, correlation_id,
         outcome)
      select uuidv7(make_interval(secs => -(n % 7))), now() - make_interval(secs => n % 7), now(), 'done', 1, now(), '{}', '{}', 'many',
        gen_random_uuid(), '{}'
      from generate_series(1, 10600) as n`)
    const { runtime } = gateway
    const order = {
      from: new Date(everything.from),
      to: new Date(everything.to),
      tenantId: null,
      phoneNumberId: null,
      reason: 'many',
      isDryRun: false,
      actor: 'test',
    }
    const replayer = { ...runtime, db: runtime.db.api }
    const first = await replayEvents(replayer, { ...order, after: undefined })
    expect(first).toMatchObject({ matched: 10_604, replayed: 10_000 })
    const second = await replayEvents(replayer, { ...order, after: first.next ?? '' })
    expect(second).toMatchObject({ replayed: 604, next: null })
    expect(await states()).toEqual({ pending: 10_604 })
  })
})
