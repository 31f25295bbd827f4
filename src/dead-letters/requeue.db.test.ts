import { beforeAll, describe, expect, test } from 'vitest'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'
import { holdEvents } from '../inbox/queries.ts'

let gateway: TestGateway
let tenant: TestTenant
let counter = 0

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

const admin = '/api/admin/whatsapp/dlq'
const operator = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `${admin}${path}`, { key: operatorKey, body })

async function deliverMalformed() {
  counter++
  await gateway.deliver(payload({ messages: [{ from: '1', text: { body: `none ${counter}` } }] }))
  await gateway.drain()
  const { json } = await operator('GET', '?limit=1')
  return eventOf(json.data[0].id)
}

async function eventOf(letterId: string) {
  const [event] = await gateway.db.query(sql<{ id: string; attempt: number }>`
    select e.id, e.attempt
    from dead_letters d join whatsapp_webhook_events e on e.id = d.event_id
    where replace(d.id::text, '-', '') = ${letterId.slice(4)}`)
  if (!event) throw new Error('the letter has an event')
  return { letterId, event }
}

async function readEvent(id: string) {
  const [row] = await gateway.db.query(sql<Record<string, unknown>>`
    select status, attempt, attempts_allowed, processed_at, last_error
    from whatsapp_webhook_events where id = ${id}`)
  return row
}

describe('a requeue', () => {
  test('puts the event back with ten more attempts', async () => {
    const { letterId, event } = await deliverMalformed()

    const answer = await operator('POST', `/${letterId}/requeue`, { reason: 'mended' })

    expect(answer.json).toMatchObject({
      id: letterId,
      state: 'requeued',
      decided_by: 'alice',
      decision_reason: 'mended',
      decided_at: expect.any(String),
    })
    expect(await readEvent(event.id)).toMatchObject({
      status: 'pending',
      attempt: 1,
      attempts_allowed: 11,
      processed_at: null,
    })
    await gateway.drain()
  })

  test('an event whose attempts are used up gets through after a requeue', async () => {
    await gateway.deliver(payload({ messages: [textMessage('wamid.exhausted', 'at last')] }))
    await gateway.db.query(sql`
      update whatsapp_webhook_events set attempt = 10, last_error = 'it crashed' where status = 'pending'`)
    await gateway.drain()
    const { json } = await operator('GET', '?kind=inbound&limit=1')
    const [letter] = json.data
    expect(letter).toMatchObject({ error_code: 'RETRIES_EXHAUSTED', tenant_id: null })
    const { event } = await eventOf(letter.id)
    expect(await readEvent(event.id)).toMatchObject({ status: 'failed', attempt: 11 })

    await operator('POST', `/${letter.id}/requeue`, { reason: 'the crash is mended' })
    expect(await readEvent(event.id)).toMatchObject({
      attempts_allowed: 21,
      last_error: expect.any(String),
    })
    await gateway.drain()

    expect(await readEvent(event.id)).toMatchObject({ status: 'done', attempt: 12 })
    const [message] = await gateway.db.query(
      sql`select tenant_id from whatsapp_messages where wamid = 'wamid.exhausted'`,
    )
    expect(message).toEqual({ tenant_id: tenant.id })
  })

  test('takes the event away from a worker that may be past the item', async () => {
    const { letterId, event } = await deliverMalformed()
    const [claimed] = await gateway.db.query(sql<{ id: string; attempt: number }>`
      update whatsapp_webhook_events
      set status = 'processing', processed_at = null, attempt = attempt + 1, next_run_at = now() + interval '20 s'
      where id = ${event.id}
      returning id, attempt`)

    await operator('POST', `/${letterId}/requeue`, { reason: 'mended' })

    const held = await gateway.db.transaction((tx) => holdEvents(tx, claimed ? [claimed] : []))
    expect(held.size).toBe(0)
    await gateway.drain()
    const { json } = await operator('GET', '?limit=1')
    expect(json.data[0].id).not.toBe(letterId)
  })

  test('waits for a worker that is at it, and does not lock it out', async () => {
    const { letterId, event } = await deliverMalformed()
    let requeued: Promise<{ status: number }> | undefined
    await gateway.db.transaction(async (tx) => {
      await tx.query(sql`select from whatsapp_webhook_events where id = ${event.id} for update`)
      requeued = operator('POST', `/${letterId}/requeue`, { reason: 'mended' })
      await somebodyWaits()
      // The worker's own look at the place, while somebody decides on it.
      await tx.query(sql`
        insert into dead_letters (id, kind, event_id, item_path, error_code, error_message, raw, created_at)
        select gen_random_uuid(), kind, event_id, item_path, error_code, error_message, raw, now()
        from dead_letters where event_id = ${event.id}
        on conflict (event_id, item_path) where state = 'open' do nothing`)
    })
    expect((await requeued)?.status).toBe(200)
    await gateway.drain()
  })

  test('without its bytes is 409 PAYLOAD_PRUNED; it can still be discarded', async () => {
    const { letterId, event } = await deliverMalformed()
    await gateway.db.query(
      sql`update whatsapp_webhook_events set pruned_at = now(), raw = '' where id = ${event.id}`,
    )

    const answer = await operator('POST', `/${letterId}/requeue`, { reason: 'mended' })
    expect(answer.status).toBe(409)
    expect(answer.json.error.code).toBe('PAYLOAD_PRUNED')
    const bulk = await operator('POST', '/requeue', { ids: [letterId], reason: 'mended' })
    expect(bulk.json).toMatchObject({ matched: 1, decided: 0, remaining: 0 })
    expect(bulk.json.skipped.payload_pruned).toBe(1)
    expect((await operator('GET', `/${letterId}`)).json.event.is_pruned).toBe(true)
    const discarded = await operator('POST', `/${letterId}/discard`, { reason: 'too late' })
    expect(discarded.json.state).toBe('discarded')
    await gateway.db.query(
      sql`update whatsapp_webhook_events set pruned_at = null where id = ${event.id}`,
    )
  })
})

/** Until the requeue is seen waiting for the event's lock. */
async function somebodyWaits(): Promise<void> {
  for (;;) {
    const [row] = await gateway.db.query(sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%whatsapp_webhook_events%'`)
    if ((row?.count ?? 0) > 0) return
  }
}
