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
  // The queue goes by the database's clock: everything is due by the test's.
  await gateway.db.query(sql`
    update whatsapp_send_outbox set due_at = ${clock.now()}, next_run_at = ${clock.now()}`)
})

describe('what waits to be sent', () => {
  test('is told by why it waits, and since when', async () => {
    await gateway.db.query(sql`
      update whatsapp_send_outbox
      set attempts = 1, next_run_at = ${new Date(clock.now().getTime() + 60_000)}
      where lane = '16505550103'`)
    clock.advance(5_000)
    const { json } = await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
    expect(json).toMatchObject({
      outbox_pending_count: 4,
      oldest_pending_seconds: 5,
      sends_by_state: {
        runnable: { count: 2, oldest_seconds: 5 },
        behind: { count: 1, oldest_seconds: 5 },
        retry_wait: { count: 1, oldest_seconds: 5 },
      },
    })
    expect(json.tenants[0].sends_by_state).toEqual(json.sends_by_state)
  })

  test.each([
    ['throttled', sql`update send_numbers set hold_until = ${new Date('2026-03-02T00:00:00Z')}`],
    ['parked', sql`update send_numbers set hold_until = 'infinity'`],
  ])('is %s with its number', async (state, hold) => {
    await gateway.db.query(hold)
    expect((await read(100)).rows).toMatchObject([{ tenantId: tenant.id, state, count: 4 }])
    await gateway.db.query(sql`update send_numbers set hold_until = '-infinity'`)
  })

  test('is parked with its tenant', async () => {
    await gateway.db.query(sql`update tenants set status = 'suspended'`)
    expect((await read(100)).rows).toMatchObject([{ state: 'parked', count: 4 }])
    await gateway.db.query(sql`update tenants set status = 'active'`)
  })
})

describe('a backlog too long to be counted each time', () => {
  test('is at least so long until somebody counts', async () => {
    expect(await read(3)).toMatchObject({ rows: [{ count: 3 }], sampledAt: null })
  })

  test('is counted by the workers, and says when', async () => {
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 3 })
    const takenAt = clock.now()
    clock.advance(20_000)
    const { rows, sampledAt } = await read(3)
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(4)
    expect(rows.every((row) => row.oldestAt instanceof Date)).toBe(true)
    expect(sampledAt).toEqual(takenAt)
  })

  test('of webhooks too', async () => {
    for (const id of ['wamid.1', 'wamid.2']) {
      await gateway.deliver(payload({ number: tenantANumber, messages: [textMessage(id, 'x')] }))
    }
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work, shortRows: 1 })
    const { rows } = await readBacklog(gateway.runtime.db.api, 'events', clock.now(), 1)
    expect(rows).toMatchObject([{ tenantId: tenant.id, count: 2 }])
  })
})
