import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import { createTestDb } from '../../test/support/database.ts'
import { until } from '../../test/support/program.ts'
import { againAndAgain } from '../again-and-again.ts'
import { type Db, sql } from '../db/connect.ts'
import { createLog } from '../log.ts'
import { beatInbox } from './queries.ts'
import { inboxWatchJob } from './watch.ts'

let db: Db
const now = new Date('2026-03-01T12:00:00.000Z')
const patience = new Date(now.getTime() - 5_000)

beforeAll(async () => {
  ;({ db } = await createTestDb())
})

beforeEach(async () => {
  await db.query(sql`delete from whatsapp_webhook_events`)
  await db.query(sql`update inbox_watch set seen_at = null, steady_since = null`)
})

async function receive(secondsAgo: number, status = 'pending'): Promise<void> {
  const isOver = status === 'done' || status === 'failed'
  await db.query(sql`
    insert into whatsapp_webhook_events
      (id, received_at, processed_at, status, next_run_at, raw, inbound_event_id, correlation_id)
    values (${randomUUID()}, ${new Date(now.getTime() - secondsAgo * 1000)}, ${isOver ? now : null}, ${status}, now(), '',
      ${randomUUID()}, ${randomUUID()})`)
}

/** For how many hours it is known to be fine; null when it is not. Whole hours, because the database's clock goes on meanwhile. */
async function steadyHours(): Promise<number | null> {
  const [row] = await db.query(sql<{ hours: number | null }>`
    select floor(extract(epoch from now() - inbox_steady_since(${patience}, interval '20 s')) / 3600)::int as hours`)
  return row?.hours ?? null
}

const longAgo = (seenSecondsAgo: number) =>
  db.query(sql`
    update inbox_watch
    set seen_at = now() - make_interval(secs => ${seenSecondsAgo}), steady_since = now() - interval '1 hour'`)

describe('whether the inbox keeps up', () => {
  test('is not known before anybody looked, and known from the first look on', async () => {
    expect(await steadyHours()).toBeNull()
    await beatInbox(db, patience, 20)
    expect(await steadyHours()).toBe(0)
  })

  test('goes on from look to look', async () => {
    await longAgo(3)
    await beatInbox(db, patience, 20)
    expect(await steadyHours()).toBe(1)
  })

  test('begins anew after a break, shorter for who starts', async () => {
    await longAgo(10)
    await beatInbox(db, patience, 20)
    expect(await steadyHours()).toBe(1)
    await longAgo(10)
    await beatInbox(db, patience, 5)
    expect(await steadyHours()).toBe(0)
  })

  test('is no longer known when nobody looks', async () => {
    await longAgo(21)
    expect(await steadyHours()).toBeNull()
  })

  test.each(['pending', 'processing'])('is not so with an old one that is %s', async (status) => {
    await longAgo(0)
    await receive(4, status)
    expect(await steadyHours()).toBe(1)
    await receive(6, status)
    expect(await steadyHours()).toBeNull()

    await beatInbox(db, patience, 20)
    await db.query(sql`delete from whatsapp_webhook_events`)
    expect(await steadyHours()).toBeNull()
    await beatInbox(db, patience, 20)
    expect(await steadyHours()).toBe(0)
  })

  test.each(['done', 'failed'])('has nothing to do with those that are %s', async (status) => {
    await longAgo(0)
    await receive(3600, status)
    expect(await steadyHours()).toBe(1)
  })
})

describe('the watch', () => {
  test('looks before it is there, and again and again, until it is stopped', async () => {
    const clock = createTestClock(now.toISOString())
    const log = createLog({ level: 'debug', hashKey: Buffer.alloc(32), clock })
    const job = inboxWatchJob({ db, clock })
    await job.run(new AbortController().signal)
    expect(await steadyHours()).toBe(0)

    await longAgo(10)
    const watch = againAndAgain({ ...job, clock, log })
    await until('it looked again', async () => {
      const [row] = await db.query(sql<{ fresh: boolean }>`
        select seen_at > now() - interval '5 s' as fresh from inbox_watch`)
      return row?.fresh
    })
    expect(await steadyHours()).toBeGreaterThanOrEqual(1)
    await watch.stop()
  })
})
