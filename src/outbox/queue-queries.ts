// The queue's own statements: everything that takes or gives a turn. The functions are in migrations/0004_outbox.sql,
// 0007_reconcile.sql, 0008_weather.sql, 0009_consent.sql, 0015_rings.sql, 0019_backlog_limit.sql and
// 0030_reconnecting_and_lanes.sql.
import type { Suppressed } from '../consent/model.ts'
import { type Db, sql, type Tx } from '../db/connect.ts'
import { type ClaimedRow, type Holdings, type RowKey, stillForgotten } from '../queue/engine.ts'
import type { ClaimedSend, NewSend, Settlement } from './model.ts'
import { delaysOf, type RetryPolicyName } from './retry-policy.ts'
import { dropAttempts } from './send-queries.ts'

/** To be called last in its transaction: it holds the tenants' locks until the commit. */
export async function enqueueSends(tx: Tx, sends: NewSend[]): Promise<void> {
  await tx.query(sql`
    select send_enqueue(
      ${sends.map((send) => send.tenantId)}::uuid[],
      ${sends.map((send) => send.phoneNumberId)}::text[],
      ${sends.map((send) => send.lane)}::text[],
      ${sends.map((send) => send.messageId)}::uuid[],
      ${sends.map((send) => send.sendAt)}::timestamptz[],
      ${sends.map((send) => JSON.stringify(send.payload))}::jsonb[],
      ${sends.map((send) => jsonOrNull(send.fallbackTemplate))}::jsonb[],
      ${sends.map((send) => send.callbackData)}::text[],
      ${sends.map((send) => send.delivery)}::text[],
      ${sends.map((send) => send.expiresAt)}::timestamptz[],
      ${sends.map((send) => send.correlationId)}::uuid[],
      ${sends.map((send) => send.parentId)}::bigint[])`)
}

/**
 * The same, and who of the recipients wants nothing of the kind any more: their word was committed after it was asked for,
 * and before this transaction had the locks.
 */
export async function enqueueHeeding(tx: Tx, sends: NewSend[]): Promise<Suppressed[]> {
  return tx.query(sql<Suppressed>`
    select tenant_id as "tenantId", phone_number_id as "phoneNumberId", contact_id as "contactId", scope
    from send_enqueue_heeding(
      ${sends.map((send) => send.tenantId)}::uuid[],
      ${sends.map((send) => send.phoneNumberId)}::text[],
      ${sends.map((send) => send.lane)}::text[],
      ${sends.map((send) => send.messageId)}::uuid[],
      ${sends.map((send) => send.sendAt)}::timestamptz[],
      ${sends.map((send) => JSON.stringify(send.payload))}::jsonb[],
      ${sends.map((send) => jsonOrNull(send.fallbackTemplate))}::jsonb[],
      ${sends.map((send) => send.callbackData)}::text[],
      ${sends.map((send) => send.delivery)}::text[],
      ${sends.map((send) => send.expiresAt)}::timestamptz[],
      ${sends.map((send) => send.correlationId)}::uuid[],
      ${sends.map((send) => send.parentId)}::bigint[])`)
}

export interface EndedRow {
  tenantId: string
  id: string
  messageId: string
  phoneNumberId: string
  payload: Record<string, unknown>
  correlationId: string
}

/** Takes out of the queue what waits for them, and returns it. */
export async function endWaiting(tx: Tx, suppressed: Suppressed[]): Promise<EndedRow[]> {
  return tx.query(sql<EndedRow>`
    select tenant_id as "tenantId", id, message_id as "messageId", phone_number_id as "phoneNumberId", payload,
      correlation_id as "correlationId"
    from send_end_suppressed(
      ${suppressed.map((one) => one.tenantId)}::uuid[],
      ${suppressed.map((one) => one.phoneNumberId)}::text[],
      ${suppressed.map((one) => one.contactId)}::uuid[],
      ${suppressed.map((one) => one.scope)}::text[])`)
}

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** Fair over tenants, within their caps, paces and holds; each claim commits with its attempt. `only`: this row, or none. */
export async function claimSends(
  db: Tx,
  workerId: string,
  limit: number,
  defaultCap: number,
  only?: { tenantId: string; id: string },
): Promise<ClaimedSend[]> {
  return db.query(sql<ClaimedSend>`
    select id, attempt_id as "attemptId", tenant_id as "tenantId", phone_number_id as "phoneNumberId",
      message_id as "messageId", attempts, payload, fallback_template as "fallbackTemplate",
      callback_data as "callbackData", delivery, expires_at as "expiresAt", correlation_id as "correlationId",
      retry_policy as "retryPolicy", lane, created_at as "createdAt", slot_ms as "slotMs",
      claimed_ms as "claimedMs"
    from send_claim(${workerId}::bigint, ${limit}::int, ${defaultCap}::int, ${only?.tenantId ?? null}::uuid,
      ${only?.id ?? null}::bigint)`)
}

type RowSettlement = Omit<Settlement, 'send'> & { send: ClaimedRow }

/** The ids of those that were still ours to end: the others were taken from us, and what we know of them changes nothing. */
export async function settleSends(tx: Tx, settlements: RowSettlement[]): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    select id
    from send_settle(
      ${settlements.map(({ send }) => send.tenantId)}::uuid[],
      ${settlements.map(({ send }) => send.id)}::bigint[],
      ${settlements.map(({ send }) => send.attemptId)}::uuid[],
      ${settlements.map(({ state }) => state)}::text[],
      ${settlements.map(({ failures }) => failures)}::int[],
      ${settlements.map(({ error }) => error)}::text[],
      ${settlements.map(({ runAt }) => runAt)}::timestamptz[])`)
  return new Set(rows.map((row) => row.id))
}

/** False when it is on its way to Meta, or was there already. */
export async function withdrawSend(
  tx: Tx,
  tenantId: string,
  id: string,
  reason: string,
): Promise<boolean> {
  const [row] = await tx.query(
    sql<{ gone: boolean }>`select send_withdraw(${tenantId}, ${id}::bigint, ${reason}) as gone`,
  )
  return row?.gone ?? false
}

/** Nothing of this number is claimed before `until`: null ends all that holds it, 'parked' is until somebody releases it. */
export async function holdNumber(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  until: Date | 'parked' | null,
): Promise<void> {
  const at = until === null ? '-infinity' : until === 'parked' ? 'infinity' : until.toISOString()
  await tx.query(sql`select send_hold(${tenantId}, ${phoneNumberId}, ${at}::timestamptz)`)
}

/** Nothing of ours holds this number any longer; what Meta asked for holds it until that is over. */
export async function releaseNumber(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
): Promise<void> {
  await tx.query(sql`select send_release(${tenantId}, ${phoneNumberId})`)
}

/** What waits in the one conversation waits in the other, in the order of acceptance. */
export async function joinLane(
  tx: Tx,
  tenantId: string,
  winnerId: string,
  loserId: string,
): Promise<void> {
  await tx.query(sql`select send_join_lanes(${tenantId}, ${winnerId}, ${loserId})`)
}

/** What its calls came to is forgotten. To be called after `holdNumber`, which locks the tenant. */
export async function closeCircuit(tx: Tx, tenantId: string, phoneNumberId: string): Promise<void> {
  await tx.query(sql`
    update send_numbers
    set circuit_open = false
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId} and circuit_open`)
  await tx.query(sql`
    update send_calls
    set calls = 0, failures = 0, unreachable = 0
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId}`)
}

/** After a change of a tenant's limits or status: its alarm may be set for never, and what waits was counted up to a limit. */
export async function wakeTenant(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    sql`update send_tenants set next_at = now(), queued = null where tenant_id = ${tenantId}`,
  )
}

export interface QueueLength {
  tenantId: string
  limit: number
  /** No more than these wait; null: nobody has counted. */
  queued: number | null
}

export async function selectQueueLengths(
  db: Tx,
  tenantIds: string[],
  defaultLimit: number,
): Promise<QueueLength[]> {
  return db.query(sql<QueueLength>`
    select t.id as "tenantId", coalesce(t.max_queued, ${defaultLimit}::int) as limit,
      case when s.tenant_id is null then 0 else s.queued end::float8 as queued
    from tenants t
    left join send_tenants s on s.tenant_id = t.id
    where t.id = any(${tenantIds}::uuid[])`)
}

/** Of those that were not counted too recently. It takes the tenants' locks. */
export async function recountQueues(
  db: Tx,
  tenantIds: string[],
  defaultLimit: number,
): Promise<void> {
  await db.query(sql`select send_recount(${tenantIds}::uuid[], ${defaultLimit}::int)`)
}

export interface ReapedSend {
  tenantId: string
  id: string
  messageId: string
}

/** Takes back what dead processes held. */
export async function reapWorkers(
  db: Tx,
  reconcileSeconds: number,
  defaultPolicy: RetryPolicyName,
): Promise<ReapedSend[]> {
  return db.query(sql<ReapedSend>`
    select tenant_id as "tenantId", id, message_id as "messageId"
    from send_reap(make_interval(secs => ${reconcileSeconds}), ${defaultPolicy},
      ${delaysOf('standard')}::int[], ${delaysOf('patient')}::int[])`)
}

/** Of what was claimed and never posted, nothing is left but the row in the queue, due as before. */
export async function giveBackSends(
  db: Db,
  holdingsOf: () => Holdings | undefined,
): Promise<RowKey[]> {
  return db.transaction(async (tx) => {
    const holdings = holdingsOf()
    if (!holdings) return []
    const rows = await tx.query(sql<ClaimedRow>`
      select o.tenant_id as "tenantId", o.id, o.attempt_id as "attemptId"
      from whatsapp_send_outbox o
      join send_attempts a on a.tenant_id = o.tenant_id and a.id = o.attempt_id
      where o.status = 'running' and o.worker_id = ${holdings.workerId}::bigint
        and o.updated_at < now() - make_interval(secs => ${holdings.olderThanSeconds})
        and o.attempt_id <> all(${holdings.attemptIds}::uuid[])
        and a.wamid is null and (a.outcome is null or a.outcome = 'not_posted')
      order by a.id
      for update of a`)
    const forgotten = stillForgotten(rows, holdingsOf())
    if (forgotten.length === 0) return []
    const given = await settleSends(
      tx,
      forgotten.map((send) => ({
        send,
        state: 'pending',
        failures: 0,
        error: 'NOT_SENT',
        runAt: null,
      })),
    )
    const ours = forgotten.filter(({ id }) => given.has(id))
    await dropAttempts(tx, ours)
    return ours
  })
}

export async function sweepAlarms(db: Tx, defaultCap: number): Promise<number> {
  const [row] = await db.query(
    sql<{ woken: number }>`select send_sweep(${defaultCap}::int) as woken`,
  )
  return row?.woken ?? 0
}
