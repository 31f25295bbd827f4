import { sql, type Tx } from '../db/connect.ts'

export interface TrafficRow {
  phone_number_id: string
  waiting_count: number
  scope: 'number' | 'host' | null
  opened_at: Date | null
  trial_at: Date | null
  throttled_until: Date | null
}

/** Counts no further than `limit` for each. By the database's clock, which is the queue's. */
export async function selectTraffic(
  db: Tx,
  tenantId: string,
  phoneNumberIds: string[],
  limit: number,
): Promise<TrafficRow[]> {
  return db.query(sql<TrafficRow>`
    select wanted.phone_number_id, waiting.count as waiting_count,
      case when n.circuit_open then 'number' when h.circuit_open then 'host' end as scope,
      case when n.circuit_open then n.opened_at when h.circuit_open then h.opened_at end as opened_at,
      case when n.circuit_open then n.trial_at when h.circuit_open then h.trial_at end as trial_at,
      -- 'infinity' is parked: the account says why.
      case when n.hold_until > now() and n.hold_until < 'infinity' then n.hold_until end as throttled_until
    from unnest(${phoneNumberIds}::text[]) as wanted (phone_number_id)
    cross join send_host h
    left join send_numbers n on n.tenant_id = ${tenantId} and n.phone_number_id = wanted.phone_number_id
    cross join lateral (
      select count(*)::int as count
      from (
        select
        from whatsapp_send_outbox o
        where o.tenant_id = ${tenantId} and o.phone_number_id = wanted.phone_number_id
          and o.status in ('pending', 'running')
        limit ${limit}
      ) as found
    ) as waiting`)
}
