// A status and the message it belongs to, written at the same moment by two transactions. Each statement of each of them
// waits for the schedule's word, so every way they can overlap is tried, and in every one the message ends up raised.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createActor, finishAll } from '../../test/support/actors.ts'
import { createTestDb } from '../../test/support/database.ts'
import { insertOutbound, insertTenant } from '../../test/support/outbound.ts'
import { type Db, sql, type Tx } from '../db/connect.ts'
import { packCallback } from '../meta/callback-data.ts'
import { keepAcceptances } from '../outbox/evidence.ts'
import { applyStatuses, expectEarlyStatuses, joinEarlyStatuses } from './apply-status.ts'
import type { NewStatus } from './model.ts'

let db: Db
let tenantId: string

beforeAll(async () => {
  db = (await createTestDb()).db
  tenantId = await insertTenant(db)
})

const createTransaction = (work: (tx: Tx) => Promise<unknown>) =>
  createActor(db, (paused) => paused.transaction(work))

const delivered = (wamid: string, details = {}): NewStatus => ({
  tenantId,
  wamid,
  status: 'delivered',
  participant: '',
  phoneNumberId: '1',
  occurredAt: new Date(),
  receivedAt: new Date(),
  details,
  eventId: '00000000-0000-4000-8000-000000000001',
  correlationId: '00000000-0000-4000-8000-000000000002',
})

const receive = (wamid: string) => createTransaction((tx) => applyStatuses(tx, [delivered(wamid)]))

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

describe('two batches of statuses do not wait for each other', () => {
  const receiveAll = (statuses: NewStatus[]) =>
    createTransaction(async (tx) => {
      await keepAcceptances(tx, statuses, new Date())
      await applyStatuses(tx, statuses)
    })

  /** A name of nobody else's whose lock is this one of the 64. */
  const nameIn = async (bucket: number) => {
    const [row] = await db.query(sql<{ wamid: string }>`
      select name.wamid
      from (select ${randomUUID()}::text || n as wamid from generate_series(1, 5000) as n) as name
      where (hashtext(${tenantId}::text || ' ' || name.wamid) & 63) = ${bucket}
      limit 1`)
    return row?.wamid ?? ''
  }

  /** The first that is heard of an attempt whose answer was lost. */
  const proofIn = async (bucket: number) => {
    const message = await insertOutbound(db, { tenantId, wamid: null, status: 'unknown' })
    const attemptId = randomUUID()
    await db.query(sql`
      with send as (
        insert into whatsapp_send_outbox
          (tenant_id, phone_number_id, message_id, status, next_run_at, lane, due_at, lane_head, payload, correlation_id)
        values (${tenantId}, '1', ${message}, 'failed', now(), 'nobody', now(), false, '{}', ${randomUUID()})
        returning id
      )
      insert into send_attempts (id, tenant_id, outbox_id, worker_id, finished_at, outcome)
      select ${attemptId}, ${tenantId}, id, 0, now(), 'unknown' from send`)
    const callback = packCallback(attemptId, null)
    return delivered(await nameIn(bucket), { biz_opaque_callback_data: callback })
  }

  const orphanIn = async (bucket: number) => delivered(await nameIn(bucket))

  const isRaised = async ({ wamid }: NewStatus) => {
    const rows = await db.query(
      sql`select from whatsapp_messages where wamid = ${wamid} and status = 'delivered'`,
    )
    return rows.length === 1
  }

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'each with a proof and an orphan, one of them %i statements ahead',
    async (steps) => {
      const proofs = [await proofIn(1), await proofIn(2)] as const
      const one = await receiveAll([proofs[0], await orphanIn(2)])
      const other = await receiveAll([proofs[1], await orphanIn(1)])
      for (let step = 0; step < steps; step++) await one.step()
      await finishAll([other, one])
      expect([await isRaised(proofs[0]), await isRaised(proofs[1])]).toEqual([true, true])
    },
  )

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'with a message in common, a proof here and an orphan there, the proof %i statements ahead',
    async (steps) => {
      const wamid = randomUUID()
      await insertOutbound(db, { tenantId, wamid, status: 'sent' })
      const [proof, orphan] = [await proofIn(1), await orphanIn(1)]
      const one = await receiveAll([proof, delivered(wamid)])
      const other = await receiveAll([{ ...delivered(wamid), status: 'read' }, orphan])
      for (let step = 0; step < steps; step++) await one.step()
      await finishAll([other, one])
      expect(await isRaised(proof)).toBe(true)
    },
  )
})
