// What is known of sends, for the life of a message.
import { sql, type Tx } from '../db/connect.ts'

/** Every key begins with the tenant. */
export interface MessageKey {
  tenant_id: string
  id: string
}

export interface SendFacts {
  id: string
  parent_id: string | null
  message_id: string
  status: string
  attempts: number
  next_run_at: Date
  last_error: string | null
  created_at: Date
}

export async function selectSendsOf(db: Tx, messages: MessageKey[]): Promise<SendFacts[]> {
  return db.query(sql<SendFacts>`
    select o.id, o.parent_id, o.message_id, o.status, o.attempts, o.next_run_at, o.last_error, o.created_at
    from unnest(
      ${messages.map((message) => message.tenant_id)}::uuid[],
      ${messages.map((message) => message.id)}::uuid[]) as m (tenant_id, id)
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
    order by o.id
    limit 1000`)
}

export interface AttemptFacts {
  id: string
  outbox_id: string
  started_at: Date
  finished_at: Date | null
  outcome: string | null
  status_code: number | null
  provider_code: number | null
  error_message: string | null
  fbtrace_id: string | null
  /** Under which Meta has it, by its answer or by a status. */
  wamid: string | null
  duplicate_confirmed_at: Date | null
}

export async function selectAttemptsOf(db: Tx, messages: MessageKey[]): Promise<AttemptFacts[]> {
  return db.query(sql<AttemptFacts>`
    select a.id, a.outbox_id, a.started_at, a.finished_at, a.outcome, a.status_code, a.provider_code, a.error_message,
      a.fbtrace_id, a.wamid, a.duplicate_confirmed_at
    from unnest(
      ${messages.map((message) => message.tenant_id)}::uuid[],
      ${messages.map((message) => message.id)}::uuid[]) as m (tenant_id, id)
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
    join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
    order by a.started_at
    limit 1000`)
}

/** The message that a letter is about, or that has this correlation id. */
export async function selectMessageIdsBehind(
  db: Tx,
  what: { letterId: string | null; correlationId: string | null },
): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    select message_id as id
    from dead_letters
    where id = ${what.letterId}::uuid and message_id is not null
    union
    select message_id
    from whatsapp_send_outbox
    where correlation_id = ${what.correlationId}::uuid
    limit 10`)
  return rows.map((row) => row.id)
}
