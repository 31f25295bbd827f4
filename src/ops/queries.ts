import { sql, type Tx } from '../db/connect.ts'

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

export interface OpenCircuit {
  scope: 'number' | 'host'
  tenant_id: string | null
  phone_number_id: string | null
  opened_at: Date
  trial_at: Date
}

/** The host's first: it holds everybody up. */
export async function selectOpenCircuits(db: Tx): Promise<OpenCircuit[]> {
  return db.query(sql<OpenCircuit>`
    select 'host' as scope, null::uuid as tenant_id, null::text as phone_number_id, opened_at, trial_at
    from send_host
    where circuit_open
    union all
    (select 'number', tenant_id, phone_number_id, opened_at, trial_at
    from send_numbers
    where circuit_open
    order by opened_at, tenant_id, phone_number_id
    limit 1000)`)
}

export async function selectTenantIds(db: Tx): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    select id
    from tenants
    order by created_at, id`)
  return rows.map((row) => row.id)
}
