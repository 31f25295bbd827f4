import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { ThroughputLevel, Told } from './news.ts'

export interface AccountRow {
  id: string
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  app_id: string | null
  auth_status: 'ok' | 'needs_reauth'
  auth_last_error: string | null
  responder: Responder
  auto_reply_text: string | null
  templates_auth_status: 'ok' | 'needs_reauth'
  templates_auth_last_error: string | null
  token_expires_at: Date | null
  token_checked_at: Date | null
  throughput_level: ThroughputLevel
  replies_only_until: Date | null
  told: Told
  created_at: Date
}

export type Responder = 'off' | 'echo' | 'auto_reply'

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
    /** When Meta is first asked about the token. */
    tokenCheckAt: Date
  },
): Promise<AccountRow | undefined> {
  const [row] = await tx.query(sql<AccountRow>`
    insert into whatsapp_accounts
      (id, tenant_id, waba_id, phone_number_id, display_phone_number, app_id, access_token, token_check_at,
       created_at, updated_at)
    values
      (${account.id}, ${account.tenantId}, ${account.wabaId}, ${account.phoneNumberId}, ${account.displayPhoneNumber},
       ${account.appId}, ${account.sealedToken}, ${account.tokenCheckAt}, ${account.createdAt}, ${account.createdAt})
    on conflict (phone_number_id) do nothing
    returning id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error,
      templates_auth_status, templates_auth_last_error, token_expires_at, token_checked_at, throughput_level,
      replies_only_until, told, responder, auto_reply_text, created_at`)
  return row
}

export async function selectAccounts(
  tx: Tx,
  tenantId: string,
  after: Cursor | null,
  limit: number,
): Promise<AccountRow[]> {
  return tx.query(sql<AccountRow>`
    select id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error,
      templates_auth_status, templates_auth_last_error, token_expires_at, token_checked_at, throughput_level,
      replies_only_until, told, responder, auto_reply_text, created_at
    from whatsapp_accounts
    where tenant_id = ${tenantId}
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

/** Takes the row's lock, so that a change is made from what is there. */
export async function lockAccount(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query(sql<AccountRow>`
    select id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error,
      templates_auth_status, templates_auth_last_error, token_expires_at, token_checked_at, throughput_level,
      replies_only_until, told, responder, auto_reply_text, created_at
    from whatsapp_accounts
    where tenant_id = ${tenantId} and id = ${id}
    for no key update`)
  return row
}

export async function selectAccount(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query(sql<AccountRow>`
    select id, waba_id, phone_number_id, display_phone_number, app_id, auth_status, auth_last_error,
      templates_auth_status, templates_auth_last_error, token_expires_at, token_checked_at, throughput_level,
      replies_only_until, told, responder, auto_reply_text, created_at
    from whatsapp_accounts
    where tenant_id = ${tenantId} and id = ${id}`)
  return row
}

export async function updateResponder(
  tx: Tx,
  tenantId: string,
  account: Pick<AccountRow, 'id' | 'responder' | 'auto_reply_text'>,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_accounts
    set responder = ${account.responder}, auto_reply_text = ${account.auto_reply_text}, updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${account.id}`)
}

/** Undefined when the tenant has no such number. */
export async function selectAccountId(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
): Promise<string | undefined> {
  const [row] = await tx.query(sql<{ id: string }>`
    select id
    from whatsapp_accounts
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId}`)
  return row?.id
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
  token_set_at: string
}

export async function selectSealedToken(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
): Promise<SealedToken | undefined> {
  const [row] = await tx.query(sql<SealedToken>`
    select id, auth_status, access_token, token_set_at::text
    from whatsapp_accounts
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId}`)
  return row
}

export async function selectSealedTokensOfWaba(
  tx: Tx,
  tenantId: string,
  wabaId: string,
): Promise<(SealedToken & { phone_number_id: string })[]> {
  return tx.query(sql<SealedToken & { phone_number_id: string }>`
    select id, auth_status, access_token, token_set_at::text, phone_number_id
    from whatsapp_accounts
    where tenant_id = ${tenantId} and waba_id = ${wabaId}
    order by auth_status, updated_at desc, id`)
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

export interface AccountEventFilter {
  field: string | null
  /** What is about this one and its number; templates and contacts have places of their own. */
  about: Pick<AccountRow, 'phone_number_id' | 'waba_id'> | null
}

export async function selectAccountEvents(
  tx: Tx,
  tenantId: string,
  { field, about }: AccountEventFilter,
  after: Cursor | null,
  limit: number,
): Promise<AccountEventRow[]> {
  return tx.query(sql<AccountEventRow>`
    select id, field, event, waba_id, phone_number_id, content, occurred_at, created_at
    from whatsapp_account_events
    where tenant_id = ${tenantId}
      and (${field}::text is null or field = ${field})
      and (${about?.waba_id ?? null}::text is null
        or (phone_number_id = ${about?.phone_number_id ?? null}
            or phone_number_id is null and waba_id = ${about?.waba_id ?? null})
          and field !~ 'template|^(user_|calls$|smb_|group_|history$|errors$)')
      and (${after?.at ?? null}::timestamptz is null
        or (occurred_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by occurred_at desc, id desc
    limit ${limit}`)
}

/** Undefined when there is no such account, or its token is another one than at `tokenSetAt`. */
export async function lockAuthStatus(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  tokenSetAt: string | null,
): Promise<{ auth_status: 'ok' | 'needs_reauth' } | undefined> {
  const [row] = await tx.query(sql<{ auth_status: 'ok' | 'needs_reauth' }>`
    select auth_status
    from whatsapp_accounts
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId}
      and (${tokenSetAt}::timestamptz is null or token_set_at = ${tokenSetAt}::timestamptz)
    for no key update`)
  return row
}

/** In one order for all. */
export async function lockAccounts(
  tx: Tx,
  numbers: { tenantId: string; phoneNumberId: string }[],
): Promise<void> {
  await tx.query(sql`
    select
    from whatsapp_accounts
    where (tenant_id, phone_number_id) in (
      select *
      from unnest(
        ${numbers.map((number) => number.tenantId)}::uuid[],
        ${numbers.map((number) => number.phoneNumberId)}::text[]))
    order by tenant_id, phone_number_id
    for no key update`)
}

/** The same for templates, by business account: they belong to that, not to a number. */
export async function updateTemplatesAuthStatus(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  status: 'ok' | 'needs_reauth',
  error: string | null,
): Promise<boolean> {
  // Not updated_at: an account that changed is listed again at once where its listing was refused.
  const rows = await tx.query(sql`
    update whatsapp_accounts
    set templates_auth_status = ${status}, templates_auth_last_error = ${error}
    where tenant_id = ${tenantId} and waba_id = ${wabaId} and templates_auth_status <> ${status}
    returning id`)
  return rows.length > 0
}

/** A listing that was refused says more than the permission that is there; it is due again by updated_at. */
export async function updateTemplatesPermitted(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_accounts a
    set templates_auth_status = case when listing.is_refused then a.templates_auth_status else 'ok' end,
      templates_auth_last_error = case when listing.is_refused then a.templates_auth_last_error end,
      updated_at = ${now}
    from (
      select exists (
        select
        from whatsapp_template_syncs
        where tenant_id = ${tenantId} and waba_id = ${wabaId} and auth_status = 'failed') as is_refused
    ) as listing
    where a.tenant_id = ${tenantId} and a.waba_id = ${wabaId} and a.templates_auth_status <> 'ok'`)
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

export async function selectAccountIds(
  tx: Tx,
  tenantId: string | null,
  id: string | null,
): Promise<{ tenantId: string; id: string }[]> {
  return tx.query(sql<{ tenantId: string; id: string }>`
    select tenant_id as "tenantId", id
    from whatsapp_accounts
    where (${tenantId}::uuid is null or tenant_id = ${tenantId}) and (${id}::uuid is null or id = ${id})
    order by tenant_id, created_at, id`)
}
