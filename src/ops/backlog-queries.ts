import { sql, type Tx } from '../db/connect.ts'

export const backlogKinds = ['events', 'sends', 'letters'] as const
export type BacklogKind = (typeof backlogKinds)[number]

/** What waits, of one tenant (null: nobody's) in one state. */
export interface BacklogRow {
  tenantId: string | null
  state: string
  count: number
  /** How long the oldest has been waiting. */
  oldestSeconds: number
}

export interface Glance {
  count: number
  /** Of those that were looked at. */
  oldestSeconds: number
}

/** A first look, at no more than `limit` rows. */
export async function glanceAt(
  db: Tx,
  kind: BacklogKind,
  limit: number,
  now: Date,
): Promise<Glance> {
  const [row] = await db.query(glanceOf[kind](limit, now))
  return row ?? { count: 0, oldestSeconds: 0 }
}

const glanceOf = {
  events: (limit: number, now: Date) => sql<Glance>`
    select count(*)::int as count,
      coalesce(greatest(0, extract(epoch from ${now}::timestamptz - min(received_at))), 0)::float8 as "oldestSeconds"
    from (
      select received_at
      from whatsapp_webhook_events
      where status in ('pending', 'processing')
      order by next_run_at, id
      limit ${limit}
    ) as found`,
  sends: (limit: number) => sql<Glance>`
    select count(*)::int as count,
      coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 as "oldestSeconds"
    from (
      select due_at from whatsapp_send_outbox where status in ('pending', 'running') limit ${limit}
    ) as found`,
  letters: (limit: number, now: Date) => sql<Glance>`
    select count(*)::int as count,
      coalesce(greatest(0, extract(epoch from ${now}::timestamptz - min(created_at))), 0)::float8 as "oldestSeconds"
    from (
      select created_at from dead_letters where state = 'open' order by created_at, id limit ${limit}
    ) as found`,
}

export function countBacklog(db: Tx, kind: BacklogKind, now: Date): Promise<BacklogRow[]> {
  switch (kind) {
    case 'events':
      return countEvents(db, now)
    case 'sends':
      return countSends(db)
    case 'letters':
      return countLetters(db, now)
  }
}

/** Events by the tenant of their first item. What was tried before is runnable since it came due again, by the queue's clock. */
function countEvents(db: Tx, now: Date): Promise<BacklogRow[]> {
  return db.query(sql<BacklogRow>`
    select a.tenant_id as "tenantId", found.state, count(*)::int as count,
      -- Another process stamped it, and its clock may be ahead of ours.
      greatest(0, max(case
        when found.state = 'runnable' and e.attempt > 0 then extract(epoch from now() - e.next_run_at)
        else extract(epoch from ${now}::timestamptz - e.received_at) end))::float8 as "oldestSeconds"
    from whatsapp_webhook_events e
    left join whatsapp_accounts a on a.phone_number_id = e.phone_number_id
    cross join lateral (
      -- One whose lease ran out waits for a worker like any other.
      select case
        when e.next_run_at <= now() or e.attempt = 0 then 'runnable'
        when e.status = 'processing' then 'processing'
        else 'retry_wait' end as state
    ) as found
    where e.status in ('pending', 'processing')
    group by 1, 2`)
}

/**
 * By the database's clock, which is the queue's. What could leave has been able to since the last thing that held it up was
 * over, or since its tenant's last turn: a backlog that drains is not one that stands still.
 */
function countSends(db: Tx): Promise<BacklogRow[]> {
  return db.query(sql<BacklogRow>`
    select o.tenant_id as "tenantId", found.state, count(*)::int as count,
      greatest(0, extract(epoch from now() - min(case
        when found.state = 'runnable'
          then greatest(o.due_at, o.next_run_at, n.hold_until, n.trial_at, h.trial_at, a.token_set_at, moving.since)
        else o.due_at end)))::float8 as "oldestSeconds"
    from whatsapp_send_outbox o
    join tenants t on t.id = o.tenant_id
    cross join send_host h
    left join send_numbers n on n.tenant_id = o.tenant_id and n.phone_number_id = o.phone_number_id
    left join whatsapp_accounts a on a.tenant_id = o.tenant_id and a.phone_number_id = o.phone_number_id
    -- When it was last this tenant's turn: what is under way was taken then, and every claim moves the tenant's alarm. So a
    -- backlog that its cap or its pace lets out little by little is not taken for one that nobody works on.
    left join (
      select s.tenant_id, greatest(case when s.next_at <= now() then s.next_at end, max(r.updated_at)) as since
      from send_tenants s
      left join whatsapp_send_outbox r on r.tenant_id = s.tenant_id and r.status = 'running'
      group by s.tenant_id, s.next_at
    ) as moving on moving.tenant_id = o.tenant_id
    cross join lateral (
      select case
        when o.status = 'running' then 'in_flight'
        when t.status <> 'active' or n.hold_until = 'infinity' then 'parked'
        when n.circuit_open or h.circuit_open then 'circuit_open'
        when n.hold_until > now() then 'throttled'
        when o.next_run_at > now() and o.attempts > 0 then 'retry_wait'
        when o.next_run_at > now() then 'scheduled'
        when not o.lane_head then 'behind'
        else 'runnable' end as state
    ) as found
    where o.status in ('pending', 'running')
    group by 1, 2`)
}

/** Open dead letters; their kind is their state. */
function countLetters(db: Tx, now: Date): Promise<BacklogRow[]> {
  return db.query(sql<BacklogRow>`
    select tenant_id as "tenantId", kind as state, count(*)::int as count,
      greatest(0, extract(epoch from ${now}::timestamptz - min(created_at)))::float8 as "oldestSeconds"
    from dead_letters
    where state = 'open'
    group by 1, 2`)
}

/** What is kept of a look that is too much for every question. */
export interface Sample<Row> {
  takenAt: Date
  rows: Row[]
}

export type SampleKind = BacklogKind | 'accounting'

export async function readSample<Row>(db: Tx, kind: SampleKind): Promise<Sample<Row> | undefined> {
  const [sample] = await db.query(sql<Sample<Row>>`
    select taken_at as "takenAt", rows from backlog_samples where kind = ${kind}`)
  return sample
}

export async function keepSample(
  db: Tx,
  kind: SampleKind,
  rows: unknown[],
  now: Date,
): Promise<void> {
  await db.query(sql`
    insert into backlog_samples (kind, taken_at, rows)
    values (${kind}, ${now}, ${JSON.stringify(rows)}::jsonb)
    on conflict (kind) do update set taken_at = excluded.taken_at, rows = excluded.rows`)
}

export async function dropSample(db: Tx, kind: BacklogKind): Promise<void> {
  await db.query(sql`delete from backlog_samples where kind = ${kind}`)
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
