// Something could not be applied: its bytes and the reason are kept until a person decides.
import { recordActs } from '../audit/record.ts'
import { sql, type Tx } from '../db/connect.ts'
import { gatewayActor, letterAct } from './decision.ts'
import type { LockedLetter } from './decision-queries.ts'

export interface DeadLetter {
  id: string
  tenantId: string | null
  kind: 'inbound' | 'malformed' | 'unroutable'
  eventId: string
  /** Where in the payload; '' is the payload as a whole. */
  itemPath: string
  phoneNumberId: string | null
  wabaId: string | null
  errorCode: string
  errorMessage: string
  raw: Buffer
  correlationId: string
  createdAt: Date
}

export interface OutboundLetter {
  id: string
  tenantId: string
  kind: 'outbound' | 'unknown'
  outboxId: string
  messageId: string
  phoneNumberId: string
  errorCode: string
  errorMessage: string
  raw: Buffer
  correlationId: string
  createdAt: Date
}

/**
 * One per outbox row: a row dies once. But where it was not known whether Meta has it, and now it is known to have failed
 * there, the letter says so from now on; and one that was resolved, because Meta was known to have the message, is open again
 * when Meta gives that up: somebody may have decided so, hence the audit. Returns the ids of those that are news.
 */
export async function buryOutbound(tx: Tx, letters: OutboundLetter[]): Promise<Set<string>> {
  const [first] = letters
  if (!first) return new Set()
  const rows = await tx.query(sql<LockedLetter & { is_new: boolean; is_reopened: boolean }>`
    with letter as materialized (
      select *
      from unnest(
        ${letters.map((letter) => letter.id)}::uuid[],
        ${letters.map((letter) => letter.tenantId)}::uuid[],
        ${letters.map((letter) => letter.kind)}::text[],
        ${letters.map((letter) => letter.outboxId)}::bigint[],
        ${letters.map((letter) => letter.messageId)}::uuid[],
        ${letters.map((letter) => letter.phoneNumberId)}::text[],
        ${letters.map((letter) => letter.errorCode)}::text[],
        ${letters.map((letter) => letter.errorMessage)}::text[],
        ${letters.map((letter) => letter.raw)}::bytea[],
        ${letters.map((letter) => letter.correlationId)}::uuid[],
        ${letters.map((letter) => letter.createdAt)}::timestamptz[])
        as letter (id, tenant_id, kind, outbox_id, message_id, phone_number_id, error_code, error_message, raw,
          correlation_id, created_at)
    ),
    resolved as materialized (
      select d.id
      from letter
      join dead_letters d on d.tenant_id = letter.tenant_id and d.outbox_id = letter.outbox_id
      where d.state = 'resolved'
    )
    insert into dead_letters as known
      (id, tenant_id, kind, outbox_id, message_id, phone_number_id, error_code, error_message, raw, correlation_id,
       created_at)
    select * from letter
    on conflict (tenant_id, outbox_id) where outbox_id is not null do update
    set kind = excluded.kind, error_code = excluded.error_code, error_message = excluded.error_message,
      state = 'open', decided_at = null, decided_by = null, decision_reason = null
    where excluded.kind = 'outbound'
      and (known.state = 'resolved' or (known.state = 'open' and known.kind = 'unknown'))
    returning id, tenant_id, kind, event_id, outbox_id, message_id, phone_number_id, error_code, correlation_id,
      encode(sha256(raw), 'hex') as raw_sha256, xmax = 0 as is_new, id in (select r.id from resolved r) as is_reopened`)
  const reopened = rows.filter((row) => row.is_reopened)
  const reason = 'Meta reported that the message failed'
  const act = { actor: gatewayActor, reason, at: first.createdAt }
  await recordActs(
    tx,
    reopened.map((row) => letterAct('reopened', row, act)),
  )
  return new Set(rows.flatMap((row) => (row.is_new || row.is_reopened ? row.id : [])))
}

/** The letters of rows that died before, by outbox id. */
export async function buriedAs(
  tx: Tx,
  sends: { tenantId: string; id: string }[],
): Promise<Map<string, string>> {
  if (sends.length === 0) return new Map()
  const rows = await tx.query(sql<{ outbox_id: string; id: string }>`
    select d.outbox_id, d.id
    from unnest(${sends.map((send) => send.tenantId)}::uuid[], ${sends.map((send) => send.id)}::bigint[])
      as send (tenant_id, id)
    join dead_letters d on d.tenant_id = send.tenant_id and d.outbox_id = send.id`)
  return new Map(rows.map((row) => [row.outbox_id, row.id]))
}

/**
 * One open dead letter per place in an event, however often the event is processed. A place that was requeued and fails
 * again gets a new letter. An item that was discarded stays discarded when a neighbour's requeue brings the event back;
 * but when the event as a whole runs out of attempts again, somebody must hear of it, discarded before or not.
 * Returns the ids of the new ones.
 */
export async function bury(tx: Tx, letters: DeadLetter[]): Promise<string[]> {
  if (letters.length === 0) return []
  const rows = await tx.query(sql<{ id: string }>`
    insert into dead_letters
      (id, tenant_id, kind, event_id, item_path, phone_number_id, waba_id, error_code, error_message, raw,
       correlation_id, created_at)
    select *
    from unnest(
      ${letters.map((letter) => letter.id)}::uuid[],
      ${letters.map((letter) => letter.tenantId)}::uuid[],
      ${letters.map((letter) => letter.kind)}::text[],
      ${letters.map((letter) => letter.eventId)}::uuid[],
      ${letters.map((letter) => letter.itemPath)}::text[],
      ${letters.map((letter) => letter.phoneNumberId)}::text[],
      ${letters.map((letter) => letter.wabaId)}::text[],
      ${letters.map((letter) => letter.errorCode)}::text[],
      ${letters.map((letter) => letter.errorMessage)}::text[],
      ${letters.map((letter) => letter.raw)}::bytea[],
      ${letters.map((letter) => letter.correlationId)}::uuid[],
      ${letters.map((letter) => letter.createdAt)}::timestamptz[])
      as letter (id, tenant_id, kind, event_id, item_path, phone_number_id, waba_id, error_code, error_message, raw,
        correlation_id, created_at)
    where not exists (
      select
      from dead_letters known
      where known.event_id = letter.event_id
        and known.item_path = letter.item_path
        and (known.state = 'open' or (known.state = 'discarded' and known.item_path <> '')))
    on conflict (event_id, item_path) where state = 'open' do nothing
    returning id`)
  return rows.map((row) => row.id)
}
