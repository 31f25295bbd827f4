// A status and the message it belongs to, written at the same moment by two transactions. Each statement of each of them
// waits for the schedule's word, so every way they can overlap is tried, and in every one the message ends up raised.
import { beforeAll, describe, expect, test } from 'vitest'
import { createActor, finishAll } from '../../test/support/actors.ts'
import { createTestDb } from '../../test/support/database.ts'
import { insertOutbound, insertTenant } from '../../test/support/outbound.ts'
import { type Db, sql, type Tx } from '../db/connect.ts'
import { applyStatuses, expectEarlyStatuses, joinEarlyStatuses } from './apply-status.ts'

let db: Db
let tenantId: string

beforeAll(async () => {
  db = (await createTestDb()).db
  tenantId = await insertTenant(db)
})

const createTransaction = (work: (tx: Tx) => Promise<unknown>) =>
  createActor(db, (paused) => paused.transaction(work))

const receive = (wamid: string) =>
  createTransaction((tx) =>
    applyStatuses(tx, [
      {
        tenantId,
        wamid,
        status: 'delivered',
        participant: '',
        phoneNumberId: '1',
        occurredAt: new Date(),
        receivedAt: new Date(),
        details: {},
        eventId: '00000000-0000-4000-8000-000000000001',
        correlationId: '00000000-0000-4000-8000-000000000002',
      },
    ]),
  )

const send = (message: string, wamid: string) =>
  createTransaction(async (tx) => {
    await expectEarlyStatuses(tx, [{ tenantId, wamid }])
    await tx.query(sql`update whatsapp_messages set wamid = ${wamid}, status = 'sent'
      where tenant_id = ${tenantId} and id = ${message}`)
    await joinEarlyStatuses(tx, [{ tenantId, wamid }])
  })

describe.each(['status', 'message'])('I6: the %s begins', (first) => {
  // A status takes six statements with its commit, a message up to five.
  const [own, others] = first === 'status' ? [6, 5] : [5, 6]

  test.each(Array.from({ length: own + 1 }, (_, steps) => steps))(
    'and is interrupted after %i statements: they find each other',
    async (steps) => {
      for (let foreign = 1; foreign <= others; foreign++) {
        const wamid = `${first} ${steps} ${foreign}`
        const message = await insertOutbound(db, { tenantId, wamid: null })
        const [status, sending] = [await receive(wamid), await send(message, wamid)]
        const [one, other] = first === 'status' ? [status, sending] : [sending, status]

        for (let step = 0; step < steps; step++) await one.step()
        for (let step = 0; step < foreign; step++) await other.step()
        await finishAll([one, other])

        const [row] = await db.query(
          sql<{ status: string }>`select status from whatsapp_messages where wamid = ${wamid}`,
        )
        expect(row?.status, `after ${steps} and ${foreign} statements`).toBe('delivered')
      }
    },
  )
})
