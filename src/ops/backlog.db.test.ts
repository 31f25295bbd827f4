import { beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'
import { readBacklog, sampleBacklogs } from './backlog.ts'

const clock = createTestClock()
let gateway: TestGateway
let tenant: TestTenant

const read = (limit: number) => readBacklog(gateway.runtime.db.api, 'sends', clock.now(), limit)

async function send(to: string): Promise<void> {
  const { status } = await gateway.call('POST', '/api/whatsapp/meta/send', {
    key: tenant.key,
    body: { to, type: 'template', template: { name: 'hello', language: { code: 'en' } } },
  })
  expect(status).toBe(202)
}

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  tenant = await gateway.createTenant('Firm A', tenantANumber)
  await send('16505550101')
  await send('16505550101')
  await send('16505550102')
  await send('16505550103')
  await gateway.db.query(sql`
    update whatsapp_send_outbox set due_at = now() - interval '5 s', next_run_at = now() - interval '5 s'`)
  await gateway.db.query(sql`update whatsapp_accounts set token_set_at = now() - interval '1 day'`)
  await gateway.db.query(sql`update send_tenants set next_at = now() - interval '5 s'`)
})

describe('what waits to be sent', () => {
  test('is told by why it waits, and since when', async () => {
    await gateway.db.query(sql`
      update whatsapp_send_outbox
      set attempts = 1, next_run_at = now() + interval '1 hour'
      where payload ->> 'to' like '%16505550103'`)
    const { json } = await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
    expect(json).toMatchObject({
      outbox_pending_count: 4,
      sends_by_state: {
        runnable: { count: 2, oldest_seconds: expect.any(Number) },
        behind: { count: 1, oldest_seconds: expect.any(Number) },
        retry_wait: { count: 1, oldest_seconds: expect.any(Number) },
      },
    })
    expect(json.oldest_pending_seconds).toBeGreaterThanOrEqual(5)
    expect(json.tenants[0].sends_by_state).toEqual(json.sends_by_state)
  })

  test.each([
    ['throttled', sql`update send_numbers set hold_until = now() + interval '1 hour'`],
    ['parked', sql`update send_numbers set hold_until = 'infinity'`],
    ['circuit_open', sql`update send_numbers set circuit_open = true`],
  ])('is %s with its number', async (state, hold) => {
    await gateway.db.query(hold)
    expect((await read(100)).rows).toMatchObject([{ tenantId: tenant.id, state, count: 4 }])
    await gateway.db.query(sql`
      update send_numbers set hold_until = '-infinity', circuit_open = false`)
  })

  test.each([
    ['a hold', sql`update send_numbers set hold_until = now() - interval '1 s'`],
    ['an outage of its number', sql`update send_numbers set trial_at = now() - interval '1 s'`],
    ['an outage of Meta', sql`update send_host set trial_at = now() - interval '1 s'`],
    ['the last turn of its tenant', sql`update send_tenants set next_at = now() - interval '1 s'`],
    ['a lost token', sql`update whatsapp_accounts set token_set_at = now() - interval '1 s'`],
  ])('could leave since %s was over, not since it was due', async (_what, end) => {
    const { db } = gateway
    const ageOf = async (state: string) =>
      (await read(100)).rows.find((row) => row.state === state)?.oldestSeconds
    await db.query(sql`update whatsapp_send_outbox set due_at = now() - interval '1 hour'`)
    expect(await ageOf('runnable')).toBeLessThan(3000)
    await db.query(sql`
      update whatsapp_send_outbox set next_run_at = now() - interval '1 hour' where attempts = 0`)
    await db.query(sql`
      update whatsapp_send_outbox set updated_at = now() - interval '1 hour' where status = 'running'`)
    await db.query(sql`update send_tenants set next_at = now() - interval '1 hour'`)
    expect(await ageOf('runnable')).toBeGreaterThanOrEqual(3600)
    await db.query(end)
    expect(await ageOf('runnable')).toBeLessThan(3000)
    expect(await ageOf('behind')).toBeGreaterThanOrEqual(3600)
    await db.query(sql`update send_numbers set hold_until = '-infinity', trial_at = '-infinity'`)
    await db.query(sql`update send_host set trial_at = '-infinity'`)
    await db.query(sql`update whatsapp_accounts set token_set_at = now() - interval '1 day'`)
    await db.query(sql`
      update whatsapp_send_outbox set next_run_at = now() - interval '5 s' where attempts = 0`)
  })

  test('is parked with its tenant', async () => {
    await gateway.db.query(sql`update tenants set status = 'suspended'`)
    expect((await read(100)).rows).toMatchObject([{ state: 'parked', count: 4 }])
    await gateway.db.query(sql`update tenants set status = 'active'`)
  })
})

describe('a backlog too long to be counted each time', () => {
  test('is at least so long until somebody counts', async () => {
    const { rows, sampledAt } = await read(3)
    expect([rows, sampledAt]).toMatchObject([[{ state: 'not_counted_yet', count: 3 }], null])
    // And so old at least: where no worker counts, health must still tell of a standstill.
    expect(rows[0]?.oldestSeconds).toBeGreaterThanOrEqual(5)
  })

  test('is counted by the workers, and says when', async () => {
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 3 })
    const takenAt = clock.now()
    clock.advance(20_000)
    const { rows, sampledAt } = await read(3)
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(4)
    expect(Math.min(...rows.map((row) => row.oldestSeconds))).toBeGreaterThanOrEqual(20)
    expect(sampledAt).toEqual(takenAt)
  })

  test('is not counted again by the next worker a moment later', async () => {
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 3 })
    const before = (await read(3)).sampledAt
    expect(before).toEqual(clock.now())
    clock.advance(10_000)
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 3 })
    expect((await read(3)).sampledAt).toEqual(before)
    clock.advance(10_000)
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 3 })
    expect((await read(3)).sampledAt).toEqual(clock.now())
  })

  test('is not told of from an earlier day, when it was short in between', async () => {
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 4 })
    clock.advance(24 * 60 * 60 * 1000)
    const { rows, sampledAt } = await read(3)
    expect([rows, sampledAt]).toMatchObject([[{ state: 'not_counted_yet', count: 3 }], null])
    expect(rows[0]?.oldestSeconds).toBeLessThan(24 * 60 * 60)
  })

  test('of webhooks too', async () => {
    for (const id of ['wamid.1', 'wamid.2']) {
      await gateway.deliver(payload({ number: tenantANumber, messages: [textMessage(id, 'x')] }))
    }
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 1 })
    const { rows } = await readBacklog(gateway.runtime.db.api, 'events', clock.now(), 1)
    expect(rows).toMatchObject([{ tenantId: tenant.id, state: 'runnable', count: 2 }])
  })

  test('and of dead letters', async () => {
    const broken = [{ type: 'text' }, { type: 'image' }]
    await gateway.deliver(payload({ number: tenantANumber, messages: broken }))
    await gateway.drain()
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 1 })
    const { rows, sampledAt } = await readBacklog(gateway.runtime.db.api, 'letters', clock.now(), 1)
    expect(rows).toMatchObject([{ tenantId: tenant.id, state: 'malformed', count: 2 }])
    expect(sampledAt).toEqual(clock.now())
  })
})
