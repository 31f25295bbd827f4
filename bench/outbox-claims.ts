// Claim time of `bench outbox`: 100 rows out of backlogs of several sizes, and behind a deep lane that waits for a retry.
import { performance } from 'node:perf_hooks'
import type { Vault } from '../src/accounts/vault.ts'
import { type Db, sql } from '../src/db/connect.ts'
import { claimSends, settleSends } from '../src/outbox/queue-queries.ts'
import { registerWorker } from '../src/queue/workers.ts'
import { type Percentiles, percentilesOf, round } from './measure.ts'
import { settleDown } from './outbox-contender.ts'
import { capPerTenant } from './outbox-ours.ts'
import {
  type BenchTenant,
  createWorld,
  payloadOf,
  settle,
  type World,
  type WorldSize,
} from './outbox-world.ts'
import type { BenchPostgres } from './postgres.ts'

export interface ClaimCell extends Percentiles {
  round: number
  pending: number
  /** Rows of one recipient whose first waits for a retry; 0: no such lane. */
  deepLane: number
  claimed: number
}

export interface Backlog {
  pending: number
  deepLane: number
  db: Db
  workerId: string
}

export const claimOf = 100

export async function openBacklog(
  postgres: BenchPostgres,
  vault: Vault,
  { pending, deepLane, size }: { pending: number; deepLane: number; size: WorldSize | undefined },
): Promise<Backlog> {
  const { db } = await postgres.createDatabase(`pending_${pending}_${deepLane}`)
  const world = createWorld(size)
  await settle(db, vault, world)
  await fill(db, world, pending, deepLane)
  await settleDown(db)
  return { pending, deepLane, db, workerId: await registerWorker(db, 36_000) }
}

/** In SQL, and without messages, which no claim looks at. Half is the busy tenant's, two rows for each recipient. */
async function fill(db: Db, world: World, pending: number, deepLane: number): Promise<void> {
  const insert = (tenant: BenchTenant, rows: number, lane: string, columns: string) => {
    const [person] = tenant.people
    if (!person) throw new Error('bug: a tenant without people')
    const payload = JSON.stringify(payloadOf({ id: 1, tenant, person }))
    return `
      insert into whatsapp_send_outbox (tenant_id, phone_number_id, message_id, next_run_at, lane, due_at, lane_head,
        payload, correlation_id)
      select '${tenant.id}', '${tenant.number}', gen_random_uuid(), ${columns}, '${payload}', gen_random_uuid()
      from (select n, ${lane} as lane from generate_series(1, ${rows}) as n) as x`
  }
  const twoEach = `'1650' || lpad((n / 2)::text, 7, '0')`
  const due = `now() - interval '1 hour' + n * interval '1 ms', lane, now() - interval '1 hour' + n * interval '1 ms', n % 2 = 0 or n = 1`
  const waiting = `now() + interval '1 hour', lane, now() - interval '2 hours' + n * interval '1 ms', n = 1`
  await db.session(async (session) => {
    await session.script('set session_replication_role = replica')
    await session.script('set synchronous_commit = off')
    await session.script(insert(world.busy, pending / 2, twoEach, due))
    for (const tenant of world.small) {
      await session.script(insert(tenant, pending / 2 / world.small.length, twoEach, due))
    }
    if (deepLane > 0) await session.script(insert(world.busy, deepLane, `'16505550143'`, waiting))
    await session.script('update send_tenants set next_at = now()')
    await session.script('update send_numbers set next_at = now()')
    await session.script('reset session_replication_role')
    await session.script('reset synchronous_commit')
  })
}

/** In turns, one claim of each at a time, so that what disturbs one disturbs all. */
export async function measureClaims(
  backlogs: Backlog[],
  roundNumber: number,
  samples: number,
): Promise<ClaimCell[]> {
  const times = backlogs.map((): number[] => [])
  const claimed = backlogs.map(() => 0)
  for (let sample = 0; sample < samples; sample++) {
    for (const [index, { db, workerId }] of backlogs.entries()) {
      const fromMs = performance.now()
      const sends = await claimSends(db, workerId, claimOf, capPerTenant)
      times[index]?.push(performance.now() - fromMs)
      claimed[index] = (claimed[index] ?? 0) + sends.length
      // Back to the end of its number's queue: the backlog stays as large as it is.
      await settleSends(
        db,
        sends.map((send) => ({
          send,
          state: 'pending',
          failures: 0,
          error: null,
          runAt: new Date(),
        })),
      )
    }
  }
  return backlogs.map(({ pending, deepLane }, index) => ({
    round: roundNumber,
    pending,
    deepLane,
    claimed: round((claimed[index] ?? 0) / samples),
    ...percentilesOf(times[index] ?? []),
  }))
}

export async function checkBacklog({ db, pending, deepLane }: Backlog): Promise<void> {
  const [row] = await db.query(sql<{ count: number }>`
    select count(*)::int as count from whatsapp_send_outbox where status = 'pending'`)
  if (row?.count !== pending + deepLane)
    throw new Error(`bug: ${pending + deepLane} were pending and ${row?.count} are`)
}
