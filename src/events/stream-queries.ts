import { sql, type Tx } from '../db/connect.ts'
import type { EventRow } from './model.ts'

/** Of the newest event that has its place, by tenant; 0 where there is none. */
export async function selectLastPositions(
  db: Tx,
  tenantIds: string[],
): Promise<Map<string, number>> {
  const rows = await db.query(sql<{ tenantId: string; position: string }>`
    select tenant_id as "tenantId", last_position as position
    from event_tenants
    where tenant_id = any(${tenantIds}::uuid[])`)
  return new Map(rows.map(({ tenantId, position }) => [tenantId, Number(position)]))
}

/** Where a reader was; undefined when the event is no longer kept, or never was. */
export async function selectPosition(
  tx: Tx,
  tenantId: string,
  eventId: string,
): Promise<number | undefined> {
  const [row] = await tx.query(sql<{ position: string }>`
    select position
    from events
    where tenant_id = ${tenantId} and id = ${eventId} and position is not null`)
  return row && Number(row.position)
}

/** Whether everything behind this place is still kept. */
export async function selectIsWhole(tx: Tx, tenantId: string, position: number): Promise<boolean> {
  const [row] = await tx.query(sql<{ isWhole: boolean }>`
    select
      coalesce((select last_position from event_tenants where tenant_id = ${tenantId}), 0) = ${position}
        or exists (select from events where tenant_id = ${tenantId} and position = ${position + 1})
      as "isWhole"`)
  return row?.isWhole ?? false
}

export interface ToldEvent extends EventRow {
  position: number
  /** Tests are for one endpoint, not for the stream. */
  isForAll: boolean
}

export async function selectEventsAfter(
  tx: Tx,
  tenantId: string,
  position: number,
  limit: number,
): Promise<ToldEvent[]> {
  const rows = await tx.query(sql<Omit<ToldEvent, 'position'> & { position: string }>`
    select id, tenant_id as "tenantId", position, type, data, created_at as "createdAt",
      only_endpoint is null as "isForAll"
    from events
    where tenant_id = ${tenantId} and position > ${position}
    order by position
    limit ${limit}`)
  return rows.map((row) => ({ ...row, position: Number(row.position) }))
}
