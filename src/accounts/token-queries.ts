// Tokens that Meta is asked about: whose turn it is, and what was found.
import { sql, type Tx } from '../db/connect.ts'
import type { Told } from './news.ts'

export interface CheckedAccount {
  id: string
  tenant_id: string
  waba_id: string
  phone_number_id: string
  auth_status: 'ok' | 'needs_reauth'
  access_token: string
  /** Tells it from a later one, also when it is sealed anew. */
  token_set_at: string
}

/** Due ones, moved on by the same statement: of several processes each gets others. Only tokens of this app can be looked at. */
export async function claimTokenChecks(
  tx: Tx,
  appId: string,
  now: Date,
  nextAt: Date,
  limit: number,
): Promise<CheckedAccount[]> {
  return tx.query(sql<CheckedAccount>`
    update whatsapp_accounts a
    set token_check_at = ${nextAt}
    from (
      select tenant_id, id
      from whatsapp_accounts
      where token_check_at <= ${now} and (app_id is null or app_id = ${appId})
      order by token_check_at
      limit ${limit}
      for update skip locked
    ) as due
    where a.tenant_id = due.tenant_id and a.id = due.id
    returning a.id, a.tenant_id, a.waba_id, a.phone_number_id, a.auth_status, a.access_token,
      a.token_set_at::text`)
}

export async function selectCheckedAccount(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<(CheckedAccount & { app_id: string | null; pin: string | null }) | undefined> {
  const [row] = await tx.query(sql<CheckedAccount & { app_id: string | null; pin: string | null }>`
    select id, tenant_id, waba_id, phone_number_id, auth_status, access_token, token_set_at::text, app_id, pin
    from whatsapp_accounts
    where tenant_id = ${tenantId} and id = ${id}`)
  return row
}

/** What is known of the account now; undefined when it has another token by now, or is gone. */
export async function recordTokenCheck(
  tx: Tx,
  account: CheckedAccount,
  expiresAt: Date | null,
  now: Date,
): Promise<{ auth_status: 'ok' | 'needs_reauth'; told: Told } | undefined> {
  const [row] = await tx.query(sql<{ auth_status: 'ok' | 'needs_reauth'; told: Told }>`
    update whatsapp_accounts
    set token_checked_at = ${now}, token_expires_at = ${expiresAt}
    where tenant_id = ${account.tenant_id} and id = ${account.id}
      and token_set_at = ${account.token_set_at}::timestamptz
    returning auth_status, told`)
  return row
}

export async function updatePin(
  tx: Tx,
  account: { tenantId: string; id: string },
  sealedPin: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_accounts
    set pin = ${sealedPin}, updated_at = ${now}
    where tenant_id = ${account.tenantId} and id = ${account.id}`)
}

export interface AccountCounts {
  needs_reauth: number
  expiring: number
  ok: number
}

export async function countAccounts(tx: Tx, warnBefore: Date): Promise<AccountCounts> {
  const [row] = await tx.query(sql<AccountCounts>`
    select count(*) filter (where auth_status = 'needs_reauth')::int as needs_reauth,
      count(*) filter (where auth_status = 'ok' and token_expires_at < ${warnBefore})::int as expiring,
      count(*) filter (
        where auth_status = 'ok' and (token_expires_at is null or token_expires_at >= ${warnBefore}))::int as ok
    from whatsapp_accounts`)
  return row ?? { needs_reauth: 0, expiring: 0, ok: 0 }
}
