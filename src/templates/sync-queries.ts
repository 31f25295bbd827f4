// Whose mirror is due, who is at it, and how far it is. Whoever changes a mirror takes its row here first.
import { sql, type Tx } from '../db/connect.ts'

export interface Turn {
  tenantId: string
  wabaId: string
  /** The fence. */
  attempt: string
}

export interface SyncRow {
  waba_id: string
  /** Null while somebody is at it, and nobody has asked for another one since. */
  next_sync_at: Date | null
  leased_until: Date | null
  synced_at: Date | null
  failures: number
  error_code: string | null
  error_message: string | null
  error_at: Date | null
  auth_status: 'ok' | 'failed'
}

/**
 * The account whose turn is the longest due, if there is one: never listed, its time has come, whoever was at it died, a
 * number was connected since, or access was refused and the account has changed since. Of two processes that take the
 * same one, one gets nothing.
 */
export async function claimDueSync(
  tx: Tx,
  now: Date,
  leasedUntil: Date,
): Promise<Turn | 'taken' | undefined> {
  const [due] = await tx.query(sql<{ tenant_id: string; waba_id: string }>`
    select a.tenant_id, a.waba_id
    from whatsapp_accounts a
    join tenants t on t.id = a.tenant_id and t.status = 'active'
    left join whatsapp_template_syncs s on s.tenant_id = a.tenant_id and s.waba_id = a.waba_id
    where s.tenant_id is null
      or ((s.leased_until is null or s.leased_until <= ${now})
        and (s.next_sync_at <= ${now} or s.leased_until is not null or s.tried_at is null
          or a.created_at > s.tried_at
          or (s.auth_status = 'failed' and a.updated_at > s.tried_at)))
    order by s.next_sync_at nulls first
    limit 1`)
  if (!due) return undefined
  return (await claimSync(tx, due.tenant_id, due.waba_id, now, leasedUntil)) ?? 'taken'
}

/** Undefined when somebody is at it. */
export async function claimSync(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  now: Date,
  leasedUntil: Date,
): Promise<Turn | undefined> {
  const [row] = await tx.query(sql<Turn>`
    insert into whatsapp_template_syncs as s
      (tenant_id, waba_id, next_sync_at, attempt, leased_until, tried_at, created_at)
    values (${tenantId}, ${wabaId}, null, 1, ${leasedUntil}, ${now}, ${now})
    on conflict (tenant_id, waba_id) do update
    set attempt = s.attempt + 1, leased_until = ${leasedUntil}, tried_at = ${now}, next_sync_at = null
    where s.leased_until is null or s.leased_until <= ${now}
    returning tenant_id as "tenantId", waba_id as "wabaId", attempt`)
  return row
}

/** False when the turn was taken by another; else it is ours until the transaction ends. */
export async function renewTurn(tx: Tx, turn: Turn, leasedUntil: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update whatsapp_template_syncs
    set leased_until = ${leasedUntil}
    where tenant_id = ${turn.tenantId} and waba_id = ${turn.wabaId} and attempt = ${turn.attempt}::bigint
      and leased_until is not null
    returning waba_id`)
  return rows.length > 0
}

/** What was asked for while the listing was under way is still owed: a listing may have been without it. */
export async function endSync(
  tx: Tx,
  turn: Turn,
  end: { listedAt: Date; nextSyncAt: Date },
): Promise<void> {
  await tx.query(sql`
    update whatsapp_template_syncs
    set leased_until = null, synced_at = ${end.listedAt}, failures = 0, error_code = null, error_message = null,
      error_at = null, auth_status = 'ok',
      next_sync_at = least(next_sync_at, ${end.nextSyncAt}::timestamptz)
    where tenant_id = ${turn.tenantId} and waba_id = ${turn.wabaId} and attempt = ${turn.attempt}::bigint`)
}

export interface SyncFailure {
  code: string
  message: string
  isAuth: boolean
  at: Date
  /** By how many there were in a row. */
  nextSyncAt: (failures: number) => Date
}

export async function failSync(tx: Tx, turn: Turn, failure: SyncFailure): Promise<void> {
  const [held] = await tx.query(sql<{ failures: number }>`
    select failures
    from whatsapp_template_syncs
    where tenant_id = ${turn.tenantId} and waba_id = ${turn.wabaId} and attempt = ${turn.attempt}::bigint
    for update`)
  if (!held) return
  const failures = held.failures + 1
  await tx.query(sql`
    update whatsapp_template_syncs
    set leased_until = null, failures = ${failures}, next_sync_at = ${failure.nextSyncAt(failures)},
      error_code = ${failure.code}, error_message = ${failure.message}, error_at = ${failure.at},
      auth_status = case when ${failure.isAuth} then 'failed' else auth_status end
    where tenant_id = ${turn.tenantId} and waba_id = ${turn.wabaId}`)
}

/** Whoever is next does it. */
export async function giveTurnBack(tx: Tx, turn: Turn, now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_template_syncs
    set leased_until = null, next_sync_at = ${now}
    where tenant_id = ${turn.tenantId} and waba_id = ${turn.wabaId} and attempt = ${turn.attempt}::bigint`)
}

/** At this time or sooner. Takes the row, as whoever changes the mirror must. */
export async function bringSyncForward(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  at: Date,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_template_syncs as s (tenant_id, waba_id, next_sync_at, created_at)
    values (${tenantId}, ${wabaId}, ${at}, ${now})
    on conflict (tenant_id, waba_id) do update
    set next_sync_at = least(s.next_sync_at, ${at}::timestamptz)`)
}

/** What Meta said about our access to the templates of this account, outside of syncs. */
export async function keepAuthStatus(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  error: { code: string; message: string } | null,
  now: Date,
): Promise<void> {
  await tx.query(
    error
      ? sql`
          update whatsapp_template_syncs
          set auth_status = 'failed', error_code = ${error.code}, error_message = ${error.message}, error_at = ${now}
          where tenant_id = ${tenantId} and waba_id = ${wabaId}`
      : sql`
          update whatsapp_template_syncs
          set auth_status = 'ok', error_code = null, error_message = null, error_at = null
          where tenant_id = ${tenantId} and waba_id = ${wabaId} and auth_status = 'failed'`,
  )
}

/** Of the accounts that are connected; those that were never listed have no row yet. */
export async function selectSyncs(
  tx: Tx,
  tenantId: string,
  wabaId: string | null,
): Promise<(Partial<SyncRow> & { waba_id: string; templates: number })[]> {
  return tx.query(sql<Partial<SyncRow> & { waba_id: string; templates: number }>`
    select a.waba_id, s.next_sync_at, s.leased_until, s.synced_at, s.failures, s.error_code, s.error_message,
      s.error_at, s.auth_status, (
        select count(*)::int
        from whatsapp_templates t
        where t.tenant_id = ${tenantId} and t.waba_id = a.waba_id and t.gone_at is null) as templates
    from (
      select distinct waba_id
      from whatsapp_accounts
      where tenant_id = ${tenantId} and (${wabaId}::text is null or waba_id = ${wabaId})
    ) as a
    left join whatsapp_template_syncs s on s.tenant_id = ${tenantId} and s.waba_id = a.waba_id
    order by a.waba_id`)
}

/** Whether Meta still has something to decide, so that a webhook about it is to be expected. */
export async function hasUndecided(tx: Tx, tenantId: string, wabaId: string): Promise<boolean> {
  const [row] = await tx.query(sql<{ is_so: boolean }>`
    select exists (
      select
      from whatsapp_templates
      where tenant_id = ${tenantId} and waba_id = ${wabaId} and gone_at is null
        and status in ('PENDING', 'IN_APPEAL', 'PAUSED')) as is_so`)
  return row?.is_so ?? false
}
