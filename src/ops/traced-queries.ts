// What a tenant may know of a message's way; every statement names the tenant. Tables are read by their keys alone.
import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'

export interface TracedRow {
  id: string
  tenant_id: string
  direction: 'inbound' | 'outbound'
  type: string
  status: string
  wamid: string | null
  client_reference: string | null
  conversation_id: string | null
  contact: { name: string | null; wa_id: string | null } | null
  phone_number_id: string
  correlation_id: string
  event_id: string | null
  ended_at: Date | null
  created_at: Date
}

/** Whose: one tenant's, or everybody's (null). */
export type Whose = string | null

export interface Wanted {
  /** Null: whichever. */
  ids: string[] | null
  conversationIds: string[] | null
}

/** The latest first. */
export async function selectTraced(
  tx: Tx,
  whose: Whose,
  wanted: Wanted,
  after: Cursor | null,
  limit: number,
): Promise<TracedRow[]> {
  return tx.query(sql<TracedRow>`
    select m.*, case when p.id is not null then
      jsonb_build_object('name', coalesce(p.name, c.contact_name), 'wa_id', p.wa_id) end as contact
    from tenants t
    cross join lateral (
      select id, tenant_id, direction, type, status, wamid, client_reference, conversation_id, phone_number_id,
        correlation_id, event_id, ended_at, created_at
      from whatsapp_messages
      where tenant_id = t.id
        and (${wanted.ids}::uuid[] is null or id = any(${wanted.ids}::uuid[]))
        and (${wanted.conversationIds}::uuid[] is null or conversation_id = any(${wanted.conversationIds}::uuid[]))
        and (${after?.at ?? null}::timestamptz is null
          or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
      order by created_at desc, id desc
      limit ${limit}
    ) as m
    left join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    left join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where ${whose}::uuid is null or t.id = ${whose}::uuid
    order by m.created_at desc, m.id desc
    limit ${limit}`)
}

/** What an id may be the id of. */
export interface Names {
  text: string
  messageId: string | null
  letterId: string | null
  toldId: string | null
  correlationId: string | null
}

/** Goes through the tenants: every key begins with one. */
export async function selectIdsNamed(tx: Tx, whose: Whose, names: Names): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    with own as (select id from tenants where ${whose}::uuid is null or id = ${whose}::uuid)
    select m.id
    from own join whatsapp_messages m on m.tenant_id = own.id and m.id = ${names.messageId}::uuid
    union
    select m.id
    from own join whatsapp_messages m on m.tenant_id = own.id and m.wamid = ${names.text}
    union
    select m.id
    from own join whatsapp_messages m on m.tenant_id = own.id and m.client_reference = ${names.text}
    union
    select m.id
    from own join whatsapp_messages m on m.tenant_id = own.id and m.correlation_id = ${names.correlationId}::uuid
    union
    select d.message_id
    from own join dead_letters d on d.tenant_id = own.id and d.id = ${names.letterId}::uuid
    where d.message_id is not null
    union
    select substr(e.data->>'message_id', 5)::uuid
    from own join events e on e.tenant_id = own.id and e.id = ${names.toldId}::uuid
    where e.data->>'message_id' is not null
    union
    -- Also by the name of a second acceptance.
    select o.message_id
    from own
    join send_attempts a on a.tenant_id = own.id and a.wamid = ${names.text} and a.duplicate_confirmed_at is not null
    join whatsapp_send_outbox o on o.tenant_id = a.tenant_id and o.id = a.outbox_id
    limit 200`)
  return rows.map((row) => row.id)
}

/** Conversations of people so called, the latest first. `number`: null where it cannot be one. */
export async function selectConversationsWith(
  tx: Tx,
  whose: Whose,
  sought: { text: string; name: string; number: string | null },
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    select c.id
    from tenants t
    join whatsapp_contacts p on p.tenant_id = t.id
    join whatsapp_conversations c on c.tenant_id = p.tenant_id and c.contact_id = p.id and c.merged_into is null
    where (${whose}::uuid is null or t.id = ${whose}::uuid)
      and (coalesce(p.name, c.contact_name) ilike ${sought.name} or p.username ilike ${sought.name}
        or p.wa_id like ${sought.number}::text or p.user_id = ${sought.text})
    order by c.last_message_at desc
    limit 50`)
  return rows.map((row) => row.id)
}

/** By the id of a webhook, or of its story. Nobody's data: the ids of messages are looked up for their owner only. */
export async function selectCorrelationOfEvent(db: Tx, id: string): Promise<string | undefined> {
  const [row] = await db.query(sql<{ correlation_id: string }>`
    select correlation_id from whatsapp_webhook_events where id = ${id}::uuid`)
  return row?.correlation_id
}

/** What caused this message, or what it caused; a webhook may hold many messages of the same story. */
export async function selectStoryOf(
  tx: Tx,
  { tenant_id, correlation_id, direction }: TracedRow,
  limit: number,
): Promise<TracedRow[]> {
  return tx.query(sql<TracedRow>`
    select id, tenant_id, direction, type, status, wamid, client_reference, conversation_id, null as contact,
      phone_number_id, correlation_id, event_id, ended_at, created_at
    from whatsapp_messages
    where tenant_id = ${tenant_id} and correlation_id = ${correlation_id} and direction <> ${direction}
    order by created_at, id
    limit ${limit}`)
}

export interface StatusStep {
  wamid: string
  status: string
  occurred_at: Date
  received_at: Date
}

/** The members of a group reach a status one by one: the first of them tells. */
export async function selectStatusSteps(
  tx: Tx,
  tenantId: string,
  wamids: string[],
): Promise<StatusStep[]> {
  return tx.query(sql<StatusStep>`
    select distinct on (wamid, status) wamid, status, occurred_at, received_at
    from whatsapp_message_statuses
    where tenant_id = ${tenantId} and wamid = any(${wamids}::text[])
    order by wamid, status, received_at
    limit 200`)
}

export interface ToldStep {
  endpoint_id: string
  endpoint_url: string | null
  told_id: string
  type: string
  message_id: string
  started_at: Date
  finished_at: Date | null
  status_code: number | null
  error_code: string | null
}

/**
 * Calls to the tenant's endpoints about these messages. Events have no index but the one on time: an event is as old as
 * what it tells of.
 */
export async function selectToldSteps(
  tx: Tx,
  tenantId: string,
  correlationId: string,
  messageIds: string[],
  moments: Date[],
): Promise<ToldStep[]> {
  return tx.query(sql<ToldStep>`
    select distinct on (a.started_at, a.id) d.endpoint_id, p.url as endpoint_url, e.id as told_id, e.type,
      e.data->>'message_id' as message_id, a.started_at, a.finished_at, a.status_code, a.error_code
    from unnest(${moments}::timestamptz[]) as moment
    join events e on e.tenant_id = ${tenantId}
      and e.created_at between moment - interval '15 minutes' and moment + interval '15 minutes'
    join event_deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id
    join event_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
    left join event_endpoints p on p.tenant_id = d.tenant_id and p.id = d.endpoint_id
    where e.correlation_id = ${correlationId} and e.data->>'message_id' = any(${messageIds}::text[])
    order by a.started_at, a.id
    limit 200`)
}
