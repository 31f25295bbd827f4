// Which events are to be called for, where nobody looks for them: marked as rung for, and named.
import { sql, type Tx } from '../db/connect.ts'

export interface RungEvent {
  id: string
  ring: number
  rungFor: Date
  inboundEventId: string
  correlationId: string
  /** The tenant; of what nobody owns the number, or itself. */
  owner: string
}

/** As they are marked. */
export function selectRung(db: Tx, ids: string[]): Promise<RungEvent[]> {
  return db.query(sql<RungEvent>`
    select e.id, e.ring, coalesce(e.rung_for, e.next_run_at) as "rungFor", e.inbound_event_id as "inboundEventId",
      e.correlation_id as "correlationId", coalesce(a.tenant_id::text, e.phone_number_id, e.id::text) as owner
    from whatsapp_webhook_events e
    left join whatsapp_accounts a on a.phone_number_id = e.phone_number_id
    where e.id = any(${ids}::uuid[])`)
}

/** For the time at which it can be had, unless a ring is to come by then. */
export async function ringAgain(db: Tx, id: string): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    update whatsapp_webhook_events
    set ring = ring + 1, rung_for = greatest(next_run_at, now())
    where id = ${id} and status in ('pending', 'processing')
      and (rung_for between now() and next_run_at) is not true
    returning id`)
  return rows.map((row) => row.id)
}

/** Due, and no ring is coming. Each time one is lost it is waited for twice as long, up to 64 times the patience. */
export async function ringLost(db: Tx, patienceSeconds: number, limit: number): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    with lost as materialized (
      select id
      from whatsapp_webhook_events
      where status in ('pending', 'processing') and next_run_at <= now()
        and (rung_for is null or greatest(rung_for, next_run_at)
          < now() - make_interval(secs => ${patienceSeconds}::float8 * power(2, least(ring, 6))))
      order by next_run_at, id
      limit ${limit}
      for update skip locked
    )
    update whatsapp_webhook_events e
    set ring = e.ring + 1, rung_for = now()
    from lost
    where e.id = lost.id
    returning e.id`)
  return rows.map((row) => row.id)
}
