import { sql, type Tx } from '../db/connect.ts'
import { type EventOutcome, emptyOutcome, outcomeJson } from './outcome.ts'

export interface NewEvent {
  id: string
  receivedAt: Date
  raw: Buffer
  isJsonb: boolean
  inboundEventId: string
  correlationId: string
  phoneNumberId: string | null
  singleItemOf: string | null
}

/** How they are stored: which app's they are, and whether a ring is to come for each. */
export interface Storing {
  appId: string | null
  isRung: boolean
}

/**
 * Stores what is new and returns the ids of those. The others have been stored before: same bytes or same single item.
 * All bodies go as one binary value: as an array of bytea each byte would be two hexadecimal digits, written here,
 * parsed there. The same bytes are the same single item, so only what is not a single item needs the digest.
 */
export async function insertEvents(
  db: Tx,
  events: NewEvent[],
  { appId, isRung }: Storing,
): Promise<Set<string>> {
  const starts: number[] = []
  let length = 0
  for (const event of events) {
    starts.push(length + 1)
    length += event.raw.length
  }
  const bodies = Buffer.concat(events.map((event) => event.raw))
  const rows = await db.query(sql<{ id: string }>`
    insert into whatsapp_webhook_events
      (id, received_at, next_run_at, raw, payload, app_id, inbound_event_id, correlation_id, phone_number_id,
       body_sha256, single_item_of, rung_for)
    select id, to_timestamp(received_ms / 1000), now(), raw, case when is_jsonb then convert_from(raw, 'UTF8')::jsonb end,
      ${appId}, inbound_event_id, correlation_id, phone_number_id,
      case when single_item_of is null then sha256(raw) end, single_item_of, case when ${isRung} then now() end
    from (
      select event.*, substring(${bodies}::bytea from start for length) as raw
      from unnest(
        ${plainArray(events.map((event) => event.id))}::uuid[],
        ${plainArray(events.map((event) => event.receivedAt.getTime()))}::float8[],
        ${plainArray(starts)}::int[],
        ${plainArray(events.map((event) => event.raw.length))}::int[],
        ${plainArray(events.map((event) => event.isJsonb))}::boolean[],
        ${events.map((event) => event.inboundEventId)}::text[],
        ${plainArray(events.map((event) => event.correlationId))}::uuid[],
        ${events.map((event) => event.phoneNumberId)}::text[],
        ${events.map((event) => event.singleItemOf)}::text[])
        as event (id, received_ms, start, length, is_jsonb, inbound_event_id, correlation_id, phone_number_id,
          single_item_of)
    ) as event
    on conflict do nothing
    returning id`)
  return new Set(rows.map((row) => row.id))
}

/** An array of what needs no quoting, as Postgres reads it. The driver would look at every element's every character. */
function plainArray(values: (string | number | boolean)[]): string {
  return `{${values.join(',')}}`
}

export interface ClaimedEvent {
  id: string
  /** Counts claims, and is the fence: whoever claims the event again makes the older claim void. */
  attempt: number
  /** Grows with every requeue, because `attempt` never goes back. */
  attemptsAllowed: number
  /** When it was last asked for again. */
  attemptsBefore: number
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
  /** What took the event up, for its trace: `postgres`, or the name of a task. */
  taskName: string
  /** The database's clock, unless a test says otherwise. */
  now: Date | null
}

/** From this attempt on an event is under suspicion: it may be what ends processes or breaks connections. */
const suspectAttempt = 3

/** Of attempts since it came, or was last asked for again: who went through before is blameless. */
export function isSuspect({ attempt, attemptsBefore }: ClaimedEvent): boolean {
  return attempt - attemptsBefore >= suspectAttempt
}

/**
 * Leases what is due, oldest first. A lease is `next_run_at` in the future: an abandoned event comes due by itself. A suspect
 * is claimed alone, so that a death is charged to nobody who merely stood behind it. (When 100 waited in line, ten kills of
 * a worker under load made dead letters of 125 blameless webhooks.)
 */
export async function claimEvents(db: Tx, options: ClaimOptions): Promise<ClaimedEvent[]> {
  const rows = await db.query(sql<ClaimedEvent>`
    with due as materialized (
      select id, next_run_at, octet_length(raw) as bytes,
        attempt - attempts_before >= ${suspectAttempt - 1} as is_suspect
      from whatsapp_webhook_events
      where status in ('pending', 'processing')
        and next_run_at <= coalesce(${options.now}::timestamptz, now())
      order by next_run_at, id
      limit ${options.limit}
      for update skip locked
    ),
    fitting as (
      select id
      from (
        select id, is_suspect, row_number() over line as place, first_value(is_suspect) over line as is_for_suspect,
          sum(bytes) over line - bytes as bytes_before
        from due
        window line as (order by next_run_at, id)
      ) as sized
      where bytes_before < ${options.maxBytes} and (place = 1 or not (is_suspect or is_for_suspect))
    ),
    claimed as (
      update whatsapp_webhook_events e
      set status = 'processing',
        attempt = e.attempt + 1,
        next_run_at = coalesce(${options.now}::timestamptz, now()) + make_interval(secs => ${options.leaseSeconds})
      from fitting
      where e.id = fitting.id
      returning e.*
    ),
    traced as (
      insert into whatsapp_inbound_traces (event_id, attempt, inbound_event_id, correlation_id, task_name, started_at)
      select id, attempt, inbound_event_id, correlation_id, ${options.taskName}, clock_timestamp()
      from claimed
    )
    select id, attempt, attempts_allowed as "attemptsAllowed", attempts_before as "attemptsBefore", raw,
      app_id as "appId", received_at as "receivedAt", inbound_event_id as "inboundEventId",
      correlation_id as "correlationId"
    from claimed`)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * This one, if it is due. A statement of its own, and found by its id alone: a plan that serves both cases, or one that was
 * made while little waited, would walk all that waits for each.
 */
export async function claimEvent(
  db: Tx,
  id: string,
  options: Pick<ClaimOptions, 'leaseSeconds' | 'taskName' | 'now'>,
): Promise<ClaimedEvent | undefined> {
  const [row] = await db.query(sql<ClaimedEvent>`
    with asked as materialized (
      select id, status, next_run_at
      from whatsapp_webhook_events
      where id = ${id}
      for update skip locked
    ),
    claimed as (
      update whatsapp_webhook_events e
      set status = 'processing',
        attempt = e.attempt + 1,
        next_run_at = coalesce(${options.now}::timestamptz, now()) + make_interval(secs => ${options.leaseSeconds})
      from asked
      where e.id = asked.id and asked.status in ('pending', 'processing')
        and asked.next_run_at <= coalesce(${options.now}::timestamptz, now())
      returning e.*
    ),
    traced as (
      insert into whatsapp_inbound_traces (event_id, attempt, inbound_event_id, correlation_id, task_name, started_at)
      select id, attempt, inbound_event_id, correlation_id, ${options.taskName}, clock_timestamp()
      from claimed
    )
    select id, attempt, attempts_allowed as "attemptsAllowed", attempts_before as "attemptsBefore", raw,
      app_id as "appId", received_at as "receivedAt", inbound_event_id as "inboundEventId",
      correlation_id as "correlationId"
    from claimed`)
  return row
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
export async function finishEvents(
  tx: Tx,
  events: Pick<ClaimedEvent, 'id' | 'attempt'>[],
  outcomes: Map<string, EventOutcome>,
  now: Date,
): Promise<void> {
  if (events.length === 0) return
  await tx.query(sql`
    with finished as (
      select *
      from unnest(
        ${events.map((event) => event.id)}::uuid[],
        ${events.map((event) => event.attempt)}::int[],
        ${events.map((event) => outcomeJson(outcomes.get(event.id) ?? emptyOutcome()))}::jsonb[],
        ${events.map((event) => (outcomes.get(event.id)?.replies ? 'enqueued' : 'none'))}::text[])
        as finished (id, attempt, outcome, enqueued)
    ),
    traced as (
      update whatsapp_inbound_traces t
      set finished_at = clock_timestamp(), outcome = 'done', outbound_enqueue_status = f.enqueued
      from finished f
      where t.event_id = f.id and t.attempt = f.attempt
    )
    update whatsapp_webhook_events e
    set status = 'done', processed_at = ${now}, last_error = null, outcome = f.outcome
    from finished f
    where e.id = f.id`)
}

export async function failEvent(
  tx: Tx,
  event: Pick<ClaimedEvent, 'id' | 'attempt'>,
  outcome: EventOutcome,
  error: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    with traced as (
      update whatsapp_inbound_traces
      set finished_at = clock_timestamp(), outcome = 'failed', error = ${error}
      where event_id = ${event.id} and attempt = ${event.attempt}
    )
    update whatsapp_webhook_events
    set status = 'failed', processed_at = ${now}, last_error = ${error}, outcome = ${outcomeJson(outcome)}::jsonb
    where id = ${event.id}`)
}

export interface Release {
  afterSeconds: number
  error: string
  /** Whether it was tried, and so has one attempt less. */
  isTried: boolean
  now: Date | null
}

/** Gives claims back; whose claim is no longer ours is left alone. */
export async function releaseEvents(
  db: Tx,
  events: Pick<ClaimedEvent, 'id' | 'attempt'>[],
  { afterSeconds, error, isTried, now }: Release,
): Promise<void> {
  await db.query(sql`
    with released as (
      update whatsapp_webhook_events e
      set status = 'pending',
        next_run_at = coalesce(${now}::timestamptz, now()) + make_interval(secs => ${afterSeconds}),
        last_error = ${error},
        attempts_allowed = e.attempts_allowed + case when ${isTried} then 0 else 1 end
      from unnest(
        ${events.map((event) => event.id)}::uuid[],
        ${events.map((event) => event.attempt)}::int[]) as claimed (id, attempt)
      where e.id = claimed.id and e.attempt = claimed.attempt and e.status = 'processing'
      returning e.id, e.attempt
    )
    update whatsapp_inbound_traces t
    set finished_at = clock_timestamp(), outcome = 'retried', error = ${error}
    from released r
    where t.event_id = r.id and t.attempt = r.attempt`)
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

/** One look at the inbox; a longer time without any counts as time in which nothing was received. */
export async function beatInbox(
  db: Tx,
  receivedBefore: Date,
  longestBreakSeconds: number,
): Promise<void> {
  await db.query(sql`
    select inbox_beat(${receivedBefore}, make_interval(secs => ${longestBreakSeconds}))`)
}
