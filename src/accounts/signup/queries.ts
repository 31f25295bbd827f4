import { sql, type Tx } from '../../db/connect.ts'
import type { ThroughputLevel, Told } from '../news.ts'
import type { AccountRow } from '../queries.ts'

export interface SignupState {
  tenant_id: string
  account_id: string | null
  started_by: string
  redirect_uri: string | null
  expires_at: Date
  used_at: Date | null
}

export async function insertState(
  tx: Tx,
  state: {
    hash: Buffer
    tenantId: string
    accountId: string | null
    startedBy: string
    createdAt: Date
    expiresAt: Date
  },
): Promise<void> {
  await tx.query(sql`
    insert into signup_states (state_hash, tenant_id, account_id, started_by, created_at, expires_at)
    values (${state.hash}, ${state.tenantId}, ${state.accountId}, ${state.startedBy}, ${state.createdAt},
      ${state.expiresAt})`)
}

export async function selectState(tx: Tx, hash: Buffer): Promise<SignupState | undefined> {
  const [row] = await tx.query(sql<SignupState>`
    select tenant_id, account_id, started_by, redirect_uri, expires_at, used_at
    from signup_states
    where state_hash = ${hash}`)
  return row
}

/** True for the one who used it. */
export async function useState(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update signup_states
    set used_at = ${now}
    where state_hash = ${hash} and used_at is null and expires_at > ${now}
    returning 1 as used`)
  return rows.length > 0
}

export async function keepRedirect(tx: Tx, hash: Buffer, redirectUri: string): Promise<void> {
  await tx.query(sql`
    update signup_states
    set redirect_uri = ${redirectUri}
    where state_hash = ${hash} and used_at is null`)
}

/** A state that is over is still told apart from one that never was, for a day. */
export async function deleteOldStates(tx: Tx, before: Date): Promise<void> {
  await tx.query(sql`delete from signup_states where expires_at < ${before}`)
}

export interface Invitation {
  tenant_name: string
  display_phone_number: string | null
}

/** What a person who opens the page is told. */
export async function selectInvitation(
  tx: Tx,
  tenantId: string,
  accountId: string | null,
): Promise<Invitation | undefined> {
  const [row] = await tx.query(sql<Invitation>`
    select t.name as tenant_name, a.display_phone_number
    from tenants t
    left join whatsapp_accounts a on a.tenant_id = t.id and a.id = ${accountId}
    where t.id = ${tenantId}`)
  return row
}

export interface KnownNumber {
  id: string
  tenant_id: string
  waba_id: string
  phone_number_id: string
  auth_status: 'ok' | 'needs_reauth'
  pin: string | null
}

/** Whoever has it: a number belongs to one tenant. */
export async function selectNumber(
  tx: Tx,
  phoneNumberId: string,
): Promise<KnownNumber | undefined> {
  const [row] = await tx.query(sql<KnownNumber>`
    select id, tenant_id, waba_id, phone_number_id, auth_status, pin
    from whatsapp_accounts
    where phone_number_id = ${phoneNumberId}`)
  return row
}

export async function selectNumbersOfTenant(tx: Tx, tenantId: string): Promise<KnownNumber[]> {
  return tx.query(sql<KnownNumber>`
    select id, tenant_id, waba_id, phone_number_id, auth_status, pin
    from whatsapp_accounts
    where tenant_id = ${tenantId}
    order by id`)
}

export interface NewToken {
  tenantId: string
  id: string
  appId: string
  sealedToken: string
  tokenExpiresAt: Date | null
  tokenCheckAt: Date
  /** Laid over what was told before. */
  told: Told
}

export interface Connection extends NewToken {
  wabaId: string
  phoneNumberId: string
  displayPhoneNumber: string
  /** Null: not known to us. */
  sealedPin: string | null
  throughputLevel: ThroughputLevel
}

/** A new number, or one of this tenant's with a new token. Undefined: another tenant has it. */
export async function upsertConnection(
  tx: Tx,
  one: Connection,
  now: Date,
): Promise<(AccountRow & { is_new: boolean }) | undefined> {
  const [row] = await tx.query(sql<AccountRow & { is_new: boolean }>`
    insert into whatsapp_accounts as a
      (id, tenant_id, waba_id, phone_number_id, display_phone_number, app_id, access_token, pin, token_expires_at,
       token_checked_at, token_check_at, throughput_level, told, created_at, updated_at)
    values
      (${one.id}, ${one.tenantId}, ${one.wabaId}, ${one.phoneNumberId}, ${one.displayPhoneNumber}, ${one.appId},
       ${one.sealedToken}, ${one.sealedPin}, ${one.tokenExpiresAt}, ${now}, ${one.tokenCheckAt}, ${one.throughputLevel},
       ${JSON.stringify(one.told)}::jsonb, ${now}, ${now})
    on conflict (phone_number_id) do update
    set waba_id = excluded.waba_id, display_phone_number = excluded.display_phone_number, app_id = excluded.app_id,
      access_token = excluded.access_token, pin = coalesce(excluded.pin, a.pin),
      token_expires_at = excluded.token_expires_at, token_checked_at = excluded.token_checked_at,
      token_check_at = excluded.token_check_at, throughput_level = excluded.throughput_level,
      auth_status = 'ok', auth_last_error = null, templates_auth_status = 'ok', templates_auth_last_error = null,
      told = a.told || excluded.told, updated_at = excluded.updated_at
    -- The token is sealed for this very row.
    where a.tenant_id = excluded.tenant_id and a.id = excluded.id
    returning id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error,
      templates_auth_status, templates_auth_last_error, token_expires_at, token_checked_at, throughput_level,
      replies_only_until, told, responder, auto_reply_text, created_at, (xmax = 0) as is_new`)
  return row
}

/** Undefined: the account is gone. */
export async function updateToken(
  tx: Tx,
  one: NewToken,
  now: Date,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query(sql<AccountRow>`
    update whatsapp_accounts
    set app_id = ${one.appId}, access_token = ${one.sealedToken}, token_expires_at = ${one.tokenExpiresAt},
      token_checked_at = ${now}, token_check_at = ${one.tokenCheckAt}, auth_status = 'ok', auth_last_error = null,
      templates_auth_status = 'ok', templates_auth_last_error = null,
      told = told || ${JSON.stringify(one.told)}::jsonb, updated_at = ${now}
    where tenant_id = ${one.tenantId} and id = ${one.id}
    returning id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error,
      templates_auth_status, templates_auth_last_error, token_expires_at, token_checked_at, throughput_level,
      replies_only_until, told, responder, auto_reply_text, created_at`)
  return row
}
