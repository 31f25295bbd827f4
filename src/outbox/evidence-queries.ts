// What a proven acceptance reads and writes: attempts, their messages, and who was sent to twice.
import type { MessageName } from '../conversations/model.ts'
import { sql, type Tx } from '../db/connect.ts'

export interface Evidence extends MessageName {
  attemptId: string
  /** The status that told so tells of its failure too. */
  isFailed: boolean
}

export interface ProvenAttempt extends MessageName {
  outboxId: string
  messageId: string
  isFailed: boolean
}

/**
 * The attempts of which this is the first that is heard; also one that has its wamid from a late answer whose proof was
 * lost with its process: no message is named so, and neither a double nor a failure is known of it. Only the tenant's own.
 * Locked in one order, so that two batches with statuses of the same messages do not lock each other out.
 */
export async function keepEvidence(tx: Tx, evidence: Evidence[]): Promise<ProvenAttempt[]> {
  return tx.query(sql<ProvenAttempt>`
    with told as materialized (
      select distinct on (tenant_id, id) tenant_id, id, wamid, is_failed
      from unnest(
        ${evidence.map((one) => one.tenantId)}::uuid[],
        ${evidence.map((one) => one.attemptId)}::uuid[],
        ${evidence.map((one) => one.wamid)}::text[],
        ${evidence.map((one) => one.isFailed)}::boolean[]) as told (tenant_id, id, wamid, is_failed)
      order by tenant_id, id, is_failed
    ),
    held as materialized (
      select a.tenant_id, a.id, told.wamid, told.is_failed
      from told
      join send_attempts a on a.tenant_id = told.tenant_id and a.id = told.id
      where a.wamid is null or (a.wamid = told.wamid and a.duplicate_confirmed_at is null
        -- Limited, so that it is looked up for each: a hash of all messages would be made otherwise, now and then.
        and (
          select m.id from whatsapp_messages m where m.tenant_id = a.tenant_id and m.wamid = a.wamid limit 1) is null
        and (
          select s.wamid
          from whatsapp_message_statuses s
          where s.tenant_id = a.tenant_id and s.wamid = a.wamid and s.status = 'failed'
          limit 1) is null)
      order by a.id
      for update of a
    ),
    kept as (
      update send_attempts a
      set wamid = held.wamid
      from held
      where a.tenant_id = held.tenant_id and a.id = held.id
      returning a.tenant_id, a.outbox_id, a.wamid, held.is_failed
    )
    select kept.tenant_id as "tenantId", kept.wamid, kept.outbox_id as "outboxId", o.message_id as "messageId",
      kept.is_failed as "isFailed"
    from kept
    join whatsapp_send_outbox o on o.tenant_id = kept.tenant_id and o.id = kept.outbox_id`)
}

/** Locks the messages of these attempts and those of these names, in the order of names. Returns `tenant wamid` of each. */
export async function holdMessages(
  tx: Tx,
  attempts: ProvenAttempt[],
  names: MessageName[],
): Promise<Set<string>> {
  const rows = await tx.query(sql<{ key: string | null }>`
    select m.tenant_id || ' ' || m.wamid as key
    from whatsapp_messages m
    where (m.tenant_id, m.id) in (
      select *
      from unnest(
        ${attempts.map((one) => one.tenantId)}::uuid[],
        ${attempts.map((one) => one.messageId)}::uuid[])
      union
      select named.tenant_id, named.id
      from unnest(
        ${names.map((name) => name.tenantId)}::uuid[],
        ${names.map((name) => name.wamid)}::text[]) as name (tenant_id, wamid)
      join whatsapp_messages named on named.tenant_id = name.tenant_id and named.wamid = name.wamid)
    order by m.tenant_id, m.wamid, m.id
    for no key update of m`)
  return new Set(rows.flatMap(({ key }) => key ?? []))
}

/**
 * Messages that had no name at Meta have this one from now on, and are no longer given up. A failure counts only where it
 * is the latest that is known: while another attempt is under way, or another row waits, the message's fate is theirs.
 * Returns the ids of those that changed.
 */
export async function nameMessages(
  tx: Tx,
  attempts: ProvenAttempt[],
  now: Date,
): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    with proven as materialized (
      select distinct on (p.tenant_id, p.message_id) p.tenant_id, p.message_id, p.wamid, p.is_failed
      from unnest(
        ${attempts.map((one) => one.tenantId)}::uuid[],
        ${attempts.map((one) => one.messageId)}::uuid[],
        ${attempts.map((one) => one.outboxId)}::bigint[],
        ${attempts.map((one) => one.wamid)}::text[],
        ${attempts.map((one) => one.isFailed)}::boolean[]) as p (tenant_id, message_id, outbox_id, wamid, is_failed)
      where not p.is_failed or not exists (
        select
        from whatsapp_send_outbox o
        left join send_attempts running on running.tenant_id = o.tenant_id and running.id = o.attempt_id
        where o.tenant_id = p.tenant_id and o.message_id = p.message_id
          and (o.id > p.outbox_id or (o.id = p.outbox_id and o.status = 'running' and running.wamid is null)))
      order by p.tenant_id, p.message_id, p.is_failed, p.outbox_id desc
    ),
    held as materialized (
      select m.tenant_id, m.id, p.wamid, not p.is_failed and m.status in ('queued', 'unknown', 'failed') as is_saved
      from proven p
      join whatsapp_messages m on m.tenant_id = p.tenant_id and m.id = p.message_id
      where m.wamid is null
      order by m.tenant_id, m.id
      for no key update of m
    )
    update whatsapp_messages m
    set wamid = held.wamid, accepted_at = coalesce(m.accepted_at, ${now}),
      status = case when held.is_saved then 'sent' else m.status end,
      error = case when held.is_saved then null else m.error end,
      ended_at = case when held.is_saved then null else m.ended_at end
    from held
    where m.tenant_id = held.tenant_id and m.id = held.id
    returning m.id`)
  return new Set(rows.map((row) => row.id))
}

export interface MessageKey {
  tenantId: string
  messageId: string
}

export interface Duplicate extends MessageKey {
  /** The one that is not the message's own. */
  wamid: string
  attemptId: string
  phoneNumberId: string
  correlationId: string
}

/** Those of the messages that Meta accepted under two names, each told once. What failed at Meta reached nobody. */
export async function confirmDuplicates(
  tx: Tx,
  messages: MessageKey[],
  now: Date,
): Promise<Duplicate[]> {
  return tx.query(sql<Duplicate>`
    with doubled as (
      update send_attempts a
      set duplicate_confirmed_at = ${now}
      from (
        select distinct tenant_id, id
        from unnest(
          ${messages.map((message) => message.tenantId)}::uuid[],
          ${messages.map((message) => message.messageId)}::uuid[]) as asked (tenant_id, id)
      ) as asked
      join whatsapp_messages m on m.tenant_id = asked.tenant_id and m.id = asked.id
      join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
      where a.tenant_id = o.tenant_id and a.outbox_id = o.id and a.wamid <> m.wamid
        and a.duplicate_confirmed_at is null
        and not exists (
          select
          from whatsapp_message_statuses s
          where s.tenant_id = m.tenant_id and s.wamid in (a.wamid, m.wamid) and s.status = 'failed')
      returning a.tenant_id, a.id, a.wamid, m.id as message_id, o.phone_number_id, o.correlation_id
    ),
    marked as (
      update whatsapp_messages m
      set duplicate_confirmed_at = coalesce(m.duplicate_confirmed_at, ${now})
      from doubled
      where m.tenant_id = doubled.tenant_id and m.id = doubled.message_id
    )
    select tenant_id as "tenantId", message_id as "messageId", wamid, id as "attemptId",
      phone_number_id as "phoneNumberId", correlation_id as "correlationId"
    from doubled`)
}

/**
 * Ends what waits although an attempt at it is proven. Returns how many. Only where the message has its name: an attempt that
 * turned out to have failed while another was under way has not given it one, and its end is not told before that is settled.
 */
export async function confirmWaiting(db: Tx, messages: MessageKey[]): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    select count(*)::int as count
    from (
      select array_agg(m.tenant_id) as tenants, array_agg(m.id) as ids
      from unnest(
        ${messages.map((message) => message.tenantId)}::uuid[],
        ${messages.map((message) => message.messageId)}::uuid[]) as asked (tenant_id, id)
      join whatsapp_messages m on m.tenant_id = asked.tenant_id and m.id = asked.id
      where m.wamid is not null
    ) as named
    cross join lateral send_confirm(named.tenants, named.ids)`)
  return row?.count ?? 0
}
