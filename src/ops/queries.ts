import { sql, type Tx } from '../db/connect.ts'

export interface PendingEvents {
  tenant_id: string | null
  count: number
  oldest_at: Date
}

/** Events by the tenant of their first item; null for what no tenant owns. Reads the index of unfinished events only. */
export async function countPendingEvents(db: Tx): Promise<PendingEvents[]> {
  return db.query(sql<PendingEvents>`
    select a.tenant_id, count(*)::int as count, min(e.received_at) as oldest_at
    from whatsapp_webhook_events e
    left join whatsapp_accounts a on a.phone_number_id = e.phone_number_id
    where e.status in ('pending', 'processing')
    group by a.tenant_id`)
}

export interface PendingSends {
  tenant_id: string
  count: number
}

/** What waits to be sent or is on its way, parked and scheduled ones too. */
export async function countPendingSends(db: Tx): Promise<PendingSends[]> {
  return db.query(sql<PendingSends>`
    select tenant_id, count(*)::int as count
    from whatsapp_send_outbox
    where status in ('pending', 'running')
    group by tenant_id`)
}

export interface OpenLetters {
  tenant_id: string | null
  is_outbound: boolean
  count: number
}

export async function countOpenDeadLetters(db: Tx): Promise<OpenLetters[]> {
  return db.query(sql<OpenLetters>`
    select tenant_id, outbox_id is not null as is_outbound, count(*)::int as count
    from dead_letters
    where state = 'open'
    group by 1, 2`)
}

export interface Reauth {
  account_id: string
  tenant_id: string
  phone_number_id: string
}

export async function selectAccountsNeedingReauth(db: Tx): Promise<Reauth[]> {
  return db.query(sql<Reauth>`
    select id as account_id, tenant_id, phone_number_id
    from whatsapp_accounts
    where auth_status = 'needs_reauth'
    order by tenant_id, id
    limit 1000`)
}

export async function selectTenantIds(db: Tx): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    select id
    from tenants
    order by created_at, id`)
  return rows.map((row) => row.id)
}
