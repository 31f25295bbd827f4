import { sql, type Tx } from '../db/connect.ts'

export interface OpenLetters {
  tenant_id: string | null
  is_outbound: boolean
  kind: string
  count: number
  oldest_at: Date
}

export async function countOpenDeadLetters(db: Tx): Promise<OpenLetters[]> {
  return db.query(sql<OpenLetters>`
    select tenant_id, outbox_id is not null as is_outbound, kind, count(*)::int as count, min(created_at) as oldest_at
    from dead_letters
    where state = 'open'
    group by 1, 2, 3`)
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
