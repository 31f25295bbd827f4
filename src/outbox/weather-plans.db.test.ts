// Plans are made once per connection, often while tables are empty: what they read must not grow with what is stored.
import { expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { circuit, weatherHand } from '../../test/support/weather.ts'
import { type Session, sql } from '../db/connect.ts'
import type { ClaimedSend } from './model.ts'
import { claimSends, settleSends } from './queue-queries.ts'
import { noteCalls } from './weather-queries.ts'

const lanes = Array.from({ length: 10 }, (_, index) => `lane-${index}`)
const stored = 3_000

async function rowsRead(session: Session): Promise<number> {
  const [read] = await session.query(sql<{ rows: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables
    where relname in ('send_pairs', 'send_calls', 'send_attempts', 'send_numbers')`)
  return read?.rows ?? Number.NaN
}

test('a claim and a settle read no more of a large installation than of an empty one', async () => {
  const { db } = await createTestDb()
  const queue = await weatherHand(db)
  const tenant = await insertTenant(db)
  await db.query(sql`select send_allow(${tenant}, '1', 100000)`)

  /** In one transaction: Postgres counts what it has read at once. */
  async function turn(session: Session) {
    await session.query(sql`begin`)
    const before = await rowsRead(session)
    const sends: ClaimedSend[] = await claimSends(session, queue.workerId, 10, 10)
    await settleSends(
      session,
      sends.map((send) => ({ send, state: 'done', failures: 0, error: null, runAt: null })),
    )
    const calls = sends.map((send) => ({
      ...send,
      verdict: 'failed' as const,
      throttledUntil: new Date(),
      limitedPair: send.lane,
    }))
    await noteCalls(session, calls, { ...circuit, minCalls: 100_000 })
    const rows = (await rowsRead(session)) - before
    await session.query(sql`commit`)
    return { claimed: sends.length, rows }
  }

  await db.session(async (session) => {
    await queue.add(tenant, lanes)
    // A function's plans are generic from the first call on.
    const empty = await turn(session)
    expect(empty.claimed).toBe(10)
    await session.query(sql`
      insert into send_pairs select ${tenant}, '1', n, now() from generate_series(1, ${stored}) as n`)
    await session.query(sql`
      insert into send_numbers (tenant_id, phone_number_id)
      select ${tenant}, 'number-' || n from generate_series(1, ${stored}) as n`)
    await session.query(sql`
      insert into send_calls select ${tenant}, 'number-' || n, 1, now(), 1, 1, 1 from generate_series(1, ${stored}) as n`)
    await session.query(sql`
      insert into send_attempts (id, tenant_id, outbox_id, worker_id)
      select gen_random_uuid(), a.tenant_id, a.outbox_id, 1 from send_attempts a, generate_series(1, ${stored / 10})`)
    await queue.add(tenant, lanes)
    const full = await turn(session)
    expect(full.claimed).toBe(10)
    expect(full.rows).toBeLessThan(empty.rows + 200)
  })
})
