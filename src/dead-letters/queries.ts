// Reading dead letters. What a decision reads and writes is in decision-queries.ts.
import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'

export type LetterKind = 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown'
export type LetterState = 'open' | 'requeued' | 'discarded' | 'resolved'

export interface LetterRow {
  id: string
  tenant_id: string | null
  kind: LetterKind
  state: LetterState
  item_path: string
  phone_number_id: string | null
  waba_id: string | null
  /** Of what was to be sent, like the next two. */
  message_id: string | null
  message_type: string | null
  conversation_id: string | null
  /** Null where nobody is known. */
  contact: { name: string | null; wa_id: string | null } | null
  /** How often this one was tried before it died. */
  attempts: number | null
  /** Of one of the message's attempts it is not known whether Meta took it. */
  may_arrive_twice: boolean
  error_code: string
  error_message: string
  /** Meta's, of the last answer that had one. */
  provider_code: number | null
  correlation_id: string | null
  raw_bytes: number
  created_at: Date
  decided_at: Date | null
  decided_by: string | null
  decision_reason: string | null
}

/** Who is asking: a tenant, who sees its own only, or an operator (null), who also sees what nobody owns. */
export type Scope = string | null

export interface LetterFilter {
  tenantId: string | null
  kinds: LetterKind[] | null
  codes: string[] | null
  notCodes: string[] | null
  phoneNumberId: string | null
  messageId: string | null
  createdBefore: Date | null
  createdAfter: Date | null
  ids: string[] | null
  /** Something that a person typed; search.ts makes ids of it. */
  sought: string | null
}

export async function selectLetters(
  tx: Tx,
  scope: Scope,
  states: LetterState[],
  filter: LetterFilter,
  after: Cursor | null,
  limit: number,
): Promise<LetterRow[]> {
  return tx.query(sql<LetterRow>`
    select d.id, d.tenant_id, d.kind, d.state, d.item_path, d.phone_number_id, d.waba_id, d.message_id, d.error_code,
      d.error_message, d.correlation_id, octet_length(d.raw) as raw_bytes, d.created_at, d.decided_at, d.decided_by,
      d.decision_reason, m.type as message_type, m.conversation_id, case when p.id is not null then
        jsonb_build_object('name', coalesce(p.name, c.contact_name), 'wa_id', p.wa_id) end as contact,
      case when d.outbox_id is not null then (
        select count(*)::int
        from send_attempts a
        where a.tenant_id = d.tenant_id and a.outbox_id = d.outbox_id) end as attempts, (
        select a.provider_code
        from send_attempts a
        where a.tenant_id = d.tenant_id and a.outbox_id = d.outbox_id and a.provider_code is not null
        order by a.started_at desc
        limit 1) as provider_code,
      exists (
        select
        from whatsapp_send_outbox o
        join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
        where o.tenant_id = d.tenant_id and o.message_id = d.message_id and a.outcome = 'unknown' and a.wamid is null
      ) as may_arrive_twice
    from dead_letters d
    left join whatsapp_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
    left join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    left join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where d.state = any(${states}::text[])
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
      and (${after?.at ?? null}::timestamptz is null
        or (d.created_at, d.id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by d.created_at desc, d.id desc
    limit ${limit}`)
}

export interface GroupCount {
  kind: LetterKind
  error_code: string
  count: number
  newest_at: Date
}

/** The most first. */
export async function countLetters(
  tx: Tx,
  scope: Scope,
  states: LetterState[],
  filter: Pick<LetterFilter, 'tenantId' | 'createdBefore' | 'createdAfter' | 'ids'>,
): Promise<GroupCount[]> {
  return tx.query(sql<GroupCount>`
    select d.kind, d.error_code, count(*)::int as count, max(d.created_at) as newest_at
    from dead_letters d
    where d.state = any(${states}::text[])
      and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)
      and (${filter.tenantId}::uuid is null or d.tenant_id = ${filter.tenantId}::uuid)
      and (${filter.createdBefore}::timestamptz is null or d.created_at < ${filter.createdBefore})
      and (${filter.createdAfter}::timestamptz is null or d.created_at > ${filter.createdAfter})
      and (${filter.ids}::uuid[] is null or d.id = any(${filter.ids}::uuid[]))
    group by d.kind, d.error_code
    order by count(*) desc, max(d.created_at) desc
    limit 200`)
}

export interface WholeLetter extends LetterRow {
  event_id: string | null
  /** Null when there is nothing to be sent again. */
  outbox_id: string | null
  message_status: string | null
  raw: Buffer
}

export async function selectLetter(
  tx: Tx,
  scope: Scope,
  id: string,
): Promise<WholeLetter | undefined> {
  const [row] = await tx.query(sql<WholeLetter>`
    select d.id, d.tenant_id, d.kind, d.state, d.item_path, d.phone_number_id, d.waba_id, d.message_id, d.error_code,
      d.error_message, d.correlation_id, octet_length(d.raw) as raw_bytes, d.created_at, d.decided_at, d.decided_by,
      d.decision_reason, m.type as message_type, m.conversation_id, case when p.id is not null then
        jsonb_build_object('name', coalesce(p.name, c.contact_name), 'wa_id', p.wa_id) end as contact,
      case when d.outbox_id is not null then (
        select count(*)::int
        from send_attempts a
        where a.tenant_id = d.tenant_id and a.outbox_id = d.outbox_id) end as attempts, (
        select a.provider_code
        from send_attempts a
        where a.tenant_id = d.tenant_id and a.outbox_id = d.outbox_id and a.provider_code is not null
        order by a.started_at desc
        limit 1) as provider_code,
      exists (
        select
        from whatsapp_send_outbox o
        join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
        where o.tenant_id = d.tenant_id and o.message_id = d.message_id and a.outcome = 'unknown' and a.wamid is null
      ) as may_arrive_twice, d.event_id, d.outbox_id, m.status as message_status, d.raw
    from dead_letters d
    left join whatsapp_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
    left join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    left join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where d.id = ${id} and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)`)
  return row
}

/** What a letter says of the error it tells of. */
export type ErrorRow = Pick<
  LetterRow,
  | 'id'
  | 'kind'
  | 'state'
  | 'error_code'
  | 'error_message'
  | 'created_at'
  | 'decided_at'
  | 'decided_by'
  | 'decision_reason'
>

/** Every dead letter of one place in one event, the earliest first: each is an error it met. */
export async function selectLettersOfPlace(
  tx: Tx,
  scope: Scope,
  eventId: string,
  itemPath: string,
): Promise<ErrorRow[]> {
  return tx.query(sql<ErrorRow>`
    select id, kind, state, error_code, error_message, created_at, decided_at, decided_by, decision_reason
    from dead_letters
    where event_id = ${eventId} and item_path = ${itemPath} and (${scope}::uuid is null or tenant_id = ${scope}::uuid)
    order by created_at, id`)
}

/** Every dead letter of one message, the earliest first: it dies once for each time that it was queued. */
export async function selectLettersOfMessage(
  tx: Tx,
  tenantId: string,
  messageId: string,
): Promise<(ErrorRow & { outbox_id: string })[]> {
  return tx.query(sql<ErrorRow & { outbox_id: string }>`
    select d.id, d.kind, d.state, d.error_code, d.error_message, d.created_at, d.decided_at, d.decided_by,
      d.decision_reason, d.outbox_id
    from whatsapp_send_outbox o
    join dead_letters d on d.tenant_id = o.tenant_id and d.outbox_id = o.id
    where o.tenant_id = ${tenantId} and o.message_id = ${messageId}
    order by d.created_at, d.id`)
}
