// The statements of the delivery queue. The functions are in migrations/0013_events.sql.
import { type Db, sql, type Tx } from '../db/connect.ts'
import { type ClaimedRow, type Holdings, type RowKey, stillForgotten } from '../queue/engine.ts'
import type { ClaimedDelivery, DeliverySettlement } from './model.ts'

/** Gives committed events their place and makes their deliveries. Returns how many. */
export async function routeEvents(db: Tx): Promise<number> {
  const [row] = await db.query(sql<{ routed: number }>`select events_route(500, 100) as routed`)
  return row?.routed ?? 0
}

/** Or under way, maybe in the hands of a process that died. */
export async function isAnythingDue(db: Tx): Promise<boolean> {
  const [row] = await db.query(sql<{ due: boolean }>`
    select exists (select from event_tenants where next_at <= now())
      or exists (select from event_deliveries where status = 'running') as due`)
  return row?.due ?? false
}

/** Fair over tenants, within the cap of each endpoint; each claim commits with its attempt. */
export async function claimDeliveries(
  db: Tx,
  workerId: string,
  limit: number,
  cap: number,
): Promise<ClaimedDelivery[]> {
  return db.query(sql<ClaimedDelivery>`
    select id, attempt_id as "attemptId", tenant_id as "tenantId", endpoint_id as "endpointId", event_id as "eventId",
      attempts, asks, url, secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil", type, data,
      phone_number_id as "phoneNumberId", created_at as "createdAt", (
        select e.correlation_id from events e where e.tenant_id = d.tenant_id and e.id = d.event_id) as "correlationId"
    from delivery_claim(${workerId}::bigint, ${limit}::int, ${cap}::int) as d`)
}

/** The ids of those that were still ours to end. Locks the tenants until the commit. */
export async function settleDeliveries(
  tx: Tx,
  settlements: (Omit<DeliverySettlement, 'delivery'> & { delivery: ClaimedRow })[],
): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    select id
    from delivery_settle(
      ${settlements.map(({ delivery }) => delivery.tenantId)}::uuid[],
      ${settlements.map(({ delivery }) => delivery.id)}::bigint[],
      ${settlements.map(({ delivery }) => delivery.attemptId)}::uuid[],
      ${settlements.map(({ state }) => state)}::text[],
      ${settlements.map(({ failures }) => failures)}::int[],
      ${settlements.map(({ error }) => error)}::text[],
      ${settlements.map(({ runAt }) => runAt)}::timestamptz[])`)
  return new Set(rows.map((row) => row.id))
}

export interface DeliveryAttemptEnd {
  attemptId: string
  tenantId: string
  statusCode: number | null
  errorCode: string | null
  durationMs: number
  /** What a refusal said. */
  answer: string | null
}

/** Whoever holds the row by now: what this attempt came to is a fact. */
export async function endDeliveryAttempts(tx: Tx, ends: DeliveryAttemptEnd[]): Promise<void> {
  await tx.query(sql`
    update event_attempts a
    set finished_at = coalesce(a.finished_at, now()), status_code = ended.status_code, error_code = ended.error_code,
      duration_ms = ended.duration_ms, answer = ended.answer
    from unnest(
      ${ends.map((end) => end.tenantId)}::uuid[],
      ${ends.map((end) => end.attemptId)}::uuid[],
      ${ends.map((end) => end.statusCode)}::int[],
      ${ends.map((end) => end.errorCode)}::text[],
      ${ends.map((end) => end.durationMs)}::int[],
      ${ends.map((end) => end.answer)}::text[]) as ended (tenant_id, id, status_code, error_code, duration_ms, answer)
    where a.tenant_id = ended.tenant_id and a.id = ended.id`)
}

export interface EndpointHealth {
  tenantId: string
  endpointId: string
  isTaken: boolean
  /** Those in this batch. */
  failures: number
  isDown: boolean
  holdUntil: Date | null
}

export interface FailingEndpoint {
  tenantId: string
  endpointId: string
  failingSince: Date | null
}

/** The caller holds the tenants' locks. One that is down is asked ever more seldom, up to once a minute. */
export async function noteHealth(
  tx: Tx,
  health: EndpointHealth[],
  now: Date,
): Promise<FailingEndpoint[]> {
  return tx.query(sql<FailingEndpoint>`
    update event_queues q
    set failures = case when x.is_taken then 0 else q.failures + x.failures end,
      failing_since = case when x.is_taken then null else coalesce(q.failing_since, ${now}) end,
      last_success_at = case when x.is_taken then ${now} else q.last_success_at end,
      hold_until = case when q.hold_until = 'infinity' then q.hold_until else greatest(
        case when x.is_taken then '-infinity' else q.hold_until end,
        x.hold_until,
        case when not x.is_taken and x.is_down and q.failures + x.failures >= 5
          then ${now}::timestamptz + least(60, 5 * 2 ^ least(q.failures + x.failures - 5, 10)) * interval '1 s' end) end
    from unnest(
      ${health.map((one) => one.tenantId)}::uuid[],
      ${health.map((one) => one.endpointId)}::uuid[],
      ${health.map((one) => one.isTaken)}::boolean[],
      ${health.map((one) => one.failures)}::int[],
      ${health.map((one) => one.isDown)}::boolean[],
      ${health.map((one) => one.holdUntil)}::timestamptz[])
      as x (tenant_id, endpoint_id, is_taken, failures, is_down, hold_until)
    where q.tenant_id = x.tenant_id and q.endpoint_id = x.endpoint_id
    returning q.tenant_id as "tenantId", q.endpoint_id as "endpointId", q.failing_since as "failingSince"`)
}

/** Nothing is claimed for this endpoint before it is resumed. */
export async function holdDeliveries(
  tx: Tx,
  tenantId: string,
  endpointId: string,
  until: 'paused' | 'resumed',
): Promise<void> {
  const at = until === 'paused' ? 'infinity' : '-infinity'
  await tx.query(sql`select delivery_hold(${tenantId}, ${endpointId}, ${at}::timestamptz)`)
}

/** After a change of a tenant's status: its alarm may be set for never. */
export async function wakeEventTenant(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(sql`update event_tenants set next_at = now() where tenant_id = ${tenantId}`)
}

/** Takes back what dead processes held. Returns how many. */
export async function reapDeliveries(db: Tx): Promise<number> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*)::int as count from delivery_reap()`,
  )
  return row?.count ?? 0
}

/** Of what was claimed and never worked, nothing is left but the row in the queue, due as before. */
export async function giveBackDeliveries(
  db: Db,
  holdingsOf: () => Holdings | undefined,
): Promise<RowKey[]> {
  return db.transaction(async (tx) => {
    const holdings = holdingsOf()
    if (!holdings) return []
    const rows = await tx.query(sql<ClaimedRow>`
      select tenant_id as "tenantId", id, attempt_id as "attemptId"
      from event_deliveries
      where status = 'running' and worker_id = ${holdings.workerId}::bigint
        and updated_at < now() - make_interval(secs => ${holdings.olderThanSeconds})
        and attempt_id <> all(${holdings.attemptIds}::uuid[])`)
    const forgotten = stillForgotten(rows, holdingsOf())
    if (forgotten.length === 0) return []
    const given = await settleDeliveries(
      tx,
      forgotten.map((delivery) => ({
        delivery,
        state: 'pending',
        failures: 0,
        error: 'UNAVAILABLE',
        runAt: null,
      })),
    )
    const ours = forgotten.filter(({ id }) => given.has(id))
    await tx.query(sql`
      delete from event_attempts a
      using unnest(
        ${ours.map((row) => row.tenantId)}::uuid[],
        ${ours.map((row) => row.attemptId)}::uuid[]) as dropped (tenant_id, id)
      where a.tenant_id = dropped.tenant_id and a.id = dropped.id`)
    return ours
  })
}

export async function sweepDeliveries(db: Tx, cap: number): Promise<number> {
  const [row] = await db.query(sql<{ woken: number }>`select delivery_sweep(${cap}::int) as woken`)
  return row?.woken ?? 0
}

export interface ReplayRange {
  since: Date | null
  until: Date | null
  eventIds: string[] | null
  onlyFailed: boolean
  /** The place of the last event of the call before. */
  after: number | null
}

export interface Replayed {
  count: number
  /** The place of the last of them. */
  last: number | null
}

export async function replayDeliveries(
  tx: Tx,
  tenantId: string,
  endpointId: string,
  range: ReplayRange,
  limit: number,
): Promise<Replayed> {
  const rows = await tx.query(sql<ReplayedRow>`
    select replayed as count, last_position as last
    from delivery_replay(${tenantId}, ${endpointId}, ${range.since}, ${range.until}, ${range.eventIds}::uuid[],
      ${range.onlyFailed}, ${range.after}::bigint, ${limit}::int)`)
  return replayedOf(rows)
}

/** Which those are, and nothing else. */
export async function countReplayable(
  tx: Tx,
  tenantId: string,
  endpointId: string,
  range: ReplayRange,
  limit: number,
): Promise<Replayed> {
  const rows = await tx.query(sql<ReplayedRow>`
    select count(*)::int as count, max(event_position) as last
    from delivery_replayable(${tenantId}, ${endpointId}, ${range.since}, ${range.until}, ${range.eventIds}::uuid[],
      ${range.onlyFailed}, ${range.after}::bigint, ${limit}::int)`)
  return replayedOf(rows)
}

interface ReplayedRow {
  count: number
  last: string | null
}

function replayedOf([row]: ReplayedRow[]): Replayed {
  return { count: row?.count ?? 0, last: row?.last == null ? null : Number(row.last) }
}
