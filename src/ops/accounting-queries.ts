// Sums over events.outcome. Numbers are read with a path that takes numbers only: whatever somebody made of an outcome,
// these statements answer, and reconcile names it.
import { sql, type Tx } from '../db/connect.ts'

export interface Period {
  from: Date | null
  to: Date | null
}

export interface OutcomeSum {
  /** A tenant's id, or `-` for what belongs to nobody. */
  tenant: string
  received: number
  messages: number
  statuses: number
  notices: number
  duplicates: number
  dead: number
}

/** Of every event that is settled, per tenant. */
export async function sumOutcomes(db: Tx, { from, to }: Period): Promise<OutcomeSum[]> {
  return db.query(sql<OutcomeSum>`
    select part.key as tenant,
      sum(coalesce(jsonb_path_query_first(part.value, '$.received ? (@.type() == "number")')::numeric, 0))::float8
        as received,
      sum(coalesce(jsonb_path_query_first(part.value, '$.messages ? (@.type() == "number")')::numeric, 0))::float8
        as messages,
      sum(coalesce(jsonb_path_query_first(part.value, '$.statuses ? (@.type() == "number")')::numeric, 0))::float8
        as statuses,
      sum(coalesce(jsonb_path_query_first(part.value, '$.notices ? (@.type() == "number")')::numeric, 0))::float8
        as notices,
      sum(coalesce(jsonb_path_query_first(part.value, '$.duplicates ? (@.type() == "number")')::numeric, 0))::float8
        as duplicates,
      sum(coalesce(jsonb_path_query_first(part.value, '$.dead ? (@.type() == "number")')::numeric, 0))::float8
        as dead
    from whatsapp_webhook_events e
    cross join lateral jsonb_each(case when jsonb_typeof(e.outcome) = 'object' then e.outcome else '{}' end) as part
    where e.status in ('done', 'failed')
      and (${from}::timestamptz is null or e.received_at >= ${from})
      and (${to}::timestamptz is null or e.received_at < ${to})
    group by part.key
    order by part.key`)
}

export interface IgnoredSum {
  tenant: string
  reason: string
  count: number
}

export async function sumIgnored(db: Tx, { from, to }: Period): Promise<IgnoredSum[]> {
  return db.query(sql<IgnoredSum>`
    select part.key as tenant, ignored.key as reason,
      sum(coalesce(jsonb_path_query_first(ignored.value, '$ ? (@.type() == "number")')::numeric, 0))::float8 as count
    from whatsapp_webhook_events e
    cross join lateral jsonb_each(case when jsonb_typeof(e.outcome) = 'object' then e.outcome else '{}' end) as part
    cross join lateral jsonb_each(
      case when jsonb_typeof(part.value -> 'ignored') = 'object' then part.value -> 'ignored' else '{}' end) as ignored
    where e.status in ('done', 'failed')
      and (${from}::timestamptz is null or e.received_at >= ${from})
      and (${to}::timestamptz is null or e.received_at < ${to})
    group by part.key, ignored.key
    order by part.key, ignored.key`)
}

export interface EventCount {
  tenant_id: string | null
  status: 'pending' | 'processing' | 'done' | 'failed'
  count: number
}

/** Webhooks by state, and by the tenant of their first item: what else they hold shows when they are processed. */
export async function countEvents(db: Tx, { from, to }: Period): Promise<EventCount[]> {
  return db.query(sql<EventCount>`
    select a.tenant_id, e.status, count(*)::float8 as count
    from whatsapp_webhook_events e
    left join whatsapp_accounts a on a.phone_number_id = e.phone_number_id
    where (${from}::timestamptz is null or e.received_at >= ${from})
      and (${to}::timestamptz is null or e.received_at < ${to})
    group by a.tenant_id, e.status`)
}

/** One snapshot for everything that follows in this transaction. */
export async function freezeSnapshot(tx: Tx): Promise<void> {
  await tx.query(sql`set transaction isolation level repeatable read, read only`)
}

export interface UnsoundOutcome {
  event_id: string
  tenant: string | null
  /** Null when there is no outcome at all, or not one of ours. */
  received: number | null
  accounted: number | null
}

/** Settled events whose outcome is missing, is not one of ours, or does not add up. */
export async function selectUnsoundOutcomes(tx: Tx, limit: number): Promise<UnsoundOutcome[]> {
  return tx.query(sql<UnsoundOutcome>`
    select e.id as event_id, part.key as tenant, told.received::float8, told.accounted::float8
    from whatsapp_webhook_events e
    left join lateral jsonb_each(case when jsonb_typeof(e.outcome) = 'object' then e.outcome else '{}' end) as part
      on true
    left join lateral (
      select jsonb_path_query_first(part.value, '$.received ? (@.type() == "number")')::numeric as received,
        jsonb_path_query_first(part.value, '$.messages ? (@.type() == "number")')::numeric
          + jsonb_path_query_first(part.value, '$.statuses ? (@.type() == "number")')::numeric
          + jsonb_path_query_first(part.value, '$.notices ? (@.type() == "number")')::numeric
          + jsonb_path_query_first(part.value, '$.duplicates ? (@.type() == "number")')::numeric
          + jsonb_path_query_first(part.value, '$.dead ? (@.type() == "number")')::numeric
          + case when jsonb_typeof(part.value -> 'ignored') = 'object' then (
              select coalesce(sum(jsonb_path_query_first(ignored.value, '$ ? (@.type() == "number")')::numeric), 0)
              from jsonb_each(part.value -> 'ignored') as ignored) end as accounted
    ) as told on true
    where e.status in ('done', 'failed')
      and (jsonb_typeof(e.outcome) is distinct from 'object'
        or (part.key is not null and told.received is distinct from told.accounted)
        or (part.key is not null and told.received is null))
    order by e.id
    limit ${limit}`)
}

export interface CountDifference {
  kind: 'messages' | 'statuses' | 'notices'
  event_id: string
  tenant: string
  told: number
  kept: number
}

/** Per event and tenant: what the outcome of a processed event tells of, against the rows that name the event. */
export async function selectCountDifferences(tx: Tx, limit: number): Promise<CountDifference[]> {
  return tx.query(sql<CountDifference>`
    with told as (
      select number.kind, e.id as event_id, part.key as tenant, number.told
      from whatsapp_webhook_events e
      cross join lateral jsonb_each(case when jsonb_typeof(e.outcome) = 'object' then e.outcome else '{}' end) as part
      cross join lateral (values
        ('messages', jsonb_path_query_first(part.value, '$.messages ? (@.type() == "number")')::numeric),
        ('statuses', jsonb_path_query_first(part.value, '$.statuses ? (@.type() == "number")')::numeric),
        ('notices', jsonb_path_query_first(part.value, '$.notices ? (@.type() == "number")')::numeric))
        as number (kind, told)
      where e.status = 'done' and number.told <> 0
    ),
    kept as (
      select 'messages' as kind, event_id, tenant_id::text as tenant, count(*) as kept
      from whatsapp_messages
      where event_id is not null
      group by event_id, tenant_id
      union all
      select 'statuses', event_id, tenant_id::text, count(*)
      from whatsapp_message_statuses
      where event_id is not null
      group by event_id, tenant_id
      union all
      select 'notices', event_id, tenant_id::text, count(*)
      from whatsapp_account_events
      group by event_id, tenant_id
    )
    select kind, event_id, tenant, coalesce(told.told, 0)::float8 as told, coalesce(kept.kept, 0)::float8 as kept
    from told
    full join kept using (kind, event_id, tenant)
    left join whatsapp_webhook_events e on e.id = event_id
    where coalesce(told.told, 0) <> coalesce(kept.kept, 0)
      and (e.status = 'done' or e.id is null)
    order by event_id, kind, tenant
    limit ${limit}`)
}

export interface DeadDifference {
  event_id: string
  told: number
  open: number
  discarded: number
}

/**
 * Per event: what its outcome calls dead, against the places of it that have a dead letter. A discarded one may have
 * gone through since; an open one may not (dead-letters/resolve.ts). A failed event is dead as a whole.
 */
export async function selectDeadDifferences(tx: Tx, limit: number): Promise<DeadDifference[]> {
  return tx.query(sql<DeadDifference>`
    with told as (
      select e.id as event_id,
        sum(coalesce(jsonb_path_query_first(part.value, '$.dead ? (@.type() == "number")')::numeric, 0)) as told
      from whatsapp_webhook_events e
      cross join lateral jsonb_each(case when jsonb_typeof(e.outcome) = 'object' then e.outcome else '{}' end) as part
      where e.status in ('done', 'failed')
      group by e.id
    ),
    places as (
      select d.event_id, d.item_path, bool_or(d.state = 'open') as is_open, bool_or(d.state = 'discarded') as is_discarded
      from dead_letters d
      left join whatsapp_webhook_events e on e.id = d.event_id
      where d.event_id is not null and d.kind in ('inbound', 'malformed', 'unroutable')
        and (e.id is null or e.status = 'done' or (e.status = 'failed' and d.item_path = ''))
      group by d.event_id, d.item_path
    ),
    kept as (
      select event_id, count(*) filter (where is_open) as open, count(*) filter (where is_discarded and not is_open) as discarded
      from places
      group by event_id
    )
    select event_id, coalesce(told.told, 0)::float8 as told, coalesce(kept.open, 0)::float8 as open,
      coalesce(kept.discarded, 0)::float8 as discarded
    from told
    full join kept using (event_id)
    where coalesce(told.told, 0) < coalesce(kept.open, 0)
      or coalesce(told.told, 0) > coalesce(kept.open, 0) + coalesce(kept.discarded, 0)
    order by event_id
    limit ${limit}`)
}
