import { beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'

const clock = createTestClock()
let gateway: TestGateway
let a: TestTenant
let b: TestTenant

const readHealth = async () =>
  (await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })).json

const healthOf = async ({ key }: TestTenant) =>
  (await gateway.call('GET', '/api/whatsapp/health', { key })).json

const nothing = {
  webhook_events_pending_count: 0,
  outbox_pending_count: 0,
  outbox_failed_count: 0,
  dlq_count: 0,
  oldest_pending_seconds: null,
  oldest_dead_letter_seconds: null,
  events_by_state: {},
  sends_by_state: {},
}

async function receive(number: { waba_id: string; phone_number_id: string }, id: string) {
  const answer = await gateway.deliver(payload({ number, messages: [textMessage(id, 'hello')] }))
  expect(answer.status).toBe(200)
}

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  a = await gateway.createTenant('Firm A', tenantANumber)
  b = await gateway.createTenant('Firm B', tenantBNumber)
})

describe('health, in this order', () => {
  test('of a gateway at rest is ok, with a line for every tenant', async () => {
    expect(await readHealth()).toEqual({
      status: 'ok',
      reasons: [],
      troubles: [],
      ...nothing,
      oldest_webhook_seconds: 0,
      dead_letters_by_kind: {},
      counted_at: clock.now().toISOString(),
      send_success_rate_last_1h: null,
      sends_accepted_last_1h: 0,
      sends_decided_last_1h: 0,
      webhook_ack_p95_ms: null,
      inbound_processing_p95_ms: null,
      send_p95_ms: null,
      circuits_open: [],
      accounts_needing_reauth: [],
      numbers_count: 2,
      has_received: false,
      tenants: expect.toSatisfy(
        (tenants: { tenant_id: string }[]) =>
          JSON.stringify(tenants.toSorted(byTenant)) ===
          JSON.stringify(
            [a, b].map((one) => ({ tenant_id: one.id, ...nothing })).toSorted(byTenant),
          ),
      ),
    })
  })

  test('counts what waits, in total and per tenant, and how long the oldest has', async () => {
    await receive(tenantANumber, 'wamid.a1')
    clock.advance(20_000)
    await receive(tenantANumber, 'wamid.a2')
    await receive(tenantBNumber, 'wamid.b1')
    await receive({ waba_id: 'nobody', phone_number_id: 'nobody' }, 'wamid.n1')
    clock.advance(10_000)

    const health = await readHealth()

    expect(health).toMatchObject({
      status: 'ok',
      webhook_events_pending_count: 4,
      oldest_pending_seconds: 30,
    })
    expect(ofTenant(health, a)).toEqual({
      ...nothing,
      tenant_id: a.id,
      webhook_events_pending_count: 2,
      oldest_pending_seconds: 30,
      events_by_state: { runnable: { count: 2, oldest_seconds: 30 } },
    })
    expect(ofTenant(health, b)).toEqual({
      ...nothing,
      tenant_id: b.id,
      webhook_events_pending_count: 1,
      oldest_pending_seconds: 10,
      events_by_state: { runnable: { count: 1, oldest_seconds: 10 } },
    })
  })

  test('is down when nothing seems to be processed at all', async () => {
    clock.jump(600_000)
    expect(await readHealth()).toMatchObject({ status: 'down' })
    clock.jump(-600_000)
  })

  test('is degraded, and says why, when something has waited for more than a minute', async () => {
    clock.advance(31_000)

    expect(await readHealth()).toMatchObject({
      status: 'degraded',
      reasons: ['a webhook has been waiting for 61 s'],
    })
  })

  test('is not down for a webhook that fails again and again while the others go through', async () => {
    const { db } = gateway
    await db.query(sql`
      update whatsapp_webhook_events
      set status = 'pending', attempt = 9, next_run_at = now() + interval '5 minutes'
      where status <> 'done'`)
    clock.jump(1_000_000)
    expect(await readHealth()).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining('a webhook is being retried')],
      events_by_state: { retry_wait: { count: 4 } },
    })
    // Whoever had it is gone: nothing but a worker is missing to it.
    await db.query(sql`
      update whatsapp_webhook_events
      set status = 'processing', next_run_at = now() - interval '700 s'
      where status <> 'done'`)
    expect(await readHealth()).toMatchObject({
      status: 'down',
      events_by_state: { runnable: { count: 4 } },
    })
    clock.jump(-1_000_000)
    await db.query(sql`
      update whatsapp_webhook_events set status = 'pending', attempt = 0, next_run_at = now() where status <> 'done'`)
  })

  test('never shows a negative age when the clocks of two processes differ', async () => {
    clock.jump(-1_000_000)
    expect(await readHealth()).toMatchObject({ oldest_pending_seconds: 0 })
    clock.jump(1_000_000)
  })

  test('counts dead letters, also those of nobody, until somebody decides', async () => {
    await gateway.drain()
    expect(await readHealth()).toMatchObject({
      status: 'ok',
      webhook_events_pending_count: 0,
      oldest_pending_seconds: null,
      dlq_count: 1,
    })

    await gateway.deliver(
      payload({ number: tenantANumber, messages: [{ from: '16505550143', type: 'text' }] }),
    )
    await gateway.drain()
    clock.advance(5_000)
    const after = await readHealth()
    expect(after).toMatchObject({ dlq_count: 2, oldest_dead_letter_seconds: 5 })
    expect(ofTenant(after, a)).toMatchObject({ dlq_count: 1, oldest_dead_letter_seconds: 5 })
    expect(ofTenant(after, b)).toMatchObject({ dlq_count: 0, oldest_dead_letter_seconds: null })

    await gateway.db.query(sql`
      update dead_letters
      set state = 'discarded', decided_at = now(), decided_by = 'test', decision_reason = 'test'`)
    expect(await readHealth()).toMatchObject({ dlq_count: 0 })
  })

  test('is degraded when a tenant has more open dead letters than the threshold', async () => {
    const broken = Array.from({ length: 10 }, () => ({ from: '16505550143', type: 'text' }))
    await gateway.deliver(payload({ number: tenantANumber, messages: broken }))
    await gateway.drain()
    expect(await readHealth()).toMatchObject({ status: 'ok', reasons: [], dlq_count: 10 })

    await gateway.deliver(payload({ number: tenantANumber, messages: [{ type: 'text' }] }))
    await gateway.drain()
    expect(await readHealth()).toMatchObject({
      status: 'degraded',
      reasons: ['1 tenant(s) have more than 10 open dead letters'],
    })
    await gateway.db.query(sql`
      update dead_letters
      set state = 'discarded', decided_at = now(), decided_by = 'test', decision_reason = 'test'
      where state = 'open'`)
  })

  test('names the accounts that a person must reconnect', async () => {
    await gateway.db.query(sql`
      update whatsapp_accounts
      set auth_status = 'needs_reauth', auth_last_error = 'expired'
      where phone_number_id = ${tenantBNumber.phone_number_id}`)

    expect(await readHealth()).toMatchObject({
      status: 'degraded',
      reasons: ['1 account(s) need to be reconnected'],
      accounts_needing_reauth: [
        {
          account_id: expect.stringMatching(/^acc_[0-9a-f]{32}$/),
          tenant_id: b.id,
          phone_number_id: tenantBNumber.phone_number_id,
          display_phone_number: '+1 555-0100',
        },
      ],
    })
  })

  test('tells a tenant of its own part, in the same words', async () => {
    await receive(tenantANumber, 'wamid.a3')
    const { tenants, ...whole } = await readHealth()
    const [ofA, ofB] = await Promise.all([healthOf(a), healthOf(b)])

    expect(Object.keys(ofA).toSorted()).toEqual(Object.keys(whole).toSorted())
    expect(ofA).toMatchObject({
      status: 'ok',
      troubles: [],
      webhook_events_pending_count: 1,
      accounts_needing_reauth: [],
      numbers_count: 1,
      has_received: true,
    })
    expect(ofB).toMatchObject({
      status: 'degraded',
      troubles: [{ code: 'reauth_needed', count: 1, seconds: null }],
      webhook_events_pending_count: 0,
      accounts_needing_reauth: [{ tenant_id: b.id }],
    })
    await gateway.drain()
  })
})

describe('the probes', () => {
  test('say that the process is alive and ready', async () => {
    expect((await gateway.call('GET', '/healthz')).json).toEqual({ status: 'alive' })
    expect((await gateway.call('GET', '/readyz')).json).toEqual({ status: 'ready', problems: [] })
  })
})

describe('the metrics', () => {
  test('are for operators only', async () => {
    const nobody = await gateway.call('GET', '/metrics')
    const tenant = await gateway.call('GET', '/metrics', { key: a.key })
    const operator = await gateway.call('GET', '/metrics', { key: operatorKey })

    expect([nobody.status, tenant.status, operator.status]).toEqual([401, 403, 200])
    expect(operator.headers.get('content-type')).toContain('text/plain')
    expect(operator.text).toContain('estafet_webhook_requests_total{outcome="accepted"}')
  })
})

type TenantLine = { tenant_id: string }

function ofTenant(health: { tenants: TenantLine[] }, tenant: TestTenant) {
  return health.tenants.find((one) => one.tenant_id === tenant.id)
}

function byTenant(one: TenantLine, other: TenantLine): number {
  return one.tenant_id < other.tenant_id ? -1 : 1
}
