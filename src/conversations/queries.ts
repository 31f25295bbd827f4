import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'
import { isObject } from '../meta/json.ts'
import type {
  ConversationTouch,
  MessageName,
  MessageStatus,
  NewInboundMessage,
  NewStatus,
} from './model.ts'

export async function existingWamids(tx: Tx, names: MessageName[]): Promise<string[]> {
  const rows = await tx.query(sql<{ key: string }>`
    select m.tenant_id || ' ' || m.wamid as key
    from unnest(
      ${names.map((name) => name.tenantId)}::uuid[],
      ${names.map((name) => name.wamid)}::text[]) as wanted (tenant_id, wamid)
    join whatsapp_messages m using (tenant_id, wamid)`)
  return rows.map((row) => row.key)
}

/** Creates or reopens, never moves a time back. Returns conversation ids by `tenant number contact`. */
export async function upsertConversations(
  tx: Tx,
  touches: ConversationTouch[],
  now: Date,
): Promise<Map<string, string>> {
  if (touches.length === 0) return new Map()
  const rows = await tx.query(sql<{ id: string; key: string }>`
    insert into whatsapp_conversations as c
      (id, tenant_id, phone_number_id, contact_wa_id, contact_user_id, contact_name, last_message_at, last_inbound_at,
       created_at, updated_at)
    select id, tenant_id, phone_number_id, contact_wa_id, contact_user_id, contact_name, last_message_at,
      last_inbound_at, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${touches.map((touch) => touch.id)}::uuid[],
      ${touches.map((touch) => touch.tenantId)}::uuid[],
      ${touches.map((touch) => touch.phoneNumberId)}::text[],
      ${touches.map((touch) => touch.contactWaId)}::text[],
      ${touches.map((touch) => touch.contactUserId)}::text[],
      ${touches.map((touch) => touch.contactName)}::text[],
      ${touches.map((touch) => touch.lastMessageAt)}::timestamptz[],
      ${touches.map((touch) => touch.lastInboundAt)}::timestamptz[])
      with ordinality as touch (id, tenant_id, phone_number_id, contact_wa_id, contact_user_id, contact_name,
        last_message_at, last_inbound_at, place)
    order by place
    on conflict (tenant_id, phone_number_id, contact_wa_id) do update
    set status = 'open',
      last_message_at = greatest(c.last_message_at, excluded.last_message_at),
      last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at),
      contact_user_id = coalesce(excluded.contact_user_id, c.contact_user_id),
      contact_name = coalesce(excluded.contact_name, c.contact_name),
      updated_at = excluded.updated_at
    returning id, tenant_id || ' ' || phone_number_id || ' ' || contact_wa_id as key`)
  return new Map(rows.map((row) => [row.key, row.id]))
}

export async function insertMessages(
  tx: Tx,
  messages: (NewInboundMessage & { conversationId: string | null })[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_messages
      (id, tenant_id, phone_number_id, conversation_id, direction, type, wamid, status, content, reply_to_wamid,
       occurred_at, created_at, event_id, correlation_id)
    select id, tenant_id, phone_number_id, conversation_id, 'inbound', type, wamid, 'received', content, reply_to_wamid,
      occurred_at, ${now}::timestamptz, event_id, correlation_id
    from unnest(
      ${messages.map((message) => message.id)}::uuid[],
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.phoneNumberId)}::text[],
      ${messages.map((message) => message.conversationId)}::uuid[],
      ${messages.map((message) => message.type)}::text[],
      ${messages.map((message) => message.wamid)}::text[],
      ${messages.map((message) => JSON.stringify(message.content))}::jsonb[],
      ${messages.map((message) => message.replyTo)}::text[],
      ${messages.map((message) => message.occurredAt)}::timestamptz[],
      ${messages.map((message) => message.eventId)}::uuid[],
      ${messages.map((message) => message.correlationId)}::uuid[])
      as message (id, tenant_id, phone_number_id, conversation_id, type, wamid, content, reply_to_wamid, occurred_at,
        event_id, correlation_id)`)
}

/** The steps that were not there yet, as `tenant wamid status participant`. */
export async function insertStatuses(tx: Tx, statuses: NewStatus[]): Promise<Set<string>> {
  const rows = await tx.query(sql<{ key: string }>`
    insert into whatsapp_message_statuses
      (tenant_id, wamid, status, participant, phone_number_id, occurred_at, received_at, details, event_id,
       correlation_id)
    select tenant_id, wamid, status, participant, phone_number_id, occurred_at, received_at, details, event_id,
      correlation_id
    from unnest(
      ${statuses.map((status) => status.tenantId)}::uuid[],
      ${statuses.map((status) => status.wamid)}::text[],
      ${statuses.map((status) => status.status)}::text[],
      ${statuses.map((status) => status.participant)}::text[],
      ${statuses.map((status) => status.phoneNumberId)}::text[],
      ${statuses.map((status) => status.occurredAt)}::timestamptz[],
      ${statuses.map((status) => status.receivedAt)}::timestamptz[],
      ${statuses.map((status) => JSON.stringify(status.details))}::jsonb[],
      ${statuses.map((status) => status.eventId)}::uuid[],
      ${statuses.map((status) => status.correlationId)}::uuid[])
      with ordinality as step (tenant_id, wamid, status, participant, phone_number_id, occurred_at, received_at,
        details, event_id, correlation_id, place)
    order by place
    on conflict do nothing
    returning tenant_id || ' ' || wamid || ' ' || status || ' ' || participant as key`)
  return new Set(rows.map((row) => row.key))
}

/** Locks in key order, so that two workers with statuses of the same messages do not lock each other out. */
export async function lockMessagesByWamid(tx: Tx, names: MessageName[]): Promise<Set<string>> {
  const rows = await tx.query(sql<{ key: string }>`
    select m.tenant_id || ' ' || m.wamid as key
    from whatsapp_messages m
    where (m.tenant_id, m.wamid) in (
      select *
      from unnest(
        ${names.map((name) => name.tenantId)}::uuid[],
        ${names.map((name) => name.wamid)}::text[]))
    order by m.tenant_id, m.wamid
    for no key update`)
  return new Set(rows.map((row) => row.key))
}

/** 64 buckets: a bound on the locks one transaction takes, however many messages it names. */
export async function lockJoin(
  tx: Tx,
  names: MessageName[],
  mode: 'exclusive' | 'shared',
): Promise<void> {
  const keys = names.map((name) => `${name.tenantId} ${name.wamid}`)
  if (mode === 'exclusive') {
    await tx.query(sql`
      select pg_advisory_xact_lock(7215302, bucket)
      from (select distinct (hashtext(key) & 63) as bucket from unnest(${keys}::text[]) as key order by 1) as buckets`)
  } else {
    await tx.query(sql`
      select pg_advisory_xact_lock_shared(7215302, bucket)
      from (select distinct (hashtext(key) & 63) as bucket from unnest(${keys}::text[]) as key order by 1) as buckets`)
  }
}

export interface Step extends MessageName {
  status: string
  details: Record<string, unknown>
}

/** Every step kept for these messages. */
export async function statusesOf(tx: Tx, names: MessageName[]): Promise<Step[]> {
  return tx.query(sql<Step>`
    select s.tenant_id as "tenantId", s.wamid, s.status, s.details
    from unnest(
      ${names.map((name) => name.tenantId)}::uuid[],
      ${names.map((name) => name.wamid)}::text[]) as wanted (tenant_id, wamid)
    join whatsapp_message_statuses s using (tenant_id, wamid)`)
}

/** A message shows the highest step; a step below it changes nothing. */
export async function raiseMessageStatuses(tx: Tx, steps: Step[]): Promise<void> {
  await tx.query(sql`
    with highest as (
      select distinct on (tenant_id, wamid) tenant_id, wamid, status, errors
      from unnest(
        ${steps.map((step) => step.tenantId)}::uuid[],
        ${steps.map((step) => step.wamid)}::text[],
        ${steps.map((step) => step.status)}::text[],
        ${steps.map((step) => errorsOf(step))}::jsonb[]) as step (tenant_id, wamid, status, errors)
      where message_status_rank(status) > 0
      order by tenant_id, wamid, message_status_rank(status) desc
    )
    update whatsapp_messages m
    set status = h.status,
      error = case when h.status = 'failed' then h.errors end
    from highest h
    where m.tenant_id = h.tenant_id
      and m.wamid = h.wamid
      and m.direction = 'outbound'
      and message_status_rank(h.status) > message_status_rank(m.status)`)
}

function errorsOf(step: Step): string | null {
  const first = Array.isArray(step.details.errors) ? step.details.errors[0] : undefined
  return isObject(first) ? JSON.stringify(first) : null
}

export interface MessageRow {
  id: string
  conversation_id: string | null
  phone_number_id: string
  direction: 'inbound' | 'outbound'
  type: string
  content: Record<string, unknown>
  status: MessageStatus
  wamid: string | null
  reply_to_wamid: string | null
  attempts: number
  client_reference: string | null
  error: Record<string, unknown> | null
  occurred_at: Date
  created_at: Date
}

export async function selectMessage(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const [row] = await tx.query(sql<MessageRow>`
    select id, conversation_id, phone_number_id, direction, type, content, status, wamid, reply_to_wamid, attempts,
      client_reference, error, occurred_at, created_at
    from whatsapp_messages
    where tenant_id = ${tenantId} and id = ${id}`)
  return row
}

export async function selectMessagesOfConversation(
  tx: Tx,
  tenantId: string,
  conversationId: string,
  after: Cursor | null,
  limit: number,
): Promise<MessageRow[]> {
  return tx.query(sql<MessageRow>`
    select id, conversation_id, phone_number_id, direction, type, content, status, wamid, reply_to_wamid, attempts,
      client_reference, error, occurred_at, created_at
    from whatsapp_messages
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
      and (${after?.at ?? null}::timestamptz is null
        or (occurred_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by occurred_at desc, id desc
    limit ${limit}`)
}

/** One entry per status reached, with the first time it was: a group has one per participant. */
export async function selectTimeline(
  tx: Tx,
  tenantId: string,
  wamid: string,
): Promise<{ status: string; at: Date }[]> {
  return tx.query(sql<{ status: string; at: Date }>`
    select status, min(occurred_at) as at
    from whatsapp_message_statuses
    where tenant_id = ${tenantId} and wamid = ${wamid}
    group by status
    order by min(occurred_at), message_status_rank(status)`)
}

export interface ConversationRow {
  id: string
  phone_number_id: string
  contact_wa_id: string
  contact_user_id: string | null
  contact_name: string | null
  status: 'open' | 'closed'
  last_message_at: Date
  last_inbound_at: Date | null
  assigned_user_id: string | null
  created_at: Date
  updated_at: Date
}

export interface ConversationFilter {
  status: 'open' | 'closed' | null
  phoneNumberId: string | null
}

export async function selectConversations(
  tx: Tx,
  tenantId: string,
  filter: ConversationFilter,
  after: Cursor | null,
  limit: number,
): Promise<ConversationRow[]> {
  return tx.query(sql<ConversationRow>`
    select id, phone_number_id, contact_wa_id, contact_user_id, contact_name, status, last_message_at, last_inbound_at,
      assigned_user_id, created_at, updated_at
    from whatsapp_conversations
    where tenant_id = ${tenantId}
      and (${filter.status}::text is null or status = ${filter.status})
      and (${filter.phoneNumberId}::text is null or phone_number_id = ${filter.phoneNumberId})
      and (${after?.at ?? null}::timestamptz is null
        or (last_message_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by last_message_at desc, id desc
    limit ${limit}`)
}

export async function selectConversation(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  const [row] = await tx.query(sql<ConversationRow>`
    select id, phone_number_id, contact_wa_id, contact_user_id, contact_name, status, last_message_at, last_inbound_at,
      assigned_user_id, created_at, updated_at
    from whatsapp_conversations
    where tenant_id = ${tenantId} and id = ${id}`)
  return row
}
