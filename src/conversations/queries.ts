import { sql, type Tx } from '../db/connect.ts'
import { isObject } from '../meta/json.ts'
import type {
  ConversationTouch,
  MessageName,
  NewChange,
  NewMessage,
  NewStatus,
  QueuedMessage,
} from './model.ts'

/** Which of these are there, as `tenant wamid`. */
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
      (id, tenant_id, phone_number_id, contact_id, contact_wa_id, contact_user_id, contact_name, status,
       last_message_at, last_inbound_at, unread_count, created_at, updated_at)
    select id, tenant_id, phone_number_id, contact_id, coalesce(wa_id, user_id), user_id, name, status,
      last_message_at, last_inbound_at, unread, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${touches.map((touch) => touch.id)}::uuid[],
      ${touches.map((touch) => touch.tenantId)}::uuid[],
      ${touches.map((touch) => touch.phoneNumberId)}::text[],
      ${touches.map((touch) => touch.contact.id)}::uuid[],
      ${touches.map((touch) => touch.contact.waId)}::text[],
      ${touches.map((touch) => touch.contact.userId)}::text[],
      ${touches.map((touch) => touch.contact.name)}::text[],
      ${touches.map((touch) => touch.initialStatus)}::text[],
      ${touches.map((touch) => touch.lastMessageAt)}::timestamptz[],
      ${touches.map((touch) => touch.lastInboundAt)}::timestamptz[],
      ${touches.map((touch) => touch.unread)}::int[])
      with ordinality as touch (id, tenant_id, phone_number_id, contact_id, wa_id, user_id, name, status,
        last_message_at, last_inbound_at, unread, place)
    order by place
    on conflict (tenant_id, phone_number_id, contact_id) where merged_into is null do update
    set status = case when excluded.last_inbound_at is null then c.status else 'open' end,
      last_message_at = greatest(c.last_message_at, excluded.last_message_at),
      last_inbound_at = greatest(c.last_inbound_at, excluded.last_inbound_at),
      contact_user_id = coalesce(excluded.contact_user_id, c.contact_user_id),
      contact_name = coalesce(excluded.contact_name, c.contact_name),
      unread_count = c.unread_count + excluded.unread_count,
      updated_at = excluded.updated_at
    returning id, tenant_id || ' ' || phone_number_id || ' ' || contact_id as key`)
  return new Map(rows.map((row) => [row.key, row.id]))
}

export async function insertMessages(
  tx: Tx,
  messages: (NewMessage & { conversationId: string | null })[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_messages
      (id, tenant_id, phone_number_id, conversation_id, direction, origin, type, wamid, status, content, reply_to_wamid,
       sender_contact_id, occurred_at, created_at, event_id, correlation_id)
    select id, tenant_id, phone_number_id, conversation_id, direction, origin, type, wamid, status, content,
      reply_to_wamid, sender_contact_id, occurred_at, ${now}::timestamptz, event_id, correlation_id
    from unnest(
      ${messages.map((message) => message.id)}::uuid[],
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.phoneNumberId)}::text[],
      ${messages.map((message) => message.conversationId)}::uuid[],
      ${messages.map((message) => message.direction)}::text[],
      ${messages.map((message) => message.origin)}::text[],
      ${messages.map((message) => message.type)}::text[],
      ${messages.map((message) => message.wamid)}::text[],
      ${messages.map((message) => message.status)}::text[],
      ${messages.map((message) => JSON.stringify(message.content))}::jsonb[],
      ${messages.map((message) => message.replyTo)}::text[],
      ${messages.map((message) => message.senderContactId)}::uuid[],
      ${messages.map((message) => message.occurredAt)}::timestamptz[],
      ${messages.map((message) => message.eventId)}::uuid[],
      ${messages.map((message) => message.correlationId)}::uuid[])
      as message (id, tenant_id, phone_number_id, conversation_id, direction, origin, type, wamid, status, content,
        reply_to_wamid, sender_contact_id, occurred_at, event_id, correlation_id)`)
}

export async function insertQueued(
  tx: Tx,
  messages: (QueuedMessage & { conversationId: string })[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_messages
      (id, tenant_id, phone_number_id, conversation_id, direction, type, status, content, reply_to_wamid,
       client_reference, occurred_at, created_at, correlation_id, automatic, sent_by)
    select id, tenant_id, phone_number_id, conversation_id, 'outbound', type, 'queued', content, reply_to_wamid,
      client_reference, ${now}::timestamptz, ${now}::timestamptz, correlation_id, automatic, sent_by
    from unnest(
      ${messages.map((message) => message.id)}::uuid[],
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.phoneNumberId)}::text[],
      ${messages.map((message) => message.conversationId)}::uuid[],
      ${messages.map((message) => message.type)}::text[],
      ${messages.map((message) => JSON.stringify(message.content))}::jsonb[],
      ${messages.map((message) => message.replyTo)}::text[],
      ${messages.map((message) => message.clientReference)}::text[],
      ${messages.map((message) => message.correlationId)}::uuid[],
      ${messages.map((message) => message.automatic ?? false)}::boolean[],
      ${messages.map((message) => message.sentBy ?? null)}::uuid[])
      as message (id, tenant_id, phone_number_id, conversation_id, type, content, reply_to_wamid, client_reference,
        correlation_id, automatic, sent_by)`)
}

/** Each change once: its own message id names it. */
export async function insertChanges(tx: Tx, changes: NewChange[]): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_message_changes
      (tenant_id, target_wamid, wamid, kind, actor, emoji, content, occurred_at, event_id)
    select *
    from unnest(
      ${changes.map((change) => change.tenantId)}::uuid[],
      ${changes.map((change) => change.targetWamid)}::text[],
      ${changes.map((change) => change.wamid)}::text[],
      ${changes.map((change) => change.kind)}::text[],
      ${changes.map((change) => change.actor)}::text[],
      ${changes.map((change) => change.emoji)}::text[],
      ${changes.map((change) => (change.content === null ? null : JSON.stringify(change.content)))}::jsonb[],
      ${changes.map((change) => change.occurredAt)}::timestamptz[],
      ${changes.map((change) => change.eventId)}::uuid[])
    on conflict do nothing`)
}

/** Conversations of the two contacts on the same number: the loser's goes into the winner's. */
export async function selectConversationPairs(
  tx: Tx,
  tenantId: string,
  winnerContactId: string,
  loserContactId: string,
): Promise<{ winnerId: string; loserId: string }[]> {
  return tx.query(sql<{ winnerId: string; loserId: string }>`
    select w.id as "winnerId", l.id as "loserId"
    from whatsapp_conversations w
    join whatsapp_conversations l using (tenant_id, phone_number_id)
    where tenant_id = ${tenantId}
      and w.contact_id = ${winnerContactId} and w.merged_into is null
      and l.contact_id = ${loserContactId} and l.merged_into is null
    order by w.id`)
}

/** The loser stays as a signpost for whoever kept its id, without the key that a stranger may need one day. */
export async function mergeConversation(
  tx: Tx,
  tenantId: string,
  winnerId: string,
  loserId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_messages
    set conversation_id = ${winnerId}
    where tenant_id = ${tenantId} and conversation_id = ${loserId}`)
  await tx.query(sql`
    update whatsapp_conversations w
    set status = case when 'open' in (w.status, l.status) then 'open' else 'closed' end,
      last_message_at = greatest(w.last_message_at, l.last_message_at),
      last_inbound_at = greatest(w.last_inbound_at, l.last_inbound_at),
      contact_name = coalesce(w.contact_name, l.contact_name),
      assigned_user_id = coalesce(w.assigned_user_id, l.assigned_user_id),
      unread_count = w.unread_count + l.unread_count,
      updated_at = ${now}
    from whatsapp_conversations l
    where w.tenant_id = ${tenantId} and w.id = ${winnerId} and l.tenant_id = ${tenantId} and l.id = ${loserId}`)
  await tx.query(sql`
    update whatsapp_conversations
    set merged_into = ${winnerId}, status = 'closed', contact_wa_id = 'merged:' || id, unread_count = 0,
      updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${loserId}`)
}

/** What is left of a merged contact's conversations has no counterpart on its number, and simply changes hands. */
export async function moveConversations(
  tx: Tx,
  tenantId: string,
  loserContactId: string,
  winnerContactId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_conversations
    set contact_id = ${winnerContactId}, updated_at = ${now}
    where tenant_id = ${tenantId} and contact_id = ${loserContactId} and merged_into is null`)
}

export async function renameConversations(
  tx: Tx,
  tenantId: string,
  contactId: string,
  shownId: string,
  userId: string | null,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_conversations
    set contact_wa_id = ${shownId}, contact_user_id = ${userId}, updated_at = ${now}
    where tenant_id = ${tenantId} and contact_id = ${contactId} and merged_into is null`)
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
  participant: string
  receivedAt: Date
  details: Record<string, unknown>
}

/** Every step kept for these messages. */
export async function statusesOf(tx: Tx, names: MessageName[]): Promise<Step[]> {
  return tx.query(sql<Step>`
    select s.tenant_id as "tenantId", s.wamid, s.status, s.participant, s.received_at as "receivedAt", s.details
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

/** Event ids by `tenant wamid`. */
export async function selectMessageEvents(
  tx: Tx,
  names: MessageName[],
): Promise<Map<string, string>> {
  const rows = await tx.query(sql<{ key: string; event_id: string }>`
    select m.tenant_id || ' ' || m.wamid as key, m.event_id
    from unnest(
      ${names.map((name) => name.tenantId)}::uuid[],
      ${names.map((name) => name.wamid)}::text[]) as wanted (tenant_id, wamid)
    join whatsapp_messages m using (tenant_id, wamid)`)
  return new Map(rows.map((row) => [row.key, row.event_id]))
}

/** Event ids by `tenant wamid status participant`. */
export async function selectStatusEvents(
  tx: Tx,
  statuses: NewStatus[],
): Promise<Map<string, string>> {
  const rows = await tx.query(sql<{ key: string; event_id: string }>`
    select s.tenant_id || ' ' || s.wamid || ' ' || s.status || ' ' || s.participant as key, s.event_id
    from unnest(
      ${statuses.map((status) => status.tenantId)}::uuid[],
      ${statuses.map((status) => status.wamid)}::text[],
      ${statuses.map((status) => status.status)}::text[],
      ${statuses.map((status) => status.participant)}::text[]) as wanted (tenant_id, wamid, status, participant)
    join whatsapp_message_statuses s using (tenant_id, wamid, status, participant)`)
  return new Map(rows.map((row) => [row.key, row.event_id]))
}

export interface MessageOfStatus {
  /** `tenant wamid status participant` */
  key: string
  messageId: string
  correlationId: string
  /** Of a group's members, this one reached it first. */
  isFirst: boolean
}

export async function selectMessagesOfStatuses(
  tx: Tx,
  statuses: NewStatus[],
): Promise<MessageOfStatus[]> {
  return tx.query(sql<MessageOfStatus>`
    select w.tenant_id || ' ' || w.wamid || ' ' || w.status || ' ' || w.participant as key, m.id as "messageId",
      m.correlation_id as "correlationId", w.participant = (
        select s.participant
        from whatsapp_message_statuses s
        where s.tenant_id = w.tenant_id and s.wamid = w.wamid and s.status = w.status
        order by s.received_at, s.participant
        limit 1) as "isFirst"
    from unnest(
      ${statuses.map((status) => status.tenantId)}::uuid[],
      ${statuses.map((status) => status.wamid)}::text[],
      ${statuses.map((status) => status.status)}::text[],
      ${statuses.map((status) => status.participant)}::text[]) as w (tenant_id, wamid, status, participant)
    join whatsapp_messages m on m.tenant_id = w.tenant_id and m.wamid = w.wamid`)
}

export interface WindowOpening {
  tenantId: string
  phoneNumberId: string | null
  contactId: string | null
  occurredAt: Date
}

/** Moves the window of conversations that are there; a call alone does not start one. */
export async function updateWindows(tx: Tx, openings: WindowOpening[], now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_conversations c
    set last_inbound_at = greatest(c.last_inbound_at, opening.at), updated_at = ${now}
    from (
      select tenant_id, phone_number_id, contact_id, max(at) as at
      from unnest(
        ${openings.map((opening) => opening.tenantId)}::uuid[],
        ${openings.map((opening) => opening.phoneNumberId)}::text[],
        ${openings.map((opening) => opening.contactId)}::uuid[],
        ${openings.map((opening) => opening.occurredAt)}::timestamptz[])
        as opening (tenant_id, phone_number_id, contact_id, at)
      group by tenant_id, phone_number_id, contact_id
    ) as opening
    where c.tenant_id = opening.tenant_id and c.phone_number_id = opening.phone_number_id
      and c.contact_id = opening.contact_id and c.merged_into is null`)
}
