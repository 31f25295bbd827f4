// Looking for one message or delivery, wherever it left a mark. Statements that only `estafet trace` runs may read a
// whole table: a person asks once, and an index would be paid for by every webhook.
import { sql, type Tx } from '../db/connect.ts'
import type { Place } from './place.ts'

export interface TraceRow {
  event_id: string
  attempt: number
  inbound_event_id: string
  correlation_id: string
  task_name: string
  started_at: Date
  finished_at: Date | null
  outcome: 'done' | 'failed' | 'retried' | 'lost' | null
  outbound_enqueue_status: 'none' | 'enqueued' | 'failed'
  error: string | null
  /** `started_at` to the microsecond. */
  place: string
}

export interface TraceFilter {
  inboundEventId: string | null
  correlationId: string | null
}

/** An attempt that nobody finished is lost once its event is no longer in it. */
export async function selectTraces(
  db: Tx,
  filter: TraceFilter,
  after: Place | null,
  limit: number,
): Promise<TraceRow[]> {
  return db.query(sql<TraceRow>`
    select t.event_id, t.attempt, t.inbound_event_id, t.correlation_id, t.task_name, t.started_at, t.finished_at,
      case when t.outcome is null and not (e.status = 'processing' and e.attempt = t.attempt) then 'lost'
        else t.outcome end as outcome,
      t.outbound_enqueue_status, t.error, t.started_at::text as place
    from whatsapp_inbound_traces t
    left join whatsapp_webhook_events e on e.id = t.event_id
    where (${filter.inboundEventId}::text is null
        or t.event_id in (
          select id from whatsapp_webhook_events where inbound_event_id = ${filter.inboundEventId}::text))
      and (${filter.correlationId}::uuid is null or t.correlation_id = ${filter.correlationId}::uuid)
      and (${after?.at ?? null}::timestamptz is null
        or (t.started_at, t.event_id, t.attempt)
          < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid, ${after?.number ?? null}::int))
    order by t.started_at desc, t.event_id desc, t.attempt desc
    limit ${limit}`)
}

export async function selectTracesOf(db: Tx, eventIds: string[]): Promise<TraceRow[]> {
  return db.query(sql<TraceRow>`
    select t.event_id, t.attempt, t.inbound_event_id, t.correlation_id, t.task_name, t.started_at, t.finished_at,
      case when t.outcome is null and not (e.status = 'processing' and e.attempt = t.attempt) then 'lost'
        else t.outcome end as outcome,
      t.outbound_enqueue_status, t.error, t.started_at::text as place
    from whatsapp_inbound_traces t
    join whatsapp_webhook_events e on e.id = t.event_id
    where t.event_id = any(${eventIds}::uuid[])`)
}

export interface MessageFacts {
  id: string
  tenant_id: string
  wamid: string | null
  event_id: string | null
  correlation_id: string
  direction: string
  origin: string
  type: string
  status: string
  occurred_at: Date
  created_at: Date
}

export async function selectMessageById(db: Tx, id: string): Promise<MessageFacts[]> {
  return db.query(sql<MessageFacts>`
    select m.id, m.tenant_id, m.wamid, m.event_id, m.correlation_id, m.direction, m.origin, m.type, m.status,
      m.occurred_at, m.created_at
    from tenants t
    join whatsapp_messages m on m.tenant_id = t.id and m.id = ${id}`)
}

/** Goes through the tenants: every key begins with one. */
export async function selectMessagesByWamid(db: Tx, wamid: string): Promise<MessageFacts[]> {
  return db.query(sql<MessageFacts>`
    select m.id, m.tenant_id, m.wamid, m.event_id, m.correlation_id, m.direction, m.origin, m.type, m.status,
      m.occurred_at, m.created_at
    from tenants t
    join whatsapp_messages m on m.tenant_id = t.id and m.wamid = ${wamid}
    union all
    -- Also by the name of a second acceptance.
    select m.id, m.tenant_id, m.wamid, m.event_id, m.correlation_id, m.direction, m.origin, m.type, m.status,
      m.occurred_at, m.created_at
    from send_attempts a
    join whatsapp_send_outbox o on o.tenant_id = a.tenant_id and o.id = a.outbox_id
    join whatsapp_messages m on m.tenant_id = o.tenant_id and m.id = o.message_id
    where a.wamid = ${wamid} and a.duplicate_confirmed_at is not null`)
}

export async function selectMessagesOfEvents(db: Tx, eventIds: string[]): Promise<MessageFacts[]> {
  return db.query(sql<MessageFacts>`
    select m.id, m.tenant_id, m.wamid, m.event_id, m.correlation_id, m.direction, m.origin, m.type, m.status,
      m.occurred_at, m.created_at
    from whatsapp_webhook_events e
    join whatsapp_messages m on m.correlation_id = e.correlation_id and m.event_id = e.id
    where e.id = any(${eventIds}::uuid[])
    order by m.created_at, m.id
    limit 1000`)
}

export interface StatusFacts {
  tenant_id: string
  wamid: string
  status: string
  participant: string
  event_id: string | null
  occurred_at: Date
  received_at: Date
}

export async function selectStatusesByWamid(db: Tx, wamid: string): Promise<StatusFacts[]> {
  return db.query(sql<StatusFacts>`
    select s.tenant_id, s.wamid, s.status, s.participant, s.event_id, s.occurred_at, s.received_at
    from tenants t
    join whatsapp_message_statuses s on s.tenant_id = t.id and s.wamid = ${wamid}
    order by s.received_at
    limit 1000`)
}

export async function selectStatusesOfEvents(db: Tx, eventIds: string[]): Promise<StatusFacts[]> {
  return db.query(sql<StatusFacts>`
    select tenant_id, wamid, status, participant, event_id, occurred_at, received_at
    from whatsapp_message_statuses
    where event_id = any(${eventIds}::uuid[])
    order by received_at
    limit 1000`)
}

export interface ChangeFacts {
  tenant_id: string
  target_wamid: string
  wamid: string
  kind: string
  event_id: string
  occurred_at: Date
}

export async function selectChangesByTarget(db: Tx, wamid: string): Promise<ChangeFacts[]> {
  return db.query(sql<ChangeFacts>`
    select c.tenant_id, c.target_wamid, c.wamid, c.kind, c.event_id, c.occurred_at
    from tenants t
    join whatsapp_message_changes c on c.tenant_id = t.id and c.target_wamid = ${wamid}
    order by c.occurred_at
    limit 1000`)
}

export async function selectChangesOfEvents(db: Tx, eventIds: string[]): Promise<ChangeFacts[]> {
  return db.query(sql<ChangeFacts>`
    select tenant_id, target_wamid, wamid, kind, event_id, occurred_at
    from whatsapp_message_changes
    where event_id = any(${eventIds}::uuid[])
    order by occurred_at
    limit 1000`)
}

export interface NoticeFacts {
  id: string
  tenant_id: string
  field: string
  event: string | null
  event_id: string
  created_at: Date
}

export async function selectNoticesOfEvents(db: Tx, eventIds: string[]): Promise<NoticeFacts[]> {
  return db.query(sql<NoticeFacts>`
    select id, tenant_id, field, event, event_id, created_at
    from whatsapp_account_events
    where event_id = any(${eventIds}::uuid[])
    order by created_at
    limit 1000`)
}

export interface EventFacts {
  id: string
  received_at: Date
  processed_at: Date | null
  status: string
  attempt: number
  last_error: string | null
  inbound_event_id: string
  correlation_id: string
  phone_number_id: string | null
  bytes: number
  outcome: Record<string, unknown> | null
  pruned_at: Date | null
}

export async function selectEvents(db: Tx, ids: string[]): Promise<EventFacts[]> {
  return db.query(sql<EventFacts>`
    select id, received_at, processed_at, status, attempt, last_error, inbound_event_id, correlation_id,
      phone_number_id, octet_length(raw) as bytes, outcome, pruned_at
    from whatsapp_webhook_events
    where id = any(${ids}::uuid[])
    order by received_at, id`)
}

export async function selectEventIdsByName(db: Tx, names: string[]): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    select id
    from whatsapp_webhook_events
    where inbound_event_id = any(${names}::text[])
    order by received_at desc
    limit 200`)
  return rows.map((row) => row.id)
}

export async function selectEventIdsByCorrelation(db: Tx, id: string): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    select id
    from whatsapp_webhook_events
    where id = ${id} or correlation_id = ${id}
    limit 200`)
  return rows.map((row) => row.id)
}

export interface LetterFacts {
  id: string
  tenant_id: string | null
  kind: string
  state: string
  event_id: string | null
  /** Of what was to be sent. */
  outbox_id: string | null
  item_path: string
  error_code: string
  error_message: string
  created_at: Date
  decided_at: Date | null
  decided_by: string | null
  decision_reason: string | null
}

/** With `text`: only those whose payload has it, because a delivery may hold many people's items. */
export async function selectLettersOfEvents(
  db: Tx,
  eventIds: string[],
  text: string | null,
): Promise<LetterFacts[]> {
  return db.query(sql<LetterFacts>`
    select id, tenant_id, kind, state, event_id, outbox_id, item_path, error_code, error_message, created_at, decided_at,
      decided_by, decision_reason
    from dead_letters
    where event_id = any(${eventIds}::uuid[])
      and (${text}::text is null or position(convert_to(${text}::text, 'UTF8') in raw) > 0)
    order by created_at, id
    limit 1000`)
}

/** Of what was to be sent. */
export async function selectLettersOfMessages(
  db: Tx,
  messages: { tenant_id: string; id: string }[],
): Promise<LetterFacts[]> {
  return db.query(sql<LetterFacts>`
    select d.id, d.tenant_id, d.kind, d.state, d.event_id, d.outbox_id, d.item_path, d.error_code, d.error_message, d.created_at,
      d.decided_at, d.decided_by, d.decision_reason
    from unnest(
      ${messages.map((message) => message.tenant_id)}::uuid[],
      ${messages.map((message) => message.id)}::uuid[]) as m (tenant_id, id)
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
    join dead_letters d on d.tenant_id = o.tenant_id and d.outbox_id = o.id
    order by d.created_at, d.id
    limit 1000`)
}

/** Dead letters that name something, for what never became a message. */
export async function selectEventIdsOfLetters(
  db: Tx,
  letterId: string | null,
  text: string | null,
): Promise<string[]> {
  const rows = await db.query(sql<{ event_id: string }>`
    select distinct event_id
    from dead_letters
    where event_id is not null
      and (id = ${letterId}::uuid or position(convert_to(${text}::text, 'UTF8') in raw) > 0)
    limit 200`)
  return rows.map((row) => row.event_id)
}

export interface ActFacts {
  at: Date
  actor: string
  action: string
  subject: string
  reason: string | null
}

/** Acts on these things, and replays of a period that one of these moments lies in. */
export async function selectActsOn(
  db: Tx,
  subjects: string[],
  received: Date[],
): Promise<ActFacts[]> {
  return db.query(sql<ActFacts>`
    select at, actor, action, subject, reason
    from audit_log
    where subject = any(${subjects}::text[])
      or case when action = 'events.replayed' then exists (
        select
        from unnest(${received}::timestamptz[]) as moment
        where moment >= split_part(subject, '/', 1)::timestamptz
          and moment < split_part(subject, '/', 2)::timestamptz) end
    order by at
    limit 1000`)
}

export interface Named {
  name: string
  at: Date
}

export async function selectRecentDeliveries(db: Tx, limit: number): Promise<Named[]> {
  return db.query(sql<Named>`
    select inbound_event_id as name, received_at as at
    from whatsapp_webhook_events
    order by id desc
    limit ${limit}`)
}

export async function selectRecentWamids(db: Tx, limit: number): Promise<Named[]> {
  return db.query(sql<Named>`
    select m.wamid as name, m.created_at as at
    from tenants t
    cross join lateral (
      select wamid, created_at
      from whatsapp_messages
      where tenant_id = t.id and wamid is not null
      order by created_at desc, id desc
      limit ${limit}
    ) as m
    order by m.created_at desc
    limit ${limit}`)
}

export async function selectRecentContacts(db: Tx, limit: number): Promise<Named[]> {
  return db.query(sql<Named>`
    select ids.name, c.updated_at as at
    from whatsapp_contacts c
    cross join lateral (values (c.wa_id), (c.user_id)) as ids (name)
    where ids.name is not null
    order by c.updated_at desc
    limit ${limit}`)
}

export interface ContactFacts {
  tenant_id: string
  conversation_id: string
  phone_number_id: string
  last_message_at: Date
  message_ids: string[]
}

/** The conversations of whoever has this id, each with its latest messages. */
export async function selectConversationsOf(db: Tx, name: string): Promise<ContactFacts[]> {
  return db.query(sql<ContactFacts>`
    select c.tenant_id, c.id as conversation_id, c.phone_number_id, c.last_message_at,
      array(
        select m.id
        from whatsapp_messages m
        where m.tenant_id = c.tenant_id and m.conversation_id = c.id
        order by m.occurred_at desc, m.id desc
        limit 10) as message_ids
    from tenants t
    join whatsapp_contacts p on p.tenant_id = t.id and (p.wa_id = ${name} or p.user_id = ${name})
    join whatsapp_conversations c on c.tenant_id = p.tenant_id and c.contact_id = p.id and c.merged_into is null
    order by c.last_message_at desc
    limit 50`)
}
