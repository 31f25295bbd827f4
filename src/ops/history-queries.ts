// How it went over time: written by one process at a time, minute by minute, and summed up to quarters of an hour.
import { sql, type Tx } from '../db/connect.ts'
import type { RecentKind } from '../recent.ts'

/** By kind, then by bucket. */
export type Latencies = Partial<Record<RecentKind, Record<string, number>>>

/** False where another process is at it. */
export async function tryLockHistory(tx: Tx): Promise<boolean> {
  const [row] = await tx.query(
    sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(7215323) as locked`,
  )
  return row?.locked ?? false
}

export async function lastMinute(tx: Tx): Promise<Date | null> {
  const [row] = await tx.query(sql<{ at: Date | null }>`
    select max(at) as at from health_history where tenant_id is null and step = 'minute'`)
  return row?.at ?? null
}

export interface MinuteCount {
  tenantId: string | null
  minute: Date
  kind: RecentKind
  bucket: number
  count: number
}

/** Of all processes, from this minute on: of the whole and of every tenant. */
export async function countMinutes(tx: Tx, from: Date): Promise<MinuteCount[]> {
  return tx.query(sql<MinuteCount>`
    select null::uuid as "tenantId", date_trunc('minute', slot) as minute, kind, bucket, sum(count)::int as count
    from recent_latencies
    where slot >= ${from}
    group by 2, 3, 4
    union all
    select tenant_id, minute, kind, bucket, sum(count)::int
    from recent_tenant_latencies
    where minute >= ${from}
    group by 1, 2, 3, 4`)
}

/** What waits at one moment; null where nobody looked. */
export interface Gauges {
  waitingSends: number | null
  waitingEvents: number | null
  oldestSeconds: number | null
  deadLetters: number | null
}

export interface MinuteRow extends Gauges {
  tenantId: string | null
  at: Date
  accepted: number
  refused: number
  latencies: Latencies
}

/** Whoever writes a minute again writes the same counts, and of what waited the most that was seen. */
export async function upsertMinutes(tx: Tx, rows: MinuteRow[]): Promise<void> {
  const column = <Name extends keyof MinuteRow>(name: Name) => rows.map((row) => row[name])
  await tx.query(sql`
    insert into health_history as h
      (tenant_id, step, at, accepted, refused, latencies, waiting_sends, waiting_events, oldest_seconds, dead_letters)
    select u.tenant_id, 'minute', u.at, u.accepted, u.refused, u.latencies, u.waiting_sends, u.waiting_events,
      u.oldest_seconds, u.dead_letters
    from unnest(
      ${column('tenantId')}::uuid[], ${column('at')}::timestamptz[], ${column('accepted')}::int[],
      ${column('refused')}::int[], ${rows.map((row) => JSON.stringify(row.latencies))}::jsonb[],
      ${column('waitingSends')}::int[], ${column('waitingEvents')}::int[], ${column('oldestSeconds')}::real[],
      ${column('deadLetters')}::int[])
      as u (tenant_id, at, accepted, refused, latencies, waiting_sends, waiting_events, oldest_seconds, dead_letters)
    on conflict (tenant_id, step, at) do update set
      accepted = excluded.accepted, refused = excluded.refused, latencies = excluded.latencies,
      waiting_sends = greatest(h.waiting_sends, excluded.waiting_sends),
      waiting_events = greatest(h.waiting_events, excluded.waiting_events),
      oldest_seconds = greatest(h.oldest_seconds, excluded.oldest_seconds),
      dead_letters = greatest(h.dead_letters, excluded.dead_letters)
    where (h.accepted, h.refused, h.latencies) is distinct from (excluded.accepted, excluded.refused, excluded.latencies)
      or excluded.waiting_sends is not null`)
}

/** Quarters of an hour that are over before `until`, once each. */
export async function rollUp(tx: Tx, until: Date): Promise<void> {
  await tx.query(sql`
    with due as (
      select h.*, date_bin('15 minutes', h.at, 'epoch') as quarter
      from health_history h
      where h.step = 'minute' and h.at < date_bin('15 minutes', ${until}, 'epoch') and h.at >= coalesce(
        (select max(at) + interval '15 minutes' from health_history where tenant_id is null and step = 'quarter'),
        '-infinity')
    ),
    looked as (
      select quarter, count(*)::smallint as minutes from due where tenant_id is null group by quarter
    ),
    merged as (
      select tenant_id, quarter, jsonb_object_agg(kind, buckets) as latencies
      from (
        select tenant_id, quarter, kind, jsonb_object_agg(bucket, count) as buckets
        from (
          select due.tenant_id, due.quarter, k.key as kind, b.key as bucket, sum(b.value::int) as count
          from due, jsonb_each(due.latencies) as k, jsonb_each_text(k.value) as b
          group by 1, 2, 3, 4
        ) as counted
        group by 1, 2, 3
      ) as by_kind
      group by 1, 2
    ),
    summed as (
      select tenant_id, quarter, sum(accepted)::int as accepted, sum(refused)::int as refused,
        max(waiting_sends) as waiting_sends, max(waiting_events) as waiting_events,
        max(oldest_seconds) as oldest_seconds, max(dead_letters) as dead_letters
      from due
      group by 1, 2
    )
    insert into health_history
      (tenant_id, step, at, minutes, accepted, refused, latencies, waiting_sends, waiting_events, oldest_seconds,
       dead_letters)
    select s.tenant_id, 'quarter', s.quarter, looked.minutes, s.accepted, s.refused, coalesce(m.latencies, '{}'),
      s.waiting_sends, s.waiting_events, s.oldest_seconds, s.dead_letters
    from summed s
    join looked on looked.quarter = s.quarter
    left join merged m on m.tenant_id is not distinct from s.tenant_id and m.quarter = s.quarter
    on conflict (tenant_id, step, at) do nothing`)
}

export interface HistoryRow extends Gauges {
  at: Date
  minutes: number
  accepted: number
  refused: number
  latencies: Latencies
}

export interface Period {
  from: Date
  to: Date
  /** Quarters of an hour before, minutes from here on. */
  minutesFrom: Date
}

/** Minutes from here on are in no quarter yet. */
export async function endOfQuarters(db: Tx): Promise<Date | null> {
  const [row] = await db.query(sql<{ at: Date | null }>`
    select max(at) + interval '15 minutes' as at
    from health_history
    where tenant_id is null and step = 'quarter'`)
  return row?.at ?? null
}

export async function selectWhole(db: Tx, period: Period): Promise<HistoryRow[]> {
  const { from, to, minutesFrom } = period
  return db.query(sql<HistoryRow>`
    select at, minutes, accepted, refused, latencies, waiting_sends as "waitingSends",
      waiting_events as "waitingEvents", oldest_seconds as "oldestSeconds", dead_letters as "deadLetters"
    from health_history
    where tenant_id is null and at >= ${from} and at < ${to} and (step = 'minute') = (at >= ${minutesFrom})
    order by at`)
}

/** When the whole was looked at, and nothing else of it. */
export async function selectLooked(
  db: Tx,
  { from, to, minutesFrom }: Period,
): Promise<{ at: Date; minutes: number }[]> {
  return db.query(sql<{ at: Date; minutes: number }>`
    select at, minutes
    from health_history
    where tenant_id is null and at >= ${from} and at < ${to} and (step = 'minute') = (at >= ${minutesFrom})
    order by at`)
}

export async function selectOfTenant(
  tx: Tx,
  tenantId: string,
  { from, to, minutesFrom }: Period,
): Promise<HistoryRow[]> {
  return tx.query(sql<HistoryRow>`
    select at, minutes, accepted, refused, latencies, waiting_sends as "waitingSends",
      waiting_events as "waitingEvents", oldest_seconds as "oldestSeconds", dead_letters as "deadLetters"
    from health_history
    where tenant_id = ${tenantId} and at >= ${from} and at < ${to} and (step = 'minute') = (at >= ${minutesFrom})
    order by at`)
}

export interface Success {
  accepted: number
  refused: number
}

/** Of one tenant: what the history says up to `recentFrom`, and what was counted since. */
export async function sumSuccess(
  tx: Tx,
  tenantId: string,
  from: Date,
  recentFrom: Date,
): Promise<Success> {
  const [row] = await tx.query(sql<Success>`
    with counted as (
      select accepted, refused
      from health_history
      where tenant_id = ${tenantId} and step = 'minute' and at >= ${from} and at < ${recentFrom}
      union all
      select case kind when 'send_accepted' then count else 0 end, case kind when 'send_refused' then count else 0 end
      from recent_tenant_latencies
      where tenant_id = ${tenantId} and minute >= ${recentFrom} and kind in ('send_accepted', 'send_refused')
    )
    select coalesce(sum(accepted), 0)::int as accepted, coalesce(sum(refused), 0)::int as refused from counted`)
  return row ?? { accepted: 0, refused: 0 }
}

export interface TenantSlot {
  tenantId: string
  slot: number
  accepted: number
  refused: number
}

/** Of every tenant with something in it, `slotSeconds` after `slotSeconds`. */
export async function sumTenantSlots(
  db: Tx,
  from: Date,
  to: Date,
  slotSeconds: number,
): Promise<TenantSlot[]> {
  return db.query(sql<TenantSlot>`
    select tenant_id as "tenantId",
      floor(extract(epoch from at - ${from}::timestamptz) / ${slotSeconds}::int)::int as slot,
      sum(accepted)::int as accepted, sum(refused)::int as refused
    from health_history
    where step = 'minute' and tenant_id is not null and at >= ${from} and at < ${to} and accepted + refused > 0
    group by 1, 2`)
}

export async function sumTenantSends(
  db: Tx,
  from: Date,
  to: Date,
): Promise<{ tenantId: string; bucket: number; count: number }[]> {
  return db.query(sql<{ tenantId: string; bucket: number; count: number }>`
    select h.tenant_id as "tenantId", b.key::int as bucket, sum(b.value::int)::int as count
    from health_history h, jsonb_each_text(h.latencies -> 'send') as b
    where h.step = 'minute' and h.tenant_id is not null and h.at >= ${from} and h.at < ${to}
    group by 1, 2`)
}

/** Minutes only once they are in a quarter. */
export async function deleteHistory(
  db: Tx,
  before: { minutes: Date; quarters: Date },
  limit: number,
): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from health_history
      where ctid = any(array(
        select ctid
        from health_history
        where (step = 'quarter' and at < ${before.quarters})
          or (step = 'minute' and at < ${before.minutes} and at < (
            select max(at) + interval '15 minutes' from health_history where tenant_id is null and step = 'quarter'))
        limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}
