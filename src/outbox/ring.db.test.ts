// Which sends are called for, and when: in the tables alone, with the database's own clock.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { type QueueHand, queueHand } from '../../test/support/queue.ts'
import { type Db, sql } from '../db/connect.ts'
import { holdNumber } from './queue-queries.ts'
import { findDueSends } from './ring.ts'
import { ringLater, ringNext } from './ring-queries.ts'

let db: Db
let hand: QueueHand
let tenantId: string

beforeAll(async () => {
  ;({ db } = await createTestDb())
  hand = await queueHand(db)
})

beforeEach(async () => {
  tenantId = await insertTenant(db)
})

const ring = (defaultCap: number, atLeast = 0) =>
  ringNext(db, [tenantId], { defaultCap, atLeast, patienceSeconds: 1_200 })
const claimOurs = async (cap: number) =>
  (await hand.claim(100, cap)).filter((send) => send.tenantId === tenantId)
const people = (count: number) => Array.from({ length: count }, (_, index) => `to ${index}`)
const ago = (seconds: number) =>
  db.query(sql`
    update whatsapp_send_outbox
    set rung_for = rung_for - make_interval(secs => ${seconds})
    where tenant_id = ${tenantId}`)
const later = async () => {
  const rows = await db.query(sql<{ tenantId: string; id: string }>`
    select tenant_id as "tenantId", id from whatsapp_send_outbox
    where tenant_id = ${tenantId} and status = 'pending'
    order by id`)
  return ringLater(db, rows, true, 0)
}
const databaseTime = async () => {
  const [row] = await db.query(sql<{ now: Date }>`select clock_timestamp() as now`)
  return row?.now.getTime() ?? 0
}
/** The last of those that wait, and that it waits for just as long as said. */
async function expectWait(reason: string, seconds: number): Promise<void> {
  const earliest = await databaseTime()
  const last = (await later()).at(-1)
  const latest = await databaseTime()
  expect(last?.reason).toBe(reason)
  const from = (last?.rungFor.getTime() ?? 0) - seconds * 1000
  expect(from).toBeGreaterThanOrEqual(earliest)
  expect(from).toBeLessThanOrEqual(latest + 1)
}

describe('what is next', () => {
  test('is as much as there is room for, the first first, and not twice', async () => {
    await hand.add(tenantId, people(5))
    const rung = await ring(2)
    expect(rung.map((one) => one.ring)).toEqual([1, 1])
    const ids = rung.map(({ id }) => Number(id))
    expect(await ring(2)).toEqual([])
    // Those that are just coming fill two of three places.
    const [third, ...others] = await ring(3)
    expect(others).toEqual([])
    expect(Number(third?.id)).toBeGreaterThan(Math.max(...ids))
  })

  test('is a few of each number in any case, and never one whose turn it is not', async () => {
    await hand.add(tenantId, [...people(6), 'to 0', 'to 0'])
    expect(await ring(2, 4)).toHaveLength(4)
    expect(await ring(2, 20)).toHaveLength(2)
    expect(await ring(2, 20)).toEqual([])
  })

  test('is whoever follows when a ring is late, and the late one again when it is lost', async () => {
    await hand.add(tenantId, people(3))
    const [first] = await ring(1)
    await ago(200)
    const [second] = await ring(1)
    expect(second?.id).not.toBe(first?.id)
    await ago(1_200)
    const again = await ring(2)
    expect(again.map(({ id }) => id).sort()).toEqual([first?.id, second?.id].sort())
    expect(again.map((one) => one.ring)).toEqual([2, 2])
  })

  test('is brought forward when it was put off and there is room now', async () => {
    await hand.add(tenantId, people(1))
    const [waiting] = await later()
    expect(waiting).toMatchObject({ status: 'pending', reason: 'cap', ring: 1 })
    expect(await ring(1)).toMatchObject([{ id: waiting?.id, ring: 2 }])
  })

  test('is nothing while the tenant is suspended, has no room, or the number is held', async () => {
    await hand.add(tenantId, people(2))
    await db.query(sql`update tenants set status = 'suspended' where id = ${tenantId}`)
    expect(await ring(2, 20)).toEqual([])
    await db.query(sql`update tenants set status = 'active' where id = ${tenantId}`)
    expect(await claimOurs(1)).toHaveLength(1)
    expect(await ring(1)).toEqual([])
    await db.transaction((tx) => holdNumber(tx, tenantId, '1', 'parked'))
    // Who claims sees the hold, and moves the alarm.
    expect(await claimOurs(5)).toEqual([])
    expect(await ring(5, 20)).toEqual([])
  })
})

describe('whoever is due', () => {
  test('is asked once in a look, though busy tenants come due again while it lasts', async () => {
    const tenantIds: string[] = []
    for (let count = 0; count < 51; count++) {
      const id = await insertTenant(db)
      await hand.add(id, people(1))
      tenantIds.push(id)
    }
    let looks = 0
    const busy: Db = {
      ...db,
      async query(statement) {
        // The look at tenants and the ring for them, twice; then once more for who came meanwhile.
        if (++looks > 6) throw new Error('it goes on and on')
        const rows = await db.query(statement)
        await db.query(sql`
          update send_tenants set next_at = clock_timestamp() where tenant_id = any(${tenantIds}::uuid[])`)
        return rows
      },
    }
    const rings = await findDueSends({ db: busy, defaultCap: 2, patienceSeconds: 1_200 })
    expect(new Set(rings.map(({ id }) => id)).size).toBe(rings.length)
    expect(rings.map(({ owner }) => owner)).toEqual(expect.arrayContaining(tenantIds.slice(0, 1)))
  })
})

describe('what cannot be sent now', () => {
  test('is called for when its back-off or its hold is over, whichever is later', async () => {
    const sendAt = new Date(Date.now() + 600_000)
    await hand.add(tenantId, people(1), { sendAt })
    expect(await later()).toMatchObject([{ reason: 'back_off', rungFor: sendAt }])
    const until = new Date(sendAt.getTime() + 60_000)
    await db.transaction((tx) => holdNumber(tx, tenantId, '1', until))
    // The ring at the earlier time is to come, and finds the hold then.
    expect(await later()).toMatchObject([{ reason: 'hold', ring: null, rungFor: sendAt }])
  })

  test('in a lane behind another waits for its turn, less and less often', async () => {
    await hand.add(tenantId, ['to 0', 'to 0'])
    for (const seconds of [30, 60, 120, 240, 480, 480]) {
      await expectWait('order', seconds)
      await ago(86_400)
    }
  })

  test('and nobody knows until when is looked at once an hour', async () => {
    await hand.add(tenantId, people(1))
    await db.transaction((tx) => holdNumber(tx, tenantId, '1', 'parked'))
    await expectWait('hold', 3_600)
  })

  test('before Cloud Tasks could take it waits in the table', async () => {
    const sendAt = new Date(Date.now() + 40 * 86_400_000)
    await hand.add(tenantId, people(1), { sendAt })
    expect(await later()).toMatchObject([{ ring: null, rungFor: sendAt }])
  })

  test('is only told of, where nobody is called', async () => {
    await hand.add(tenantId, people(1))
    const [row] = await db.query(sql<{ tenantId: string; id: string }>`
      select tenant_id as "tenantId", id from whatsapp_send_outbox where tenant_id = ${tenantId}`)
    expect(row && (await ringLater(db, [row], false, 0))).toMatchObject([{ ring: null }])
    const [after] = await db.query(sql<{ ring: number; rung_for: Date | null }>`
      select ring, rung_for from whatsapp_send_outbox where tenant_id = ${tenantId}`)
    expect(after).toEqual({ ring: 0, rung_for: null })
  })
})
