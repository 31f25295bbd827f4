import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'

export type LetterKind = 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown'
export type LetterState = 'open' | 'requeued' | 'discarded'

export interface LetterRow {
  id: string
  tenant_id: string | null
  kind: LetterKind
  state: LetterState
  item_path: string
  phone_number_id: string | null
  waba_id: string | null
  error_code: string
  error_message: string
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
  kind: LetterKind | null
  errorCode: string | null
  phoneNumberId: string | null
  createdBefore: Date | null
  createdAfter: Date | null
  ids: string[] | null
}

export async function selectLetters(
  tx: Tx,
  scope: Scope,
  state: LetterState,
  filter: LetterFilter,
  after: Cursor | null,
  limit: number,
): Promise<LetterRow[]> {
  return tx.query(sql<LetterRow>`
    select id, tenant_id, kind, state, item_path, phone_number_id, waba_id, error_code, error_message, correlation_id,
      octet_length(raw) as raw_bytes, created_at, decided_at, decided_by, decision_reason
    from dead_letters
    where state = ${state}
      and (${scope}::uuid is null or tenant_id = ${scope}::uuid)
      and (${filter.tenantId}::uuid is null or tenant_id = ${filter.tenantId}::uuid)
      and (${filter.kind}::text is null or kind = ${filter.kind})
      and (${filter.errorCode}::text is null or error_code = ${filter.errorCode})
      and (${filter.phoneNumberId}::text is null or phone_number_id = ${filter.phoneNumberId})
      and (${filter.createdBefore}::timestamptz is null or created_at < ${filter.createdBefore})
      and (${filter.createdAfter}::timestamptz is null or created_at > ${filter.createdAfter})
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

export interface WholeLetter extends LetterRow {
  event_id: string | null
  raw: Buffer
}

export async function selectLetter(
  tx: Tx,
  scope: Scope,
  id: string,
): Promise<WholeLetter | undefined> {
  const [row] = await tx.query(sql<WholeLetter>`
    select id, tenant_id, kind, state, item_path, phone_number_id, waba_id, error_code, error_message, correlation_id,
      octet_length(raw) as raw_bytes, created_at, decided_at, decided_by, decision_reason, event_id, raw
    from dead_letters
    where id = ${id} and (${scope}::uuid is null or tenant_id = ${scope}::uuid)`)
  return row
}

/** Every dead letter of one place in one event, the earliest first: each is an error it met. */
export async function selectLettersOfPlace(
  tx: Tx,
  scope: Scope,
  eventId: string,
  itemPath: string,
): Promise<LetterRow[]> {
  return tx.query(sql<LetterRow>`
    select id, tenant_id, kind, state, item_path, phone_number_id, waba_id, error_code, error_message, correlation_id,
      octet_length(raw) as raw_bytes, created_at, decided_at, decided_by, decision_reason
    from dead_letters
    where event_id = ${eventId} and item_path = ${itemPath} and (${scope}::uuid is null or tenant_id = ${scope}::uuid)
    order by created_at, id`)
}

export interface OpenCount {
  kind: LetterKind
  count: number
  /** Of these, how many have an event that still has its bytes. */
  requeueable: number
}

export async function countOpenLetters(
  tx: Tx,
  scope: Scope,
  filter: LetterFilter,
): Promise<OpenCount[]> {
  return tx.query(sql<OpenCount>`
    select d.kind, count(*)::int as count, count(e.id)::int as requeueable
    from dead_letters d
    left join whatsapp_webhook_events e
      on e.id = d.event_id and e.pruned_at is null and d.kind in ('inbound', 'malformed', 'unroutable')
    where d.state = 'open'
      and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)
      and (${filter.tenantId}::uuid is null or d.tenant_id = ${filter.tenantId}::uuid)
      and (${filter.kind}::text is null or d.kind = ${filter.kind})
      and (${filter.errorCode}::text is null or d.error_code = ${filter.errorCode})
      and (${filter.phoneNumberId}::text is null or d.phone_number_id = ${filter.phoneNumberId})
      and (${filter.createdBefore}::timestamptz is null or d.created_at < ${filter.createdBefore})
      and (${filter.createdAfter}::timestamptz is null or d.created_at > ${filter.createdAfter})
      and (${filter.ids}::uuid[] is null or d.id = any(${filter.ids}::uuid[]))
    group by d.kind
    order by d.kind`)
}

/** The oldest open ones, for a decision on many. With `onlyRequeueable` those without their bytes do not take up places. */
export async function selectOpenIds(
  tx: Tx,
  scope: Scope,
  filter: LetterFilter,
  onlyRequeueable: boolean,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    select d.id
    from dead_letters d
    left join whatsapp_webhook_events e
      on e.id = d.event_id and e.pruned_at is null and d.kind in ('inbound', 'malformed', 'unroutable')
    where d.state = 'open'
      and (e.id is not null or not ${onlyRequeueable}::boolean)
      and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)
      and (${filter.tenantId}::uuid is null or d.tenant_id = ${filter.tenantId}::uuid)
      and (${filter.kind}::text is null or d.kind = ${filter.kind})
      and (${filter.errorCode}::text is null or d.error_code = ${filter.errorCode})
      and (${filter.phoneNumberId}::text is null or d.phone_number_id = ${filter.phoneNumberId})
      and (${filter.createdBefore}::timestamptz is null or d.created_at < ${filter.createdBefore})
      and (${filter.createdAfter}::timestamptz is null or d.created_at > ${filter.createdAfter})
      and (${filter.ids}::uuid[] is null or d.id = any(${filter.ids}::uuid[]))
    order by d.created_at, d.id
    limit ${limit}`)
  return rows.map((row) => row.id)
}

/** The events behind open letters that can be processed again. */
export async function selectEventIdsOfOpen(tx: Tx, scope: Scope, ids: string[]): Promise<string[]> {
  const rows = await tx.query(sql<{ event_id: string }>`
    select distinct event_id
    from dead_letters
    where id = any(${ids}::uuid[])
      and state = 'open'
      and kind in ('inbound', 'malformed', 'unroutable')
      and event_id is not null
      and (${scope}::uuid is null or tenant_id = ${scope}::uuid)`)
  return rows.map((row) => row.event_id)
}

export interface LockedLetter {
  id: string
  tenant_id: string | null
  kind: LetterKind
  event_id: string | null
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
    select id, tenant_id, kind, event_id, phone_number_id, error_code, correlation_id,
      encode(sha256(raw), 'hex') as raw_sha256
    from dead_letters
    where id = any(${ids}::uuid[]) and state = 'open' and (${scope}::uuid is null or tenant_id = ${scope}::uuid)
    order by id
    for update`)
}

/** To be called for locked letters. */
export async function markDecided(
  tx: Tx,
  ids: string[],
  decision: { state: 'requeued' | 'discarded'; at: Date; by: string; reason: string },
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
