import type { WaitReason } from '../api/contract-outbox.ts'
import { sql, type Tx } from '../db/connect.ts'

export interface WaitRow {
  message_id: string
  reason: WaitReason
  /** Null: nobody can say. */
  until: Date | null
  error_code: string | null
}

/** Of those that something holds up; by the database's clock, which is the queue's. */
export function selectWaits(db: Tx, tenantId: string, messageIds: string[]): Promise<WaitRow[]> {
  return db.query(sql<WaitRow>`
    select o.message_id, found.reason, o.last_error as error_code, case found.reason
        when 'circuit_open' then greatest(n.trial_at, h.trial_at)
        when 'throttled' then n.hold_until
        when 'retry_wait' then o.next_run_at
        when 'scheduled' then o.next_run_at end as until
    from whatsapp_send_outbox o
    join tenants t on t.id = o.tenant_id
    cross join send_host h
    left join send_numbers n on n.tenant_id = o.tenant_id and n.phone_number_id = o.phone_number_id
    left join whatsapp_accounts a on a.tenant_id = o.tenant_id and a.phone_number_id = o.phone_number_id
    cross join lateral (
      select case
        when o.status = 'running' then 'in_flight'
        when t.status <> 'active' then 'suspended'
        when a.auth_status = 'needs_reauth' then 'reconnect'
        when n.hold_until = 'infinity' then 'held'
        when n.circuit_open or h.circuit_open then 'circuit_open'
        when n.hold_until > now() then 'throttled'
        when o.next_run_at > now() and o.attempts > 0 then 'retry_wait'
        when o.next_run_at > now() then 'scheduled'
        when not o.lane_head then 'behind' end as reason
    ) as found
    where o.tenant_id = ${tenantId} and o.message_id = any(${messageIds}::uuid[])
      and o.status in ('pending', 'running') and found.reason is not null`)
}
