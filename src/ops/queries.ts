import { sql, type Tx } from '../db/connect.ts'

export interface Reauth {
  account_id: string
  tenant_id: string
  phone_number_id: string
  display_phone_number: string
}

/** Of one tenant, or of all. */
export async function selectAccountsNeedingReauth(
  db: Tx,
  tenantId: string | null,
): Promise<Reauth[]> {
  return db.query(sql<Reauth>`
    select id as account_id, tenant_id, phone_number_id, display_phone_number
    from whatsapp_accounts
    where auth_status = 'needs_reauth' and (${tenantId}::uuid is null or tenant_id = ${tenantId})
    order by tenant_id, id
    limit 1000`)
}

export interface OpenCircuit {
  scope: 'number' | 'host'
  tenant_id: string | null
  phone_number_id: string | null
  display_phone_number: string | null
  opened_at: Date
  trial_at: Date
  calls: number
  failures: number
}

/** The host's first: it holds everybody up. With the calls that opened them, as far as they are still known. */
export async function selectOpenCircuits(
  db: Tx,
  tenantId: string | null,
  windowSeconds: number,
): Promise<OpenCircuit[]> {
  return db.query(sql<OpenCircuit>`
    select 'host' as scope, null::uuid as tenant_id, null::text as phone_number_id, null::text as display_phone_number,
      opened_at, trial_at, 0 as calls, 0 as failures
    from send_host
    where circuit_open
    union all
    (select 'number', n.tenant_id, n.phone_number_id, a.display_phone_number, n.opened_at, n.trial_at,
      coalesce(w.calls, 0)::int, coalesce(w.failures, 0)::int
    from send_numbers n
    left join whatsapp_accounts a on a.tenant_id = n.tenant_id and a.phone_number_id = n.phone_number_id
    left join lateral (
      select sum(c.calls) as calls, sum(c.failures) as failures
      from send_calls c
      where c.tenant_id = n.tenant_id and c.phone_number_id = n.phone_number_id and c.starts_at <= n.opened_at
        and c.starts_at > n.opened_at - make_interval(secs => ${windowSeconds})
    ) as w on true
    where n.circuit_open and (${tenantId}::uuid is null or n.tenant_id = ${tenantId})
    order by n.opened_at, n.tenant_id, n.phone_number_id
    limit 1000)`)
}

export interface Size {
  numbers: number
  hasReceived: boolean
}

export async function selectSize(db: Tx): Promise<Size> {
  const [row] = await db.query(sql<Size>`
    select (select count(*)::int from whatsapp_accounts) as numbers,
      exists (select from whatsapp_webhook_events) as "hasReceived"`)
  return row ?? { numbers: 0, hasReceived: false }
}

export async function selectTenantSize(tx: Tx, tenantId: string): Promise<Size> {
  const [row] = await tx.query(sql<Size>`
    select (select count(*)::int from whatsapp_accounts where tenant_id = ${tenantId}) as numbers,
      exists (select from whatsapp_conversations where tenant_id = ${tenantId}) as "hasReceived"`)
  return row ?? { numbers: 0, hasReceived: false }
}

export async function selectTenantIds(db: Tx): Promise<string[]> {
  const rows = await db.query(sql<{ id: string }>`
    select id
    from tenants
    order by created_at, id`)
  return rows.map((row) => row.id)
}
