// What accepting a message reads and keeps, apart from the queue itself (queue-queries.ts).
import type { Scope, SuppressionReason } from '../consent/model.ts'
import { sql, type Tx } from '../db/connect.ts'

export interface SendPlace {
  /** Which of the questions this answers. */
  asked: number
  tenant_status: 'active' | 'suspended'
  /** Null when the tenant has no such number. */
  account_id: string | null
  phone_number_id: string
  auth_status: 'ok' | 'needs_reauth'
  /** Meta restricted the account: nobody can be written to first until then. */
  replies_only_until: Date | null
  /** When the contact last wrote to this number; null for a stranger. */
  last_inbound_at: Date | null
  /** Under which number the contact is filed, where Meta knows the one that was asked for by another. */
  meant_wa_id: string | null
  /** What the contact wants no more of; null: nothing. */
  suppressed_scope: Scope | null
  suppressed_reason: SuppressionReason | null
  suppressed_since: Date | null
  /** Whether the template that was asked about is marketing; only said where that decides. */
  is_marketing: boolean | null
}

export interface PlaceAsked {
  tenantId: string
  phoneNumberId: string | null
  waId: string | null
  userId: string | null
  /** The template that would be sent, now or instead. */
  template: unknown
}

/** Each tenant's numbers (the one that is named, where one is), with the window of this contact; two at most. */
export async function selectPlaces(tx: Tx, asked: PlaceAsked[]): Promise<SendPlace[]> {
  return tx.query(sql<SendPlace>`
    select (wanted.place - 1)::int as asked, t.status as tenant_status, a.id as account_id, a.phone_number_id,
      a.auth_status, a.replies_only_until, c.last_inbound_at, p.meant_wa_id, s.scope as suppressed_scope,
      s.reason as suppressed_reason, s.since as suppressed_since, case when s.scope = 'marketing' then
        is_marketing(t.id, a.phone_number_id, jsonb_build_object('type', 'template', 'template', wanted.template))
        end as is_marketing
    from unnest(
      ${asked.map((one) => one.tenantId)}::uuid[],
      ${asked.map((one) => one.phoneNumberId)}::text[],
      ${asked.map((one) => one.waId)}::text[],
      ${asked.map((one) => one.userId)}::text[],
      ${asked.map((one) => (one.template === undefined ? null : JSON.stringify(one.template)))}::jsonb[])
      with ordinality as wanted (tenant_id, phone_number_id, wa_id, user_id, template, place)
    join tenants t on t.id = wanted.tenant_id
    left join lateral (
      select id, phone_number_id, auth_status, replies_only_until
      from whatsapp_accounts
      where tenant_id = t.id and (wanted.phone_number_id is null or phone_number_id = wanted.phone_number_id)
      order by phone_number_id
      limit 2
    ) as a on true
    left join lateral (
      select id, null as meant_wa_id from whatsapp_contacts where tenant_id = t.id and wa_id = wanted.wa_id
      union all
      select id, null from whatsapp_contacts where tenant_id = t.id and user_id = wanted.user_id
      union all
      select k.id, k.wa_id
      from whatsapp_contact_aliases s
      join whatsapp_contacts k on k.tenant_id = s.tenant_id and k.id = s.contact_id
      where s.tenant_id = t.id and s.wa_id = wanted.wa_id and k.wa_id is not null
      limit 1
    ) as p on true
    left join whatsapp_conversations c on c.tenant_id = t.id and c.phone_number_id = a.phone_number_id
      and c.contact_id = p.id and c.merged_into is null
    left join lateral (
      select scope, reason, since
      from whatsapp_suppressions
      where tenant_id = t.id and phone_number_id = a.phone_number_id and contact_id = p.id and is_active
      -- The wider one, where there are two.
      order by scope
      limit 1
    ) as s on true
    order by wanted.place, a.phone_number_id`)
}

export interface KeyedSend {
  tenantId: string
  key: string
  requestSha256: Buffer
  messageId: string
  conversationId: string
}

/** What was accepted under these keys before. */
export async function selectKeys(
  tx: Tx,
  keys: { tenantId: string; key: string }[],
  since: Date,
): Promise<KeyedSend[]> {
  return tx.query(sql<KeyedSend>`
    select k.tenant_id as "tenantId", k.key, k.request_sha256 as "requestSha256", k.message_id as "messageId",
      k.conversation_id as "conversationId"
    from unnest(
      ${keys.map((key) => key.tenantId)}::uuid[],
      ${keys.map((key) => key.key)}::text[]) as wanted (tenant_id, key)
    join idempotency_keys k using (tenant_id, key)
    where k.created_at > ${since}`)
}

/** Takes the keys and returns the message ids of those that got one. Whoever is later waits for the earlier's commit. */
export async function takeKeys(
  tx: Tx,
  keys: Omit<KeyedSend, 'conversationId'>[],
  now: Date,
  since: Date,
): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    insert into idempotency_keys as k (tenant_id, key, request_sha256, message_id, conversation_id, created_at)
    select tenant_id, key, request_sha256, message_id, message_id, ${now}::timestamptz
    from unnest(
      ${keys.map((key) => key.tenantId)}::uuid[],
      ${keys.map((key) => key.key)}::text[],
      ${keys.map((key) => key.requestSha256)}::bytea[],
      ${keys.map((key) => key.messageId)}::uuid[]) as wanted (tenant_id, key, request_sha256, message_id)
    order by tenant_id, key
    on conflict (tenant_id, key) do update
    set request_sha256 = excluded.request_sha256, message_id = excluded.message_id, created_at = excluded.created_at
    where k.created_at <= ${since}
    returning message_id as id`)
  return new Set(rows.map((row) => row.id))
}

export async function keepConversations(
  tx: Tx,
  kept: { tenantId: string; key: string; conversationId: string }[],
): Promise<void> {
  await tx.query(sql`
    update idempotency_keys k
    set conversation_id = kept.conversation_id
    from unnest(
      ${kept.map((one) => one.tenantId)}::uuid[],
      ${kept.map((one) => one.key)}::text[],
      ${kept.map((one) => one.conversationId)}::uuid[]) as kept (tenant_id, key, conversation_id)
    where k.tenant_id = kept.tenant_id and k.key = kept.key`)
}

/** The newest outbox row of a message. */
export async function selectNewestRow(
  tx: Tx,
  tenantId: string,
  messageId: string,
): Promise<{ id: string; status: string } | undefined> {
  const [row] = await tx.query(sql<{ id: string; status: string }>`
    select id, status
    from whatsapp_send_outbox
    where tenant_id = ${tenantId} and message_id = ${messageId}
    order by id desc
    limit 1`)
  return row
}

/** Locks a message that is to be sent; false when it is more than that by now: a status may have told that Meta has it. */
export async function holdQueued(tx: Tx, tenantId: string, messageId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select
    from whatsapp_messages
    where tenant_id = ${tenantId} and id = ${messageId} and direction = 'outbound' and status = 'queued'
    for no key update`)
  return rows.length > 0
}

/** Whether an attempt at it was accepted, and has not failed since, or came to nobody knows what. */
export async function mayBeAtMeta(tx: Tx, tenantId: string, messageId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select
    from whatsapp_send_outbox o
    join send_attempts t on t.tenant_id = o.tenant_id and t.outbox_id = o.id
    where o.tenant_id = ${tenantId} and o.message_id = ${messageId}
      and (t.wamid is not null or t.outcome = 'unknown')
      and not exists (
        select
        from whatsapp_message_statuses s
        where s.tenant_id = t.tenant_id and s.wamid = t.wamid and s.status = 'failed')
    limit 1`)
  return rows.length > 0
}

export async function markCancelled(
  tx: Tx,
  tenantId: string,
  messageId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_messages
    set status = 'cancelled', ended_at = ${now}
    where tenant_id = ${tenantId} and id = ${messageId} and direction = 'outbound'`)
}
