import { sql, type Tx } from '../db/connect.ts'

export type LedgerSum = Record<string, number>

/**
 * Items of the newest settled events, by the outcomes that are written in them. An event without one (`received` of 1 and
 * no part) is a difference of 1, and so is any number that an outcome lacks.
 */
export async function sumNewestEvents(db: Tx, limit: number): Promise<LedgerSum> {
  const [row] = await db.query(sql<LedgerSum>`
    with newest as (
      select case when jsonb_typeof(outcome) = 'object' and outcome <> '{}' then outcome else '{"-": {"received": 1}}' end
        as outcome
      from (
        select status, outcome from whatsapp_webhook_events order by id desc limit ${limit}
      ) as latest
      where status in ('done', 'failed')
    ),
    told as (
      select part.value as counts,
        case when jsonb_typeof(part.value -> 'ignored') = 'object' then (
          select sum(jsonb_path_query_first(ignored.value, '$ ? (@.type() == "number")')::numeric)
          from jsonb_each(part.value -> 'ignored') as ignored) end as ignored
      from newest
      cross join lateral jsonb_each(newest.outcome) as part
    )
    select coalesce(sum(jsonb_path_query_first(counts, '$.received ? (@.type() == "number")')::numeric), 0)::float8
        as received,
      (coalesce(sum(jsonb_path_query_first(counts, '$.messages ? (@.type() == "number")')::numeric), 0)
        + coalesce(sum(jsonb_path_query_first(counts, '$.statuses ? (@.type() == "number")')::numeric), 0)
        + coalesce(sum(jsonb_path_query_first(counts, '$.notices ? (@.type() == "number")')::numeric), 0))::float8
        as applied,
      coalesce(sum(jsonb_path_query_first(counts, '$.duplicates ? (@.type() == "number")')::numeric), 0)::float8
        as duplicate,
      coalesce(sum(ignored), 0)::float8 as ignored,
      coalesce(sum(jsonb_path_query_first(counts, '$.dead ? (@.type() == "number")')::numeric), 0)::float8 as dead
    from told`)
  return row ?? {}
}

/** The messages of each one's newest outbox rows. One that is queued and waits in no row is lost, and in no part. */
export async function sumNewestSends(db: Tx, tenants: number, limit: number): Promise<LedgerSum> {
  const [row] = await db.query(sql<LedgerSum>`
    with sampled as materialized (
      select id from tenants order by random() limit ${tenants}
    ),
    messages as (
      select distinct o.tenant_id, o.message_id
      from sampled
      cross join lateral (
        select tenant_id, message_id
        from whatsapp_send_outbox
        where tenant_id = sampled.id
        order by id desc
        limit ${limit}
      ) as o
    )
    select count(*)::float8 as accepted,
      (count(*) filter (where m.status in ('sent', 'delivered', 'read', 'played')))::float8 as sent,
      (count(*) filter (where m.status = 'failed'))::float8 as failed,
      (count(*) filter (where m.status = 'unknown'))::float8 as unknown,
      (count(*) filter (where m.status = 'cancelled'))::float8 as cancelled,
      (count(*) filter (where m.status = 'queued' and exists (
        select
        from whatsapp_send_outbox w
        where w.tenant_id = m.tenant_id and w.message_id = m.id and w.status in ('pending', 'running'))))::float8
        as waiting
    from messages
    join whatsapp_messages m on m.tenant_id = messages.tenant_id and m.id = messages.message_id`)
  return row ?? {}
}
