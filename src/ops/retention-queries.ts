// What is no longer kept. Every statement touches a bounded number of rows and commits on its own.
import { sql, type Tx } from '../db/connect.ts'
import { endOfEventIds } from './event-range.ts'

export async function deleteDedupeKeys(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from whatsapp_webhook_dedupe
      where ctid = any(array(
        select ctid
        from whatsapp_webhook_dedupe
        where created_at < ${before}
        order by created_at
        limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

export async function deleteTraces(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from whatsapp_inbound_traces
      where ctid = any(array(
        select ctid
        from whatsapp_inbound_traces
        where started_at < ${before}
        order by started_at
        limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

export const beforeAllEvents = '00000000-0000-0000-0000-000000000000'

export interface ClearedKeys {
  seen: number
  cleared: number
  /** Where this look ended. */
  last: string | null
}

/**
 * Looks at the next old events and clears what recognised their repeats. It goes on where the last look ended instead of
 * asking for events that still have keys: that would need an index which every webhook pays for.
 */
export async function clearEventKeys(
  db: Tx,
  after: string,
  before: Date,
  limit: number,
): Promise<ClearedKeys> {
  const [row] = await db.query(sql<ClearedKeys>`
    with old as (
      select id
      from whatsapp_webhook_events
      where id > ${after} and id < ${endOfEventIds(before)} and received_at < ${before}
      order by id
      limit ${limit}
    ),
    cleared as (
      update whatsapp_webhook_events e
      set body_sha256 = null, single_item_of = null
      from old
      where e.id = old.id and (e.body_sha256 is not null or e.single_item_of is not null)
      returning 1
    )
    select (select count(*) from old)::int as seen, (select count(*) from cleared)::int as cleared,
      (select id from old order by id desc limit 1) as last`)
  if (!row) throw new Error('bug: an aggregate without a row')
  return row
}

/** Not while a dead letter of it waits for a decision: a requeue needs the bytes. The outcome stays for the accounting. */
export async function prunePayloads(
  db: Tx,
  before: Date,
  now: Date,
  limit: number,
): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with old as (
      select e.id
      from whatsapp_webhook_events e
      where e.status = 'done' and e.pruned_at is null and e.processed_at < ${before}
        and not exists (
          select
          from dead_letters d
          where d.event_id = e.id and d.state = 'open')
      order by e.processed_at
      limit ${limit}
      for update of e skip locked
    ),
    pruned as (
      update whatsapp_webhook_events e
      set raw = ''::bytea, payload = null, pruned_at = ${now}
      from old
      where e.id = old.id
      returning 1
    )
    select count(*)::int as count from pruned`)
  return row?.count ?? 0
}

export async function deleteIdempotencyKeys(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from idempotency_keys
      where ctid = any(array(
        select ctid
        from idempotency_keys
        where created_at < ${before}
        order by created_at
        limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

/** Sends that went out, with their attempts; the messages stay. Those that died are kept with their dead letters. */
export async function deleteSends(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from whatsapp_send_outbox
      where ctid = any(array(
        select o.ctid
        from whatsapp_send_outbox o
        where o.created_at < ${before} and o.updated_at < ${before} and o.status = 'done'
          and not exists (
            select
            from dead_letters d
            where d.tenant_id = o.tenant_id and d.outbox_id = o.id)
        limit ${limit}))
      returning tenant_id, id
    ),
    attempts as (
      delete from send_attempts a
      using gone
      where a.tenant_id = gone.tenant_id and a.outbox_id = gone.id
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

/** What numbers owed to contacts and have paid long since; and calls that no breaker's window reaches back to. */
export async function deletePaidPairs(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from send_pairs
      where ctid = any(array(select ctid from send_pairs where paced_until < ${before} limit ${limit}))
      returning 1
    ),
    old as (
      delete from send_calls
      where ctid = any(array(select ctid from send_calls where starts_at < ${before} limit ${limit}))
      returning 1
    )
    select greatest((select count(*) from gone), (select count(*) from old))::int as count`)
  return row?.count ?? 0
}

/** What nobody took in time is given up first: its lane goes on. */
export async function expireDeliveries(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select delivery_expire(${before}, ${limit}::int) as count`,
  )
  return row?.count ?? 0
}

/** Events with their deliveries, but for those that are still being delivered. */
export async function deleteEvents(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from events
      where ctid = any(array(
        select e.ctid
        from events e
        where e.created_at < ${before} and e.position is not null
          and not exists (
            select
            from event_deliveries d
            where d.tenant_id = e.tenant_id and d.event_id = e.id and d.status in ('pending', 'running'))
        limit ${limit}))
      returning tenant_id, id
    ),
    deliveries as (
      delete from event_deliveries d
      using gone
      where d.tenant_id = gone.tenant_id and d.event_id = gone.id
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

export async function deleteEventAttempts(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from event_attempts
      where ctid = any(array(
        select ctid
        from event_attempts
        where started_at < ${before} and finished_at is not null
        limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

export async function deleteSessions(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from sessions
      where ctid = any(array(
        select ctid from sessions where last_seen_at < ${before} order by last_seen_at limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

/** Wrong passwords that are forgiven, and links that are over. */
export async function deleteSignInTraces(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with failures as (
      delete from sign_in_failures
      where ctid = any(array(
        select ctid from sign_in_failures where updated_at < ${before} order by updated_at limit ${limit}))
      returning 1
    ),
    links as (
      delete from person_links
      where expires_at < ${before}
      returning 1
    )
    select greatest((select count(*) from failures), (select count(*) from links))::int as count`)
  return row?.count ?? 0
}

/** Of the whole database, for as long as the session lasts. */
export async function tryLockRetention(session: Tx): Promise<boolean> {
  const [row] = await session.query(
    sql<{ locked: boolean }>`select pg_try_advisory_lock(7215304) as locked`,
  )
  return row?.locked ?? false
}

export async function unlockRetention(session: Tx): Promise<void> {
  await session.query(sql`select pg_advisory_unlock(7215304)`)
}
