import { sql, type Tx } from '../db/connect.ts'

export type BacklogKind = 'events' | 'sends'

/** What waits, of one tenant (null: nobody's) in one state. */
export interface BacklogRow {
  tenantId: string | null
  state: string
  count: number
  /** How long the oldest has been waiting. */
  oldestSeconds: number
}

/** Never looks at more than `limit` rows. */
export async function isLonger(db: Tx, kind: BacklogKind, limit: number): Promise<boolean> {
  const [row] =
    kind === 'events'
      ? await db.query(sql<{ count: number }>`
          select count(*)::int as count
          from (
            select from whatsapp_webhook_events where status in ('pending', 'processing') limit ${limit + 1}
          ) as found`)
      : await db.query(sql<{ count: number }>`
          select count(*)::int as count
          from (
            select from whatsapp_send_outbox where status in ('pending', 'running') limit ${limit + 1}
          ) as found`)
  return (row?.count ?? 0) > limit
}

export function countBacklog(db: Tx, kind: BacklogKind, now: Date): Promise<BacklogRow[]> {
  return kind === 'events' ? countEvents(db, now) : countSends(db)
}

/** Events by the tenant of their first item. */
function countEvents(db: Tx, now: Date): Promise<BacklogRow[]> {
  return db.query(sql<BacklogRow>`
    select a.tenant_id as "tenantId", 'received' as state, count(*)::int as count,
      -- Another process stamped it, and its clock may be ahead of ours.
      greatest(0, extract(epoch from ${now}::timestamptz - min(e.received_at)))::float8 as "oldestSeconds"
    from whatsapp_webhook_events e
    left join whatsapp_accounts a on a.phone_number_id = e.phone_number_id
    where e.status in ('pending', 'processing')
    group by a.tenant_id`)
}

/** By the database's clock, which is the queue's. */
function countSends(db: Tx): Promise<BacklogRow[]> {
  return db.query(sql<BacklogRow>`
    select o.tenant_id as "tenantId",
      case
        when o.status = 'running' then 'in_flight'
        when t.status <> 'active' or n.hold_until = 'infinity' then 'parked'
        when n.circuit_open or h.circuit_open then 'circuit_open'
        when n.hold_until > now() then 'throttled'
        when o.next_run_at > now() and o.attempts > 0 then 'retry_wait'
        when o.next_run_at > now() then 'scheduled'
        when not o.lane_head then 'behind'
        else 'runnable' end as state,
      count(*)::int as count, greatest(0, extract(epoch from now() - min(o.due_at)))::float8 as "oldestSeconds"
    from whatsapp_send_outbox o
    join tenants t on t.id = o.tenant_id
    cross join send_host h
    left join send_numbers n on n.tenant_id = o.tenant_id and n.phone_number_id = o.phone_number_id
    where o.status in ('pending', 'running')
    group by 1, 2`)
}

export interface BacklogSample {
  takenAt: Date
  rows: BacklogRow[]
}

export async function readSample(db: Tx, kind: BacklogKind): Promise<BacklogSample | undefined> {
  const [sample] = await db.query(sql<BacklogSample>`
    select taken_at as "takenAt", rows from backlog_samples where kind = ${kind}`)
  return sample
}

export async function keepSample(
  db: Tx,
  kind: BacklogKind,
  rows: BacklogRow[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into backlog_samples (kind, taken_at, rows)
    values (${kind}, ${now}, ${JSON.stringify(rows)}::jsonb)
    on conflict (kind) do update set taken_at = excluded.taken_at, rows = excluded.rows`)
}

/** True for one process at a time, until the session ends or unlocks it. */
export async function tryLockSampling(session: Tx): Promise<boolean> {
  const [row] = await session.query(
    sql<{ locked: boolean }>`select pg_try_advisory_lock(7215305) as locked`,
  )
  return row?.locked ?? false
}

export async function unlockSampling(session: Tx): Promise<void> {
  await session.query(sql`select pg_advisory_unlock(7215305)`)
}
