// A process's row goes when it holds nothing; what is held by nobody is found.
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { until } from '../../test/support/program.ts'
import { type QueueHand, queueHand } from '../../test/support/queue.ts'
import { type Db, sql } from '../db/connect.ts'
import { claimSends, reapWorkers } from '../outbox/queue-queries.ts'
import { removeWorker } from './workers.ts'

let db: Db
let hand: QueueHand

beforeEach(async () => {
  ;({ db } = await createTestDb())
  hand = await queueHand(db)
  await hand.add(await insertTenant(db), ['ann'])
})

const workers = async () =>
  (await db.query(sql<{ id: string }>`select id from send_workers`)).map(({ id }) => id)

describe('the row of a process', () => {
  test('goes when it holds nothing', async () => {
    const claimed = await hand.claim()
    await removeWorker(db, hand.workerId)
    expect(await workers()).toEqual([hand.workerId])
    await hand.settle(claimed)
    await removeWorker(db, hand.workerId)
    expect(await workers()).toEqual([])
  })

  test('stays for a claim that was still under way when it was to go', async () => {
    let removing = Promise.resolve()
    await db.transaction(async (tx) => {
      expect(await claimSends(tx, hand.workerId, 10, 10)).toHaveLength(1)
      removing = removeWorker(db, hand.workerId)
      await until('it waits for the claim', async () => {
        const waiting = await db.query(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        return waiting.length > 0
      })
    })
    await removing
    expect(await workers()).toEqual([hand.workerId])
  })

  test('is not needed for what was claimed under it to be taken back', async () => {
    const [claimed] = await hand.claim()
    await db.query(sql`delete from send_workers`)
    expect(await reapWorkers(db, 30, 'standard')).toMatchObject([{ id: claimed?.id }])
    expect(await reapWorkers(db, 30, 'standard')).toEqual([])
    const [row] = await db.query(sql<{ status: string; attempts: number; wait: number }>`
      select o.status, o.attempts, round(extract(epoch from o.next_run_at - a.started_at))::int as wait
      from whatsapp_send_outbox o
      join send_attempts a on a.outbox_id = o.id
      where a.outcome = 'unknown' and a.error_message = 'the worker died'`)
    expect(row).toEqual({ status: 'pending', attempts: 1, wait: 30 })
  })
})
