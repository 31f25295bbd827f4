// Which sends are to be called for, where nobody looks for them: marked as rung for, and named. The functions are in
// migrations/0015_rings.sql.
import { sql, type Tx } from '../db/connect.ts'
import type { RowKey } from '../queue/engine.ts'

export interface RungSend extends RowKey {
  ring: number
  rungFor: Date
  correlationId: string
}

export interface DueTenant {
  tenantId: string
  nextAt: string
  /** When the first page was read. */
  asOf: string
}

/**
 * Tenants that may have something to send, the longest waiting first; after the last of the page before. Those that come due
 * while pages are read are another look's: busy ones do all the time, and there would be no last page.
 */
export async function selectDueTenants(
  db: Tx,
  after: DueTenant | null,
  limit: number,
): Promise<DueTenant[]> {
  const asOf = after?.asOf ?? null
  return db.query(sql<DueTenant>`
    select tenant_id as "tenantId", next_at::text as "nextAt", coalesce(${asOf}::timestamptz, now())::text as "asOf"
    from send_tenants
    where next_at <= coalesce(${asOf}::timestamptz, now())
      and (next_at, tenant_id) > (coalesce(${after?.nextAt ?? null}::timestamptz, '-infinity'),
        coalesce(${after?.tenantId ?? null}::uuid, '00000000-0000-0000-0000-000000000000'))
    order by next_at, tenant_id
    limit ${limit}`)
}

export async function ringNext(
  db: Tx,
  tenantIds: string[],
  options: { defaultCap: number; atLeast: number; patienceSeconds: number },
): Promise<RungSend[]> {
  return db.query(sql<RungSend>`
    select tenant_id as "tenantId", id, ring, rung_for as "rungFor", correlation_id as "correlationId"
    from send_ring_next(${tenantIds}::uuid[], ${options.defaultCap}::int, ${options.atLeast}::int,
      make_interval(secs => ${options.patienceSeconds}))`)
}

export interface WaitingSend extends RowKey {
  status: 'pending' | 'running' | 'done' | 'failed'
  /** Why it is not sent now, if it is pending; and when it is looked at again. */
  reason: 'suspended' | 'hold' | 'breaker' | 'back_off' | 'pace' | 'order' | 'cap'
  rungFor: Date
  /** Null where it was not rung for. */
  ring: number | null
  correlationId: string
}

/** With `isRung` these are rung for when what is in their way is over. */
export async function ringLater(
  db: Tx,
  rows: RowKey[],
  isRung: boolean,
  spreadSeconds: number,
): Promise<WaitingSend[]> {
  return db.query(sql<WaitingSend>`
    select tenant_id as "tenantId", id, status, reason, rung_for as "rungFor", ring, correlation_id as "correlationId"
    from send_ring_later(
      ${rows.map((row) => row.tenantId)}::uuid[],
      ${rows.map((row) => row.id)}::bigint[],
      ${isRung}, make_interval(secs => ${spreadSeconds}))`)
}

/** The rows of these messages that wait. */
export async function selectWaiting(
  db: Tx,
  messages: { tenantId: string; messageId: string }[],
): Promise<RowKey[]> {
  return db.query(sql<RowKey>`
    select o.tenant_id as "tenantId", o.id
    from unnest(
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.messageId)}::uuid[]) as m (tenant_id, id)
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
    where o.status = 'pending'`)
}

/** Whose row this is. Ids are of all tenants; with `hint` only that one is looked at. */
export async function findSendOwner(
  db: Tx,
  id: string,
  hint: string | null,
): Promise<string | undefined> {
  const [row] = await db.query(sql<{ tenantId: string }>`
    select o.tenant_id as "tenantId"
    from tenants t
    cross join lateral (
      select tenant_id from whatsapp_send_outbox where tenant_id = t.id and id = ${id}::bigint
    ) as o
    where t.id = coalesce(${hint}::uuid, t.id)
    limit 1`)
  return row?.tenantId
}
