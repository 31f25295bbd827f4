// What a decision on dead letters reads, locks and writes.
import { sql, type Tx } from '../db/connect.ts'
import type { LetterFilter, LetterKind, Scope } from './queries.ts'

export interface OpenCount {
  kind: LetterKind
  count: number
  /** Of these, how many cannot be requeued: what they were made of is not kept any more. */
  pruned: number
  /** Nor these: their message went through by now, or is on its way. */
  not_failed: number
  /** And how many can be, but may arrive twice. */
  may_arrive_twice: number
}

export async function countOpenLetters(
  tx: Tx,
  scope: Scope,
  filter: LetterFilter,
): Promise<OpenCount[]> {
  return tx.query(sql<OpenCount>`
    select d.kind, count(*)::int as count,
      count(*) filter (where d.outbox_id is null and e.id is null)::int as pruned,
      count(*) filter (where d.outbox_id is not null and m.id is null)::int as not_failed,
      count(*) filter (where m.id is not null and exists (
        select
        from whatsapp_send_outbox o
        join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
        where o.tenant_id = d.tenant_id and o.message_id = d.message_id and a.outcome = 'unknown' and a.wamid is null
      ))::int as may_arrive_twice
    from dead_letters d
    left join whatsapp_webhook_events e
      on e.id = d.event_id and e.pruned_at is null and d.kind in ('inbound', 'malformed', 'unroutable')
    left join whatsapp_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id and d.outbox_id is not null
      and m.status in ('failed', 'unknown')
    where d.state = 'open'
      and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)
      and (${filter.tenantId}::uuid is null or d.tenant_id = ${filter.tenantId}::uuid)
      and (${filter.kinds}::text[] is null or d.kind = any(${filter.kinds}::text[]))
      and (${filter.codes}::text[] is null or d.error_code = any(${filter.codes}::text[]))
      and (${filter.notCodes}::text[] is null or d.error_code <> all(${filter.notCodes}::text[]))
      and (${filter.phoneNumberId}::text is null or d.phone_number_id = ${filter.phoneNumberId})
      and (${filter.messageId}::uuid is null or d.message_id = ${filter.messageId}::uuid)
      and (${filter.createdBefore}::timestamptz is null or d.created_at < ${filter.createdBefore})
      and (${filter.createdAfter}::timestamptz is null or d.created_at > ${filter.createdAfter})
      and (${filter.ids}::uuid[] is null or d.id = any(${filter.ids}::uuid[]))
    group by d.kind
    order by d.kind`)
}

export type Possible = 'all' | 'requeueable' | 'unknown'

/** The oldest open ones, for a decision on many. Those for which it is not possible do not take up places. */
export async function selectOpenIds(
  tx: Tx,
  scope: Scope,
  filter: LetterFilter,
  possible: Possible,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    select d.id
    from dead_letters d
    left join whatsapp_webhook_events e
      on e.id = d.event_id and e.pruned_at is null and d.kind in ('inbound', 'malformed', 'unroutable')
    left join whatsapp_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id and d.outbox_id is not null
      and m.status in ('failed', 'unknown')
    where d.state = 'open'
      and case ${possible}
        when 'requeueable' then e.id is not null or m.id is not null
        when 'unknown' then m.id is not null and exists (
          select
          from whatsapp_send_outbox o
          join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
          where o.tenant_id = d.tenant_id and o.message_id = d.message_id and a.outcome = 'unknown' and a.wamid is null)
        else true end
      and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)
      and (${filter.tenantId}::uuid is null or d.tenant_id = ${filter.tenantId}::uuid)
      and (${filter.kinds}::text[] is null or d.kind = any(${filter.kinds}::text[]))
      and (${filter.codes}::text[] is null or d.error_code = any(${filter.codes}::text[]))
      and (${filter.notCodes}::text[] is null or d.error_code <> all(${filter.notCodes}::text[]))
      and (${filter.phoneNumberId}::text is null or d.phone_number_id = ${filter.phoneNumberId})
      and (${filter.messageId}::uuid is null or d.message_id = ${filter.messageId}::uuid)
      and (${filter.createdBefore}::timestamptz is null or d.created_at < ${filter.createdBefore})
      and (${filter.createdAfter}::timestamptz is null or d.created_at > ${filter.createdAfter})
      and (${filter.ids}::uuid[] is null or d.id = any(${filter.ids}::uuid[]))
    order by d.created_at, d.id
    limit ${limit}`)
  return rows.map((row) => row.id)
}

/** What is behind open letters: the event each came in, or the message it was to be. */
export interface OpenLetter {
  tenant_id: string | null
  event_id: string | null
  outbox_id: string | null
  message_id: string | null
}

export async function selectOpenLetters(
  tx: Tx,
  scope: Scope,
  ids: string[],
): Promise<OpenLetter[]> {
  return tx.query(sql<OpenLetter>`
    select tenant_id, event_id, outbox_id, message_id
    from dead_letters
    where id = any(${ids}::uuid[]) and state = 'open' and (${scope}::uuid is null or tenant_id = ${scope}::uuid)`)
}

export interface LockedLetter {
  id: string
  tenant_id: string | null
  kind: LetterKind
  event_id: string | null
  outbox_id: string | null
  message_id: string | null
  phone_number_id: string | null
  error_code: string
  correlation_id: string | null
  raw_sha256: string
}

/** Locks those that are open, in one order for all. Whoever waited here for another decision comes back without them. */
export async function lockOpenLetters(
  tx: Tx,
  scope: Scope,
  ids: string[],
): Promise<LockedLetter[]> {
  return tx.query(sql<LockedLetter>`
    select id, tenant_id, kind, event_id, outbox_id, message_id, phone_number_id, error_code, correlation_id,
      encode(sha256(raw), 'hex') as raw_sha256
    from dead_letters
    where id = any(${ids}::uuid[]) and state = 'open' and (${scope}::uuid is null or tenant_id = ${scope}::uuid)
    order by id
    for update`)
}

/** The open ones of these messages, whatever they died of. */
export async function selectOpenIdsOfMessages(
  tx: Tx,
  messages: { tenantId: string; messageId: string }[],
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    select d.id
    from unnest(
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.messageId)}::uuid[]) as m (tenant_id, id)
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
    join dead_letters d on d.tenant_id = o.tenant_id and d.outbox_id = o.id
    where d.state = 'open'`)
  return rows.map((row) => row.id)
}

export type DecidedState = 'requeued' | 'discarded' | 'resolved'

/** To be called for locked letters. */
export async function markDecided(
  tx: Tx,
  ids: string[],
  decision: { state: DecidedState; at: Date; by: string; reason: string },
): Promise<void> {
  await tx.query(sql`
    update dead_letters
    set state = ${decision.state}, decided_at = ${decision.at}, decided_by = ${decision.by},
      decision_reason = ${decision.reason}
    where id = any(${ids}::uuid[])`)
}

/** How many of these there are, decided or not. */
export async function countKnown(tx: Tx, scope: Scope, ids: string[]): Promise<number> {
  const [row] = await tx.query(sql<{ count: number }>`
    select count(*)::int as count
    from dead_letters
    where id = any(${ids}::uuid[]) and (${scope}::uuid is null or tenant_id = ${scope}::uuid)`)
  return row?.count ?? 0
}

/** As `event path`. */
export async function selectDiscardedPlaces(tx: Tx, eventIds: string[]): Promise<string[]> {
  const rows = await tx.query(sql<{ place: string }>`
    select distinct event_id || ' ' || item_path as place
    from dead_letters
    where event_id = any(${eventIds}::uuid[]) and state = 'discarded' and item_path <> ''`)
  return rows.map((row) => row.place)
}
