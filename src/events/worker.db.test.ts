import { beforeAll, describe, expect, test } from 'vitest'
import { startEventReceiver } from '../../test/support/event-receiver.ts'
import { until } from '../../test/support/program.ts'
import { startTelling, type Telling } from '../../test/support/telling.ts'
import { DatabaseUnavailable, type Sql, sql } from '../db/connect.ts'
import { deliveryWorkerOptions } from '../workers.ts'
import { createDeliveryWorker, createEventRouter } from './worker.ts'

let telling: Telling

beforeAll(async () => {
  telling = await startTelling()
})

test('a claim whose answer is lost after the commit is given back, unspent, while the process lives on', async () => {
  const { runtime, db } = telling.gateway
  const firm = await telling.createFirm()
  const app = await startEventReceiver()
  await telling.createEndpoint(firm, app.url)
  await telling.write(firm, '16505550252')
  await createEventRouter({ db: runtime.db.work, onRouted: () => undefined }).runDue()
  const options = deliveryWorkerOptions(runtime)
  let isLost = true
  const worker = createDeliveryWorker({
    ...options,
    db: {
      ...options.db,
      query: async <Row>(statement: Sql<Row>) => {
        const rows = await options.db.query(statement)
        if (!isLost || !statement.text.includes('delivery_claim')) return rows
        isLost = false
        throw new DatabaseUnavailable(new Error('the answer is lost'))
      },
    },
  })
  await expect(worker.runDue()).rejects.toThrow(DatabaseUnavailable)
  await db.query(sql`
    update event_deliveries set updated_at = now() - interval '1 minute' where status = 'running'`)
  await worker.tidy()
  expect(await worker.runDue()).toBe(1)
  await worker.idle?.()
  await worker.stop()

  const rows = await db.query(sql`
    select d.status, d.attempts, count(a.id)::int as calls
    from event_deliveries d
    left join event_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
    where d.tenant_id = ${firm.id}
    group by d.status, d.attempts`)
  expect(rows).toEqual([{ status: 'done', attempts: 0, calls: 1 }])
  expect(app.calls).toHaveLength(1)
})

describe('a worker that stops', () => {
  test('waits for no endpoint that hangs, and leaves its event to others, unspent', async () => {
    const { runtime, db } = telling.gateway
    const firm = await telling.createFirm()
    const app = await startEventReceiver()
    app.react({ hangs: true })
    const { id } = await telling.createEndpoint(firm, app.url)
    await telling.write(firm, '16505550251')
    await createEventRouter({ db: runtime.db.work, onRouted: () => undefined }).runDue()
    const worker = createDeliveryWorker({ ...deliveryWorkerOptions(runtime), farewellMs: 10 })
    expect(await worker.runDue()).toBe(1)
    await until('it is called', () => app.calls.length === 1)

    await worker.stop()

    const [row] = await db.query(sql<{ status: string; attempts: number; last_error: string }>`
      select status, attempts, last_error from event_deliveries where tenant_id = ${firm.id}`)
    expect(row).toEqual({ status: 'pending', attempts: 0, last_error: 'STOPPED' })
    const endpoint = await telling.read(firm, `/api/whatsapp/event-endpoints/${id}`)
    expect(endpoint.failing_since).toBeNull()
    expect(await db.query(sql`select from send_workers`)).toEqual([])
  })
})

describe('a worker with nothing to do', () => {
  test('takes no lease', async () => {
    const { runtime, db } = telling.gateway
    await db.query(sql`delete from event_deliveries`)
    await db.query(sql`update event_tenants set next_at = 'infinity'`)
    const worker = createDeliveryWorker(deliveryWorkerOptions(runtime))

    expect(await worker.runDue()).toBe(0)
    expect(await db.query(sql`select from send_workers`)).toEqual([])
    await worker.stop()
  })
})
