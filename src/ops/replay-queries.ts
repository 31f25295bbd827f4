import { sql, type Tx } from '../db/connect.ts'
import type { Place } from './place.ts'

export interface ReplayFilter {
  from: Date
  to: Date
  tenantId: string | null
  phoneNumberId: string | null
}

export interface ReplayCounts {
  matched: number
  pruned: number
  waiting: number
}

/** A delivery is a tenant's when an item of it was, or when its first number is the tenant's now. */
export async function countReplay(tx: Tx, filter: ReplayFilter): Promise<ReplayCounts> {
  const [row] = await tx.query(sql<ReplayCounts>`
    select count(*) filter (where e.status in ('done', 'failed'))::int as matched,
      count(*) filter (where e.status in ('done', 'failed') and e.pruned_at is not null)::int as pruned,
      count(*) filter (where e.status in ('pending', 'processing'))::int as waiting
    from whatsapp_webhook_events e
    where e.received_at >= ${filter.from} and e.received_at < ${filter.to}
      and (${filter.tenantId}::text is null
        or e.outcome ? ${filter.tenantId}::text
        or e.phone_number_id in (
          select a.phone_number_id from whatsapp_accounts a where a.tenant_id = ${filter.tenantId}::uuid))
      and (${filter.phoneNumberId}::text is null
        or e.phone_number_id = ${filter.phoneNumberId}::text
        or jsonb_path_exists(e.payload, '$.entry[*].changes[*].value.metadata.phone_number_id ? (@ == $number)',
          jsonb_build_object('number', ${filter.phoneNumberId}::text)))`)
  if (!row) throw new Error('bug: an aggregate without a row')
  return row
}

export interface ReplayableEvent {
  id: string
  at: string
}

/** The next ones that were processed and still have their bytes, the earliest first. */
export async function selectReplayable(
  tx: Tx,
  filter: ReplayFilter,
  after: Place | null,
  limit: number,
): Promise<ReplayableEvent[]> {
  return tx.query(sql<ReplayableEvent>`
    select e.id, e.received_at::text as at
    from whatsapp_webhook_events e
    where e.status in ('done', 'failed') and e.pruned_at is null
      and e.received_at >= ${filter.from} and e.received_at < ${filter.to}
      and (${after?.at ?? null}::timestamptz is null
        or (e.received_at, e.id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
      and (${filter.tenantId}::text is null
        or e.outcome ? ${filter.tenantId}::text
        or e.phone_number_id in (
          select a.phone_number_id from whatsapp_accounts a where a.tenant_id = ${filter.tenantId}::uuid))
      and (${filter.phoneNumberId}::text is null
        or e.phone_number_id = ${filter.phoneNumberId}::text
        or jsonb_path_exists(e.payload, '$.entry[*].changes[*].value.metadata.phone_number_id ? (@ == $number)',
          jsonb_build_object('number', ${filter.phoneNumberId}::text)))
    order by e.received_at, e.id
    limit ${limit}`)
}
