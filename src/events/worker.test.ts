import { beforeAll, describe, expect, test } from 'vitest'
import { startEventReceiver } from '../../test/support/event-receiver.ts'
import { until } from '../../test/support/program.ts'
import { startTelling, type Telling } from '../../test/support/telling.ts'
import { sql } from '../db/connect.ts'
import { deliveryWorkerOptions } from '../workers.ts'
import { createDeliveryWorker, createEventRouter } from './worker.ts'

let telling: Telling

beforeAll(async () => {
  telling = await startTelling()
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
