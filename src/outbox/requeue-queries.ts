// What sending a dead message again reads, locks and writes; the turn itself is given by queue-queries.ts.
import { sql, type Tx } from '../db/connect.ts'
import type { Delivery } from './model.ts'

export interface MessageKey {
  tenantId: string
  messageId: string
}

/** Locks those that are dead, in the order in which statuses lock messages. Returns their ids. */
export async function lockDeadMessages(tx: Tx, messages: MessageKey[]): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    select m.id
    from whatsapp_messages m
    where (m.tenant_id, m.id) in (
      select *
      from unnest(
        ${messages.map((message) => message.tenantId)}::uuid[],
        ${messages.map((message) => message.messageId)}::uuid[]))
      and m.direction = 'outbound'
      and m.status in ('failed', 'unknown')
      and not exists (
        select
        from whatsapp_send_outbox o
        where o.tenant_id = m.tenant_id and o.message_id = m.id and o.status in ('pending', 'running'))
    order by m.tenant_id, m.wamid, m.id
    for no key update of m`)
  return new Set(rows.map((row) => row.id))
}

export interface DeadRow {
  id: string
  tenantId: string
  phoneNumberId: string
  messageId: string
  conversationId: string | null
  payload: Record<string, unknown>
  fallbackTemplate: Record<string, unknown> | null
  callbackData: string | null
  delivery: Delivery
  expiresAt: Date | null
  correlationId: string
  mayArriveTwice: boolean
}

export async function selectDeadRows(
  tx: Tx,
  rows: { tenantId: string; outboxId: string }[],
): Promise<DeadRow[]> {
  return tx.query(sql<DeadRow>`
    select o.id, o.tenant_id as "tenantId", o.phone_number_id as "phoneNumberId", o.message_id as "messageId",
      m.conversation_id as "conversationId", o.payload, o.fallback_template as "fallbackTemplate",
      o.callback_data as "callbackData", o.delivery, o.expires_at as "expiresAt", o.correlation_id as "correlationId",
      exists (
        select
        from whatsapp_send_outbox every
        join send_attempts a on a.tenant_id = every.tenant_id and a.outbox_id = every.id
        where every.tenant_id = o.tenant_id and every.message_id = o.message_id and a.outcome = 'unknown'
          and a.wamid is null
      ) as "mayArriveTwice"
    from unnest(
      ${rows.map((row) => row.tenantId)}::uuid[],
      ${rows.map((row) => row.outboxId)}::bigint[]) as wanted (tenant_id, id)
    join whatsapp_send_outbox o using (tenant_id, id)
    join whatsapp_messages m on m.tenant_id = o.tenant_id and m.id = o.message_id`)
}

/**
 * To be called for locked messages. How often Meta was asked goes on counting. The name that Meta gave to an attempt that
 * failed later is that attempt's: what is still said of it must not move the message, which is waiting again.
 */
export async function markQueuedAgain(tx: Tx, messages: MessageKey[]): Promise<void> {
  await tx.query(sql`
    update whatsapp_messages m
    set status = 'queued', error = null, ended_at = null, accepted_at = null, wamid = null
    from unnest(
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.messageId)}::uuid[]) as again (tenant_id, id)
    where m.tenant_id = again.tenant_id and m.id = again.id`)
}

/** To be called for locked messages: a person vouches for them. Their wamids are Meta's to tell. */
export async function markSentByHand(tx: Tx, messages: MessageKey[], now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_messages m
    set status = 'sent', error = null, ended_at = null, accepted_at = coalesce(m.accepted_at, ${now})
    from unnest(
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.messageId)}::uuid[]) as sent (tenant_id, id)
    where m.tenant_id = sent.tenant_id and m.id = sent.id`)
}

export interface MessageState {
  id: string
  conversation_id: string | null
  status: string
  attempts: number
  error: Record<string, unknown> | null
  /** Of the row that was asked for. */
  delivery: Delivery
  expires_at: Date | null
  fallback_template: Record<string, unknown> | null
}

export async function selectMessageState(
  tx: Tx,
  tenantId: string,
  outboxId: string,
): Promise<MessageState | undefined> {
  const [row] = await tx.query(sql<MessageState>`
    select m.id, m.conversation_id, m.status, m.attempts, m.error, o.delivery, o.expires_at, o.fallback_template
    from whatsapp_send_outbox o
    join whatsapp_messages m on m.tenant_id = o.tenant_id and m.id = o.message_id
    where o.tenant_id = ${tenantId} and o.id = ${outboxId}::bigint`)
  return row
}

export interface AttemptRow {
  outbox_id: string
  started_at: Date
  finished_at: Date | null
  outcome: string | null
  wamid: string | null
  status_code: number | null
  provider_code: number | null
  provider_subcode: number | null
  error_message: string | null
  fbtrace_id: string | null
}

/** Of all rows that a message had, the earliest first. */
export async function selectAttempts(
  tx: Tx,
  tenantId: string,
  messageId: string,
): Promise<AttemptRow[]> {
  return tx.query(sql<AttemptRow>`
    select a.outbox_id, a.started_at, a.finished_at, a.outcome, a.wamid, a.status_code, a.provider_code,
      a.provider_subcode, a.error_message, a.fbtrace_id
    from whatsapp_send_outbox o
    join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
    where o.tenant_id = ${tenantId} and o.message_id = ${messageId}
    order by a.started_at, a.id`)
}
