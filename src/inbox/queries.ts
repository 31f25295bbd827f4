import { sql, type Tx } from '../db/connect.ts'

export interface NewEvent {
  id: string
  receivedAt: Date
  raw: Buffer
  isJsonb: boolean
  appId: string | null
  inboundEventId: string
  correlationId: string
  phoneNumberId: string | null
  bodySha256: Buffer
  singleItemKey: string | null
}

/** Stores what is new and returns the ids of those. The others have been stored before: same bytes or same single item. */
export async function insertEvents(db: Tx, events: NewEvent[]): Promise<Set<string>> {
  const rows = await db.query(sql<{ id: string }>`
    insert into whatsapp_webhook_events
      (id, received_at, next_run_at, raw, payload, app_id, inbound_event_id, correlation_id, phone_number_id,
       body_sha256, single_item_key)
    select id, received_at, now(), raw, case when is_jsonb then convert_from(raw, 'UTF8')::jsonb end, app_id,
      inbound_event_id, correlation_id, phone_number_id, body_sha256, single_item_key
    from unnest(
      ${events.map((event) => event.id)}::uuid[],
      ${events.map((event) => event.receivedAt)}::timestamptz[],
      ${events.map((event) => event.raw)}::bytea[],
      ${events.map((event) => event.isJsonb)}::boolean[],
      ${events.map((event) => event.appId)}::text[],
      ${events.map((event) => event.inboundEventId)}::text[],
      ${events.map((event) => event.correlationId)}::uuid[],
      ${events.map((event) => event.phoneNumberId)}::text[],
      ${events.map((event) => event.bodySha256)}::bytea[],
      ${events.map((event) => event.singleItemKey)}::text[])
      as event (id, received_at, raw, is_jsonb, app_id, inbound_event_id, correlation_id, phone_number_id,
        body_sha256, single_item_key)
    on conflict do nothing
    returning id`)
  return new Set(rows.map((row) => row.id))
}

export interface ClaimedEvent {
  id: string
  /** Counts claims, and is the fence: whoever claims the event again makes the older claim void. */
  attempt: number
  raw: Buffer
  appId: string | null
  receivedAt: Date
  inboundEventId: string
  correlationId: string
}

export interface ClaimOptions {
  limit: number
  /** Stop adding events once this much is claimed (one event is at most 4 MiB). */
  maxBytes: number
  leaseSeconds: number
  /** The database's clock, unless a test says otherwise. */
  now: Date | null
}

/** Leases what is due, oldest first. A lease is `next_run_at` in the future: an abandoned event comes due by itself. */
export async function claimEvents(db: Tx, options: ClaimOptions): Promise<ClaimedEvent[]> {
  const rows = await db.query(sql<ClaimedEvent>`
    with due as materialized (
      select id, next_run_at, octet_length(raw) as bytes
      from whatsapp_webhook_events
      where status in ('pending', 'processing')
        and next_run_at <= coalesce(${options.now}::timestamptz, now())
      order by next_run_at, id
      limit ${options.limit}
      for update skip locked
    ),
    fitting as (
      select id
      from (select id, sum(bytes) over (order by next_run_at, id) - bytes as bytes_before from due) as sized
      where bytes_before < ${options.maxBytes}
    )
    update whatsapp_webhook_events e
    set status = 'processing',
      attempt = e.attempt + 1,
      next_run_at = coalesce(${options.now}::timestamptz, now()) + make_interval(secs => ${options.leaseSeconds})
    from fitting
    where e.id = fitting.id
    returning e.id, e.attempt, e.raw, e.app_id as "appId", e.received_at as "receivedAt",
      e.inbound_event_id as "inboundEventId", e.correlation_id as "correlationId"`)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Locks the events whose claim is still ours, for the rest of the transaction. */
export async function holdEvents(
  tx: Tx,
  events: Pick<ClaimedEvent, 'id' | 'attempt'>[],
): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    select e.id
    from whatsapp_webhook_events e
    join unnest(
      ${events.map((event) => event.id)}::uuid[],
      ${events.map((event) => event.attempt)}::int[]) as claimed (id, attempt) using (id, attempt)
    where e.status = 'processing'
    order by e.id
    for update of e`)
  return new Set(rows.map((row) => row.id))
}

/** To be called for held events only. */
export async function finishEvents(tx: Tx, ids: string[], now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_webhook_events
    set status = 'done', processed_at = ${now}, last_error = null
    where id = any(${ids}::uuid[])`)
}

export async function failEvent(tx: Tx, id: string, error: string, now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_webhook_events
    set status = 'failed', processed_at = ${now}, last_error = ${error}
    where id = ${id}`)
}

/** Gives claims back; whose claim is no longer ours is left alone. */
export async function releaseEvents(
  db: Tx,
  events: Pick<ClaimedEvent, 'id' | 'attempt'>[],
  afterSeconds: number,
  error: string,
  now: Date | null,
): Promise<void> {
  await db.query(sql`
    update whatsapp_webhook_events e
    set status = 'pending',
      next_run_at = coalesce(${now}::timestamptz, now()) + make_interval(secs => ${afterSeconds}),
      last_error = ${error}
    from unnest(
      ${events.map((event) => event.id)}::uuid[],
      ${events.map((event) => event.attempt)}::int[]) as claimed (id, attempt)
    where e.id = claimed.id and e.attempt = claimed.attempt and e.status = 'processing'`)
}

export interface DedupeKey {
  tenantId: string
  key: string
  eventType: 'inbound_message' | 'status_update'
}

/** Returns the keys that were not there yet, as `tenant type key`. Sorted, so that two workers wait for each other in one order. */
export async function insertDedupeKeys(tx: Tx, keys: DedupeKey[], now: Date): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await tx.query(sql<{ key: string }>`
    insert into whatsapp_webhook_dedupe (tenant_id, dedupe_key, event_type, created_at)
    select tenant_id, dedupe_key, event_type, ${now}::timestamptz
    from unnest(
      ${keys.map((key) => key.tenantId)}::uuid[],
      ${keys.map((key) => key.key)}::text[],
      ${keys.map((key) => key.eventType)}::text[]) as item (tenant_id, dedupe_key, event_type)
    order by tenant_id, dedupe_key, event_type
    on conflict do nothing
    returning tenant_id || ' ' || event_type || ' ' || dedupe_key as key`)
  return new Set(rows.map((row) => row.key))
}
