// Plans are made once per connection, often while little waits: what they read must not grow with what does.
import { expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { type Session, sql } from '../db/connect.ts'
import { claimEvent } from './queries.ts'

const waiting = 3_000

async function rowsRead(session: Session): Promise<number> {
  const [read] = await session.query(sql<{ rows: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables
    where relname = 'whatsapp_webhook_events'`)
  return read?.rows ?? Number.NaN
}

async function addEvents(session: Session, count: number): Promise<string[]> {
  const rows = await session.query(sql<{ id: string }>`
    insert into whatsapp_webhook_events (id, received_at, next_run_at, raw, inbound_event_id, correlation_id)
    select gen_random_uuid(), now(), now(), 'x', n::text, gen_random_uuid()
    from generate_series(1, ${count}::int) as n
    returning id`)
  return rows.map(({ id }) => id)
}

const claimOne = (session: Session, id: string) =>
  claimEvent(session, id, { leaseSeconds: 20, taskName: 'task', now: null })

test('one event is claimed once, without a look at those that wait', async () => {
  const { db } = await createTestDb()
  await db.session(async (session) => {
    // From the sixth time on a plan may be kept.
    for (const id of await addEvents(session, 8)) {
      expect(await claimOne(session, id)).toMatchObject({ id, attempt: 1 })
      expect(await claimOne(session, id)).toBeUndefined()
    }
    const ids = await addEvents(session, waiting)
    await session.query(sql`begin`)
    const before = await rowsRead(session)
    for (const id of ids.slice(-10)) expect(await claimOne(session, id)).toMatchObject({ id })
    expect((await rowsRead(session)) - before).toBeLessThan(100)
    await session.query(sql`commit`)
  })
})
