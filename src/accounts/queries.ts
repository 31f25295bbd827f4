import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'

export interface AccountRow {
  id: string
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  app_id: string | null
  auth_status: 'ok' | 'needs_reauth'
  auth_last_error: string | null
  created_at: Date
}

/** Undefined when the number is connected already, whoever has it. */
export async function insertAccount(
  tx: Tx,
  account: {
    id: string
    tenantId: string
    wabaId: string
    phoneNumberId: string
    displayPhoneNumber: string
    appId: string | null
    sealedToken: string
    createdAt: Date
  },
): Promise<AccountRow | undefined> {
  const [row] = await tx.query(sql<AccountRow>`
    insert into whatsapp_accounts
      (id, tenant_id, waba_id, phone_number_id, display_phone_number, app_id, access_token, created_at, updated_at)
    values
      (${account.id}, ${account.tenantId}, ${account.wabaId}, ${account.phoneNumberId}, ${account.displayPhoneNumber},
       ${account.appId}, ${account.sealedToken}, ${account.createdAt}, ${account.createdAt})
    on conflict (phone_number_id) do nothing
    returning id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error, created_at`)
  return row
}

export async function selectAccounts(
  tx: Tx,
  tenantId: string,
  after: Cursor | null,
  limit: number,
): Promise<AccountRow[]> {
  return tx.query(sql<AccountRow>`
    select id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error, created_at
    from whatsapp_accounts
    where tenant_id = ${tenantId}
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

/** The number that was disconnected, or undefined when the tenant has no such account. */
export async function deleteAccount(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query(sql<{ phone_number_id: string }>`
    delete from whatsapp_accounts
    where tenant_id = ${tenantId} and id = ${id}
    returning phone_number_id`)
  return row?.phone_number_id
}

export interface SealedToken {
  id: string
  auth_status: 'ok' | 'needs_reauth'
  access_token: string
}

export async function selectSealedToken(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
): Promise<SealedToken | undefined> {
  const [row] = await tx.query(sql<SealedToken>`
    select id, auth_status, access_token
    from whatsapp_accounts
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId}`)
  return row
}

export interface AccountEventRow {
  id: string
  field: string
  event: string | null
  waba_id: string | null
  phone_number_id: string | null
  content: Record<string, unknown>
  occurred_at: Date
  created_at: Date
}

export async function selectAccountEvents(
  tx: Tx,
  tenantId: string,
  field: string | null,
  after: Cursor | null,
  limit: number,
): Promise<AccountEventRow[]> {
  return tx.query(sql<AccountEventRow>`
    select id, field, event, waba_id, phone_number_id, content, occurred_at, created_at
    from whatsapp_account_events
    where tenant_id = ${tenantId}
      and (${field}::text is null or field = ${field})
      and (${after?.at ?? null}::timestamptz is null
        or (occurred_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by occurred_at desc, id desc
    limit ${limit}`)
}

/** Whether that changed anything. */
export async function updateAuthStatus(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  status: 'ok' | 'needs_reauth',
  error: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update whatsapp_accounts
    set auth_status = ${status}, auth_last_error = ${error}, updated_at = ${now}
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId} and auth_status <> ${status}
    returning id`)
  return rows.length > 0
}
