import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { makeDue, type QueueHand, queueHand } from '../../test/support/queue.ts'
import { type Db, sql, sqlState } from '../db/connect.ts'
import { registerWorker, renewWorker } from '../queue/workers.ts'
import type { ClaimedSend } from './model.ts'
import {
  claimSends,
  holdNumber,
  reapWorkers,
  sweepAlarms,
  wakeTenant,
  withdrawSend,
} from './queue-queries.ts'

let db: Db
let queue: QueueHand
let tenant: string

beforeEach(async () => {
  ;({ db } = await createTestDb())
  queue = await queueHand(db)
  tenant = await insertTenant(db)
})

const lanes = (sends: ClaimedSend[]) => sends.map((send) => send.lane)
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

describe('order', () => {
  test('a contact gets one at a time, the first first; contacts do not wait for each other', async () => {
    await queue.add(tenant, ['ann', 'ann', 'bob', 'ann'])

    const first = await queue.claim()
    expect(lanes(first).sort()).toEqual(['ann', 'bob'])
    expect(await queue.claim()).toEqual([])

    await queue.settle(first)
    const second = await queue.claim()
    expect(lanes(second)).toEqual(['ann'])
    expect(second[0]?.id).not.toBe(first[0]?.id)
    await queue.settle(second)
    expect(lanes(await queue.claim())).toEqual(['ann'])
  })

  test('a retry holds back its own contact and nobody else', async () => {
    await queue.add(tenant, ['ann', 'ann', 'bob'])
    const first = await queue.claim()
    const [ann] = first.filter((send) => send.lane === 'ann')
    await queue.settle(first, { state: 'pending', runAt: inMinutes(5), failures: 1 })
    await queue.add(tenant, ['ann', 'cid'])

    expect(lanes(await queue.claim())).toEqual(['cid'])
    await makeDue(db)
    const again = await queue.claim()
    expect(lanes(again).sort()).toEqual(['ann', 'bob'])
    expect(again.find((send) => send.lane === 'ann')).toMatchObject({ id: ann?.id, attempts: 1 })
  })

  test('what is scheduled holds back nobody, and has its turn when it is due', async () => {
    await queue.add(tenant, ['ann'], { sendAt: inMinutes(60), callbackData: 'later' })
    await queue.add(tenant, ['ann'], { callbackData: 'now' })

    const first = await queue.claim()
    expect(first.map((send) => send.callbackData)).toEqual(['now'])
    await queue.settle(first)
    expect(await queue.claim()).toEqual([])
    await makeDue(db)
    expect((await queue.claim()).map((send) => send.callbackData)).toEqual(['later'])
  })

  test('two scheduled ones go in the order of their times, not of their acceptance', async () => {
    await queue.add(tenant, ['ann'], { sendAt: inMinutes(60), callbackData: 'second' })
    await queue.add(tenant, ['ann'], { sendAt: inMinutes(30), callbackData: 'first' })
    await makeDue(db)

    const first = await queue.claim()
    expect(first.map((send) => send.callbackData)).toEqual(['first'])
    await queue.settle(first)
    await makeDue(db)
    expect((await queue.claim()).map((send) => send.callbackData)).toEqual(['second'])
  })

  test('nothing overtakes what is on its way, whatever time it names', async () => {
    await queue.add(tenant, ['ann'])
    const first = await queue.claim()
    await queue.add(tenant, ['ann'], { sendAt: new Date(0) })

    expect(await queue.claim()).toEqual([])
    await queue.settle(first)
    expect(await queue.claim()).toHaveLength(1)
  })

  test('one that is withdrawn makes room for the next', async () => {
    await queue.add(tenant, ['ann', 'ann'])
    const [row] = await db.query(sql<{ id: string }>`
      select id from whatsapp_send_outbox order by id limit 1`)

    expect(await withdrawSend(db, tenant, row?.id as string, 'cancelled')).toBe(true)
    expect(await withdrawSend(db, tenant, row?.id as string, 'cancelled')).toBe(false)
    const claimed = await queue.claim()
    expect(lanes(claimed)).toEqual(['ann'])
    expect(await withdrawSend(db, tenant, claimed[0]?.id as string, 'cancelled')).toBe(false)
  })
})

describe('fairness', () => {
  test('a small tenant does not wait behind a large one', async () => {
    const other = await insertTenant(db)
    await queue.add(
      tenant,
      Array.from({ length: 300 }, (_, index) => `large-${index}`),
    )
    const first = await queue.claim(8)
    await queue.add(other, ['small'])

    expect(first).toHaveLength(8)
    expect(lanes(await queue.claim(8))).toContain('small')
  })

  test('the cap is exact, whoever claims at the same time, and is the tenant’s own where it has one', async () => {
    await db.query(sql`update tenants set max_concurrency = 3 where id = ${tenant}`)
    const other = await insertTenant(db)
    for (const id of [tenant, other]) {
      await queue.add(
        id,
        Array.from({ length: 20 }, (_, index) => `lane-${index}`),
      )
    }
    const claims: ClaimedSend[] = []
    for (let round = 0; round < 4; round++) {
      const parallel = await Promise.all(Array.from({ length: 6 }, () => queue.claim(10, 2)))
      claims.push(...parallel.flat())
    }
    const ofTenant = claims.filter((send) => send.tenantId === tenant)
    expect(ofTenant).toHaveLength(3)
    expect(claims).toHaveLength(5)

    await queue.settle(ofTenant.slice(0, 1))
    expect(await queue.claim(10, 2)).toHaveLength(1)
  })

  test('a suspended tenant waits, and goes on when it is woken', async () => {
    await db.query(sql`update tenants set status = 'suspended' where id = ${tenant}`)
    await queue.add(tenant, ['ann'])
    expect(await queue.claim()).toEqual([])

    await db.query(sql`update tenants set status = 'active' where id = ${tenant}`)
    await wakeTenant(db, tenant)
    expect(await queue.claim()).toHaveLength(1)
  })

  test('a number sends no faster than its pace', async () => {
    await db.query(sql`insert into send_tenants (tenant_id) values (${tenant})`)
    await db.query(sql`
      insert into send_numbers (tenant_id, phone_number_id, rate) values (${tenant}, '1', 5)`)
    await queue.add(
      tenant,
      Array.from({ length: 50 }, (_, index) => `lane-${index}`),
    )
    const claimed = await queue.claim()
    expect(claimed.length).toBeGreaterThan(0)
    expect(claimed.length).toBeLessThanOrEqual(5)
  })
})

describe('holds', () => {
  test('a held number waits, another number of the same tenant does not', async () => {
    await queue.add(tenant, ['ann'])
    await queue.add(tenant, ['bob'], { phoneNumberId: '2' })
    await holdNumber(db, tenant, '1', inMinutes(5))

    expect(lanes(await queue.claim())).toEqual(['bob'])
    await holdNumber(db, tenant, '1', null)
    expect(lanes(await queue.claim())).toEqual(['ann'])
  })

  test('a parked number waits until somebody releases it', async () => {
    await holdNumber(db, tenant, '1', 'parked')
    await queue.add(tenant, ['ann', 'ann'])
    await makeDue(db)

    expect(await queue.claim()).toEqual([])
    await holdNumber(db, tenant, '1', null)
    expect(lanes(await queue.claim())).toEqual(['ann'])
  })
})

describe('the fence', () => {
  test('who was taken for dead settles nothing, and its work is done by another', async () => {
    await queue.add(tenant, ['ann', 'ann'])
    const stale = await queue.claim()
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)

    expect(await renewWorker(db, queue.workerId, 60)).toBe(false)
    const refused = await queue.claim().catch(sqlState)
    expect(refused).toBe('ES001')
    expect(await reapWorkers(db, 30, 'standard')).toEqual([
      { tenantId: tenant, id: stale[0]?.id, messageId: stale[0]?.messageId },
    ])
    expect(await reapWorkers(db, 30, 'standard')).toEqual([])
    expect((await queue.settle(stale)).size).toBe(0)

    const other = await registerWorker(db, 60)
    expect(await claimSends(db, other, 10, 10)).toEqual([])
    await makeDue(db)
    const [again, ...more] = await claimSends(db, other, 10, 10)
    expect(more).toEqual([])
    expect(again).toMatchObject({ id: stale[0]?.id, attempts: 1 })
    expect(again?.attemptId).not.toBe(stale[0]?.attemptId)
  })

  test('each claim commits its attempt', async () => {
    await queue.add(tenant, ['ann', 'bob'])
    const claimed = await queue.claim()
    const rows = await db.query(sql<{ id: string }>`select id from send_attempts order by id`)
    expect(rows.map((row) => row.id)).toEqual(claimed.map((send) => send.attemptId).sort())
  })
})

describe('the net under the alarms', () => {
  test('finds nothing where all is well, and what a hand in the tables left asleep', async () => {
    await queue.add(tenant, ['ann'])
    expect(await sweepAlarms(db, 10)).toBe(0)

    await db.query(sql`update whatsapp_send_outbox set next_run_at = now() - interval '10 s'`)
    await db.query(sql`update send_numbers set next_at = 'infinity'`)
    await db.query(sql`update send_tenants set next_at = 'infinity'`)
    expect(await queue.claim()).toEqual([])
    expect(await sweepAlarms(db, 10)).toBe(1)
    expect(await queue.claim()).toHaveLength(1)
  })
})
