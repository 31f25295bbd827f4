import type { Cursor } from '../api/paging.ts'
import type { Scope, SuppressionReason } from '../consent/model.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { MessageStatus } from './model.ts'

export interface MessageRow {
  id: string
  conversation_id: string | null
  phone_number_id: string
  direction: 'inbound' | 'outbound'
  origin: 'live' | 'echo' | 'history'
  type: string
  content: Record<string, unknown>
  status: MessageStatus
  wamid: string | null
  reply_to_wamid: string | null
  sender_contact_id: string | null
  attempts: number
  client_reference: string | null
  error: Record<string, unknown> | null
  occurred_at: Date
  created_at: Date
  /** When Meta accepted it, and when it ended without that. */
  accepted_at: Date | null
  ended_at: Date | null
  /** When it was learnt that Meta accepted it twice. */
  duplicate_confirmed_at: Date | null
  automatic: boolean
  /** Who wrote it in the console. */
  sent_by: string | null
  correlation_id: string
}

export async function selectMessage(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const [row] = await tx.query(sql<MessageRow>`
    select id, conversation_id, phone_number_id, direction, origin, type, content, status, wamid, reply_to_wamid,
      sender_contact_id, attempts, client_reference, error, occurred_at, created_at, accepted_at, ended_at,
      duplicate_confirmed_at, automatic, sent_by, correlation_id
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
    select id, conversation_id, phone_number_id, direction, origin, type, content, status, wamid, reply_to_wamid,
      sender_contact_id, attempts, client_reference, error, occurred_at, created_at, accepted_at, ended_at,
      duplicate_confirmed_at, automatic, sent_by, correlation_id
    from whatsapp_messages
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
      and (${after?.at ?? null}::timestamptz is null
        or (occurred_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by occurred_at desc, id desc
    limit ${limit}`)
}

/** In the order in which they were recorded, the latest first. */
export async function selectMessages(
  tx: Tx,
  tenantId: string,
  status: MessageStatus | null,
  after: Cursor | null,
  limit: number,
): Promise<MessageRow[]> {
  return tx.query(sql<MessageRow>`
    select id, conversation_id, phone_number_id, direction, origin, type, content, status, wamid, reply_to_wamid,
      sender_contact_id, attempts, client_reference, error, occurred_at, created_at, accepted_at, ended_at,
      duplicate_confirmed_at, automatic, sent_by, correlation_id
    from whatsapp_messages
    where tenant_id = ${tenantId}
      and (${status}::text is null or status = ${status})
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

/** A statement of its own: a plan made for "any reference" would walk through all messages to find these few. */
export async function selectMessagesByReference(
  tx: Tx,
  tenantId: string,
  clientReference: string,
  status: MessageStatus | null,
  after: Cursor | null,
  limit: number,
): Promise<MessageRow[]> {
  return tx.query(sql<MessageRow>`
    select id, conversation_id, phone_number_id, direction, origin, type, content, status, wamid, reply_to_wamid,
      sender_contact_id, attempts, client_reference, error, occurred_at, created_at, accepted_at, ended_at,
      duplicate_confirmed_at, automatic, sent_by, correlation_id
    from whatsapp_messages
    where tenant_id = ${tenantId} and client_reference = ${clientReference}
      and (${status}::text is null or status = ${status})
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

export interface StepRow {
  wamid: string
  status: string
  at: Date
}

/** One entry per status reached, with the first time it was: a group has one per participant. */
export async function selectTimelines(
  tx: Tx,
  tenantId: string,
  wamids: string[],
): Promise<StepRow[]> {
  return tx.query(sql<StepRow>`
    select wamid, status, min(occurred_at) as at
    from whatsapp_message_statuses
    where tenant_id = ${tenantId} and wamid = any(${wamids}::text[])
    group by wamid, status
    order by wamid, min(occurred_at), message_status_rank(status)`)
}

export interface ReferredRow {
  wamid: string
  id: string
  direction: 'inbound' | 'outbound'
  type: string
  content: Record<string, unknown>
}

export async function selectReferred(
  tx: Tx,
  tenantId: string,
  wamids: string[],
): Promise<ReferredRow[]> {
  return tx.query(sql<ReferredRow>`
    select wamid, id, direction, type, content
    from whatsapp_messages
    where tenant_id = ${tenantId} and wamid = any(${wamids}::text[])`)
}

/** Of the tenant's own people: an operator's name is nobody's there to see. */
export async function selectNames(
  tx: Tx,
  tenantId: string,
  personIds: string[],
): Promise<{ id: string; name: string }[]> {
  return tx.query(sql<{ id: string; name: string }>`
    select id, name from people where tenant_id = ${tenantId} and id = any(${personIds}::uuid[])`)
}

export interface SendRow {
  started_at: Date
  finished_at: Date | null
  outcome: string | null
  status_code: number | null
  provider_code: number | null
  error_message: string | null
}

/** Every attempt to send it, the earliest first; they are kept for as long as the row in the outbox is. */
export async function selectSends(tx: Tx, tenantId: string, messageId: string): Promise<SendRow[]> {
  return tx.query(sql<SendRow>`
    select a.started_at, a.finished_at, a.outcome, a.status_code, a.provider_code, a.error_message
    from whatsapp_send_outbox o
    join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
    where o.tenant_id = ${tenantId} and o.message_id = ${messageId}
    order by a.started_at, a.id
    limit 100`)
}

export interface ChangeRow {
  target_wamid: string
  kind: 'reaction' | 'edit' | 'revoke'
  actor: string
  emoji: string | null
  content: Record<string, unknown> | null
  occurred_at: Date
}

/**
 * What counts of the changes to these messages: the latest reaction of each person, the latest edit, the latest
 * revocation. Meta's times are whole seconds; within one the delivery that came later counts.
 */
export async function selectLatestChanges(
  tx: Tx,
  tenantId: string,
  wamids: string[],
): Promise<ChangeRow[]> {
  return tx.query(sql<ChangeRow>`
    select target_wamid, kind, actor, emoji, content, occurred_at
    from (
      select distinct on (c.target_wamid, c.kind, who) c.target_wamid, c.kind,
        coalesce(person.wa_id, person.user_id, c.actor) as actor, c.emoji, c.content, c.occurred_at,
        case when c.kind = 'reaction' then coalesce(person.id::text, c.actor) else '' end as who
      from (
        select tenant_id, target_wamid, kind, actor, emoji, content, occurred_at, event_id, wamid
        from whatsapp_message_changes
        where tenant_id = ${tenantId} and target_wamid = any(${wamids}::text[])
        union all
        -- What we sent ourselves comes back in no webhook.
        select tenant_id, content #>> '{reaction,message_id}', 'reaction', 'business',
          nullif(content #>> '{reaction,emoji}', ''), null, occurred_at, null, wamid
        from whatsapp_messages
        where tenant_id = ${tenantId} and direction = 'outbound' and type = 'reaction' and origin = 'live'
          and status not in ('failed', 'cancelled') and content #>> '{reaction,message_id}' = any(${wamids}::text[])
      ) as c
      left join lateral (
        select p.id, p.wa_id, p.user_id
        from whatsapp_contacts p
        where p.tenant_id = c.tenant_id and (p.wa_id = c.actor or p.user_id = c.actor)
        limit 1
      ) as person on true
      order by c.target_wamid, c.kind, who, c.occurred_at desc, c.event_id desc, c.wamid desc
    ) as latest
    order by target_wamid, occurred_at, actor`)
}

export interface SenderRow {
  asked_id: string
  wa_id: string | null
  user_id: string | null
  name: string | null
}

/** Who these contacts are today: one that was merged is the one it went into. */
export async function selectSenders(
  tx: Tx,
  tenantId: string,
  contactIds: string[],
): Promise<SenderRow[]> {
  return tx.query(sql<SenderRow>`
    with recursive chain as (
      select id as asked_id, merged_into, wa_id, user_id, name
      from whatsapp_contacts
      where tenant_id = ${tenantId} and id = any(${contactIds}::uuid[])
      union all
      select chain.asked_id, next.merged_into, next.wa_id, next.user_id, next.name
      from chain
      join whatsapp_contacts next on next.tenant_id = ${tenantId} and next.id = chain.merged_into
    )
    select asked_id, wa_id, user_id, name
    from chain
    where merged_into is null`)
}

export interface ConversationRow {
  id: string
  phone_number_id: string
  contact_wa_id: string
  contact_user_id: string | null
  contact_name: string | null
  contact: {
    wa_id: string | null
    user_id: string | null
    name: string | null
    username: string | null
    kind: 'person' | 'group'
  }
  /** What the contact wants no more of from this number. `since` as the database writes it. */
  suppressions: { id: string; scope: Scope; reason: SuppressionReason; since: string }[]
  status: 'open' | 'closed'
  unread_count: number
  last_message_at: Date
  last_inbound_at: Date | null
  assigned_user_id: string | null
  /** Null also for somebody who is not one of the tenant's people. */
  assignee_name: string | null
  created_at: Date
  updated_at: Date
}

/** The conversation with this id, or the one it became. */
export async function selectConversation(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  const [row] = await tx.query(sql<ConversationRow>`
    with recursive chain as (
      select id, merged_into
      from whatsapp_conversations
      where tenant_id = ${tenantId} and id = ${id}
      union all
      select next.id, next.merged_into
      from chain
      join whatsapp_conversations next on next.tenant_id = ${tenantId} and next.id = chain.merged_into
    )
    select c.id, c.phone_number_id, c.contact_wa_id, c.contact_user_id, c.contact_name, c.status, c.unread_count,
      c.last_message_at, c.last_inbound_at, c.assigned_user_id, c.created_at, c.updated_at,
      jsonb_build_object('wa_id', p.wa_id, 'user_id', p.user_id, 'name', coalesce(p.name, c.contact_name),
        'username', p.username, 'kind', p.kind) as contact, coalesce((
        select jsonb_agg(jsonb_build_object('id', s.id, 'scope', s.scope, 'reason', s.reason, 'since', s.since)
          order by s.scope)
        from whatsapp_suppressions s
        where s.tenant_id = c.tenant_id and s.phone_number_id = c.phone_number_id and s.contact_id = c.contact_id
          and s.is_active), '[]') as suppressions,
      (select a.name from people a where a.tenant_id = c.tenant_id and a.id = c.assigned_user_id) as assignee_name
    from chain
    join whatsapp_conversations c on c.tenant_id = ${tenantId} and c.id = chain.id
    join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where chain.merged_into is null`)
  return row
}

/** Whether it is still one of its own once the lock is ours: it may have become part of another meanwhile. */
export async function lockConversation(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const rows = await tx.query(sql<{ id: string }>`
    select id
    from whatsapp_conversations
    where tenant_id = ${tenantId} and id = ${id} and merged_into is null
    for no key update`)
  return rows.length > 0
}

export async function updateConversation(
  tx: Tx,
  tenantId: string,
  row: Pick<ConversationRow, 'id' | 'status' | 'assigned_user_id' | 'unread_count'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_conversations
    set status = ${row.status}, assigned_user_id = ${row.assigned_user_id}, unread_count = ${row.unread_count},
      updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${row.id}`)
}

/** What a contact wrote last, of what can be marked read: changes to other messages and notices are no messages to Meta. */
export async function selectLatestReadable(
  tx: Tx,
  tenantId: string,
  conversationId: string,
): Promise<{ id: string; wamid: string } | undefined> {
  const [row] = await tx.query(sql<{ id: string; wamid: string }>`
    select id, wamid
    from whatsapp_messages
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
      and direction = 'inbound' and origin = 'live' and wamid is not null
      and type not in ('reaction', 'edit', 'revoke', 'system')
    order by occurred_at desc, id desc
    limit 1`)
  return row
}

/** By number; those that nobody has written to are missing. */
export async function selectLastInbound(
  tx: Tx,
  tenantId: string,
  phoneNumberIds: string[],
): Promise<{ phone_number_id: string; at: Date }[]> {
  return tx.query(sql<{ phone_number_id: string; at: Date }>`
    select phone_number_id, max(last_inbound_at) as at
    from whatsapp_conversations
    where tenant_id = ${tenantId} and phone_number_id = any(${phoneNumberIds}::text[])
      and last_inbound_at is not null
    group by phone_number_id`)
}
