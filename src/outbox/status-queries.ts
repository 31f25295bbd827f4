// What statuses change about sends.
import type { MessageName } from '../conversations/model.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { Delivery } from './model.ts'

export interface FailedSend extends MessageName {
  outboxId: string
  messageId: string
  phoneNumberId: string
  lane: string
  payload: Record<string, unknown>
  fallbackTemplate: Record<string, unknown> | null
  callbackData: string | null
  delivery: Delivery
  expiresAt: Date | null
  correlationId: string
  /** Since when the number has its token; a time that never was, when the failed attempt was made with another one. */
  tokenSetAt: string | null
}

/** The newest outbox rows of messages that failed after Meta had accepted them, and that nothing later redeemed. */
export async function selectFailedSends(tx: Tx, names: MessageName[]): Promise<FailedSend[]> {
  return tx.query(sql<FailedSend>`
    select m.tenant_id as "tenantId", m.wamid, m.id as "messageId", o.id as "outboxId",
      o.phone_number_id as "phoneNumberId", o.lane, o.payload, o.fallback_template as "fallbackTemplate",
      o.callback_data as "callbackData", o.delivery, o.expires_at as "expiresAt", o.correlation_id as "correlationId", (
        select case when exists (
            select
            from send_attempts t
            where t.tenant_id = o.tenant_id and t.outbox_id = o.id and t.wamid = m.wamid
              and t.started_at < a.token_set_at)
          then '-infinity' else a.token_set_at::text end
        from whatsapp_accounts a
        where a.tenant_id = o.tenant_id and a.phone_number_id = o.phone_number_id) as "tokenSetAt"
    from unnest(
      ${names.map((name) => name.tenantId)}::uuid[],
      ${names.map((name) => name.wamid)}::text[]) as failed (tenant_id, wamid)
    join whatsapp_messages m using (tenant_id, wamid)
    cross join lateral (
      select *
      from whatsapp_send_outbox o
      where o.tenant_id = m.tenant_id and o.message_id = m.id
      order by o.id desc
      limit 1
    ) as o
    where m.status = 'failed' and m.direction = 'outbound'
    order by m.tenant_id, o.id`)
}

export async function markFailed(
  tx: Tx,
  send: FailedSend,
  error: Record<string, unknown>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_messages
    set error = ${JSON.stringify(error)}::jsonb, ended_at = ${now}
    where tenant_id = ${send.tenantId} and id = ${send.messageId} and status = 'failed'`)
}

/** Its old wamid stays with its old statuses: what is sent now gets another. */
export async function requeueMessage(tx: Tx, tenantId: string, messageId: string): Promise<void> {
  await tx.query(sql`
    update whatsapp_messages
    set status = 'queued', wamid = null, error = null, ended_at = null, accepted_at = null
    where tenant_id = ${tenantId} and id = ${messageId} and direction = 'outbound'`)
}
