// What the lists of conversations are read with. Each filter that the inbox has keeps to an index of its own, however
// many conversations there are; callers plan these statements anew every time (`planAnew`).
import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { MessageStatus } from './model.ts'
import type { ConversationRow } from './read-queries.ts'

export interface ConversationFilter {
  status: 'open' | 'closed' | null
  phoneNumberId: string | null
  assignedTo: string | null
  isNobodys: boolean
  isUnread: boolean | null
}

/** One plan for all filters would be good for none: for the rest of the transaction each call gets its own. */
export async function planAnew(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`)
}

export async function selectConversations(
  tx: Tx,
  tenantId: string,
  filter: ConversationFilter,
  after: Cursor | null,
  limit: number,
): Promise<ConversationRow[]> {
  return tx.query(sql<ConversationRow>`
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
    from whatsapp_conversations c
    join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where c.tenant_id = ${tenantId} and c.merged_into is null
      and (${filter.status}::text is null or c.status = ${filter.status})
      and (${filter.phoneNumberId}::text is null or c.phone_number_id = ${filter.phoneNumberId})
      and (${filter.assignedTo}::uuid is null or c.assigned_user_id = ${filter.assignedTo}::uuid)
      and (not ${filter.isNobodys}::boolean or c.assigned_user_id is null)
      and (not coalesce(${filter.isUnread}::boolean, false) or c.unread_count > 0)
      and (coalesce(${filter.isUnread}::boolean, true) or c.unread_count = 0)
      and (${after?.at ?? null}::timestamptz is null
        or (c.last_message_at, c.id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by c.last_message_at desc, c.id desc
    limit ${limit}`)
}

/** How far back words are looked for. An index of all words would be paid for with every message. */
const searchedMessages = 10_000

/** As patterns; `digits` for numbers as people write them, where it can be one. */
export interface SearchPatterns {
  text: string
  digits: string | null
}

/** The same, of those whose contact is called so or in which somebody said so lately. */
export async function selectFoundConversations(
  tx: Tx,
  tenantId: string,
  { text, digits }: SearchPatterns,
  filter: ConversationFilter,
  after: Cursor | null,
  limit: number,
): Promise<ConversationRow[]> {
  return tx.query(sql<ConversationRow>`
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
    from (
      select found.*
      from whatsapp_conversations found
      where found.tenant_id = ${tenantId} and found.merged_into is null
        and (found.contact_id in (
            select p.id
            from whatsapp_contacts p
            where p.tenant_id = ${tenantId} and (p.sought like lower(${text}) or p.sought like ${digits}))
          or found.id in (
            select said.conversation_id
            from (
              select m.conversation_id, m.content
              from whatsapp_messages m
              where m.tenant_id = ${tenantId}
              order by m.created_at desc, m.id desc
              limit ${searchedMessages}
            ) as said
            where message_words(said.content) ilike ${text}))
        and (${filter.status}::text is null or found.status = ${filter.status})
        and (${filter.phoneNumberId}::text is null or found.phone_number_id = ${filter.phoneNumberId})
        and (${filter.assignedTo}::uuid is null or found.assigned_user_id = ${filter.assignedTo}::uuid)
        and (not ${filter.isNobodys}::boolean or found.assigned_user_id is null)
        and (not coalesce(${filter.isUnread}::boolean, false) or found.unread_count > 0)
        and (coalesce(${filter.isUnread}::boolean, true) or found.unread_count = 0)
        and (${after?.at ?? null}::timestamptz is null
          or (found.last_message_at, found.id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
      order by found.last_message_at desc, found.id desc
      limit ${limit}
    ) as c
    join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    order by c.last_message_at desc, c.id desc`)
}

export interface LastMessageRow {
  conversation_id: string
  id: string
  type: string
  direction: 'inbound' | 'outbound'
  status: MessageStatus
  text: string | null
  revoked: boolean
  occurred_at: Date
}

/** The latest of each that is a message of its own, as it was last edited. */
export async function selectLastMessages(
  tx: Tx,
  tenantId: string,
  conversationIds: string[],
): Promise<LastMessageRow[]> {
  return tx.query(sql<LastMessageRow>`
    select m.conversation_id, m.id, m.type, m.direction, m.status, m.occurred_at,
      left(message_words(coalesce((
        select e.content
        from whatsapp_message_changes e
        where e.tenant_id = ${tenantId} and e.target_wamid = m.wamid and e.kind = 'edit'
        order by e.occurred_at desc, e.event_id desc, e.wamid desc
        limit 1), m.content)), 160) as text,
      exists (
        select
        from whatsapp_message_changes r
        where r.tenant_id = ${tenantId} and r.target_wamid = m.wamid and r.kind = 'revoke') as revoked
    from unnest(${conversationIds}::uuid[]) as wanted (id)
    cross join lateral (
      select l.conversation_id, l.id, l.type, l.direction, l.status, l.occurred_at, l.content, l.wamid
      from whatsapp_messages l
      where l.tenant_id = ${tenantId} and l.conversation_id = wanted.id
        and l.type not in ('reaction', 'edit', 'revoke')
      order by l.occurred_at desc, l.id desc
      limit 1
    ) as m`)
}

export interface CountsRow {
  open: number
  closed: number
  mine: number
  unassigned: number
  waiting: number
}

/** None is counted beyond 1000: nobody reads more, and it costs the same however many there are. */
export async function countConversations(
  tx: Tx,
  tenantId: string,
  personId: string | null,
): Promise<CountsRow> {
  const [row] = await tx.query(sql<CountsRow>`
    select (
      select count(*)::int from (
        select from whatsapp_conversations
        where tenant_id = ${tenantId} and status = 'open' and merged_into is null
        limit 1000) as o) as open, (
      select count(*)::int from (
        select from whatsapp_conversations
        where tenant_id = ${tenantId} and status = 'closed' and merged_into is null
        limit 1000) as c) as closed, (
      select count(*)::int from (
        select from whatsapp_conversations
        where tenant_id = ${tenantId} and assigned_user_id = ${personId}::uuid and status = 'open'
          and merged_into is null
        limit 1000) as m) as mine, (
      select count(*)::int from (
        select from whatsapp_conversations
        where tenant_id = ${tenantId} and status = 'open' and assigned_user_id is null and merged_into is null
        limit 1000) as n) as unassigned, (
      select count(*)::int from (
        select from whatsapp_conversations
        where tenant_id = ${tenantId} and status = 'open' and unread_count > 0 and merged_into is null
          and (assigned_user_id is null or assigned_user_id = ${personId}::uuid)
        limit 1000) as w) as waiting`)
  if (!row) throw new Error('bug: counting answers with a row')
  return row
}

/** One of the tenant's own people. */
export async function selectAssignee(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<{ id: string; name: string; is_disabled: boolean } | undefined> {
  const [row] = await tx.query(sql<{ id: string; name: string; is_disabled: boolean }>`
    select id, name, disabled_at is not null as is_disabled
    from people
    where tenant_id = ${tenantId} and id = ${id}`)
  return row
}
