import { sql, type Tx } from '../db/connect.ts'
import { endOfEventIds, firstEventId } from './event-range.ts'

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
    where e.id >= ${firstEventId(filter.from)} and e.id < ${endOfEventIds(filter.to)}
      and e.received_at >= ${filter.from} and e.received_at < ${filter.to}
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

/** The next ones that were processed and still have their bytes, the earliest first. */
export async function selectReplayable(
  tx: Tx,
  filter: ReplayFilter,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    select e.id
    from whatsapp_webhook_events e
    where e.status in ('done', 'failed') and e.pruned_at is null
      and e.id > ${after ?? '00000000-0000-0000-0000-000000000000'}
      and e.id >= ${firstEventId(filter.from)} and e.id < ${endOfEventIds(filter.to)}
      and e.received_at >= ${filter.from} and e.received_at < ${filter.to}
      and (${filter.tenantId}::text is null
        or e.outcome ? ${filter.tenantId}::text
        or e.phone_number_id in (
          select a.phone_number_id from whatsapp_accounts a where a.tenant_id = ${filter.tenantId}::uuid))
      and (${filter.phoneNumberId}::text is null
        or e.phone_number_id = ${filter.phoneNumberId}::text
        or jsonb_path_exists(e.payload, '$.entry[*].changes[*].value.metadata.phone_number_id ? (@ == $number)',
          jsonb_build_object('number', ${filter.phoneNumberId}::text)))
    order by e.id
    limit ${limit}`)
  return rows.map((row) => row.id)
}
