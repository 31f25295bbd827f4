// What rules look at: state that others keep, through an index or in tables that stay small. No count goes beyond its limit.
import type { Told } from '../accounts/news.ts'
import { sql, type Tx } from '../db/connect.ts'

/** More than this is told as "1000 or more". */
export const countLimit = 1000

export interface LetterCount {
  tenantId: string | null
  count: number
  oldestAt: Date
}

/** Tenants with more open dead letters than so many; null: nobody's. */
export async function countOpenLetters(db: Tx, moreThan: number): Promise<LetterCount[]> {
  return db.query(sql<LetterCount>`
    select owner.id as "tenantId", found.count, found.oldest_at as "oldestAt"
    from (select id from tenants union all select null) as owner
    cross join lateral (
      select count(*)::int as count, min(created_at) as oldest_at
      from (
        select created_at from dead_letters where tenant_id = owner.id and state = 'open' limit ${countLimit}
      ) as own
      where owner.id is not null
      union all
      select count(*)::int, min(created_at)
      from (
        select created_at from dead_letters where tenant_id is null and state = 'open' limit ${countLimit}
      ) as nobodys
      where owner.id is null
    ) as found
    where found.count > ${moreThan}`)
}

/** Open ones since then, of sends that were tried as often as anything is. */
export async function countExhausted(
  db: Tx,
  since: Date,
  fewestAttempts: number,
): Promise<(LetterCount & { tenantId: string })[]> {
  return db.query(sql<LetterCount & { tenantId: string }>`
    select t.id as "tenantId", count(*)::int as count, min(found.created_at) as "oldestAt"
    from tenants t
    cross join lateral (
      select d.created_at
      from dead_letters d
      join whatsapp_send_outbox o on o.tenant_id = d.tenant_id and o.id = d.outbox_id
      where d.tenant_id = t.id and d.state = 'open' and d.created_at > ${since} and o.attempts >= ${fewestAttempts}
      limit ${countLimit}
    ) as found
    group by t.id`)
}

/** Webhooks that could not be processed, of all tenants and of nobody, since then. */
export async function countUnprocessed(db: Tx, since: Date): Promise<LetterCount> {
  const [row] = await db.query(sql<LetterCount>`
    select null as "tenantId", count(*)::int as count, min(created_at) as "oldestAt"
    from (
      select created_at
      from dead_letters
      where state = 'open' and created_at > ${since} and kind = 'inbound'
      limit ${countLimit}
    ) as found`)
  if (!row) throw new Error('bug: a count without its row')
  return row
}

/** What all processes counted since then, by kind. */
export async function sumRecent(
  db: Tx,
  kinds: string[],
  from: Date,
  to: Date,
): Promise<{ kind: string; count: number; firstAt: Date }[]> {
  return db.query(sql<{ kind: string; count: number; firstAt: Date }>`
    select kind, sum(count)::int as count, min(slot) as "firstAt"
    from recent_latencies
    where slot >= ${from} and slot <= ${to} and kind = any(${kinds}::text[])
    group by kind`)
}

export interface SignalRow {
  tenantId: string
  subject: string
  count: number
  firstAt: Date
  lastAt: Date
  activeUntil: Date
  reason: string
}

export async function selectSignals(db: Tx, rule: string, now: Date): Promise<SignalRow[]> {
  return db.query(sql<SignalRow>`
    select tenant_id as "tenantId", subject, count, first_at as "firstAt", last_at as "lastAt",
      active_until as "activeUntil", reason
    from alert_signals
    where rule = ${rule} and active_until > ${now}
    limit 10000`)
}

export interface CircuitRow {
  tenantId: string | null
  phoneNumberId: string | null
  openedAt: Date
}

export async function selectOpenCircuits(db: Tx): Promise<CircuitRow[]> {
  return db.query(sql<CircuitRow>`
    select null::uuid as "tenantId", null::text as "phoneNumberId", opened_at as "openedAt"
    from send_host
    where circuit_open
    union all
    (select tenant_id, phone_number_id, opened_at from send_numbers where circuit_open limit 10000)`)
}

export interface AccountInTrouble {
  tenantId: string
  phoneNumberId: string
  needsReauth: boolean
  expiresAt: Date | null
  told: Told
  updatedAt: Date
}

/** Accounts of which something is wrong, or that Meta said something bad about: few of few. */
export async function selectTroubledAccounts(
  db: Tx,
  expiresBefore: Date,
): Promise<AccountInTrouble[]> {
  return db.query(sql<AccountInTrouble>`
    select tenant_id as "tenantId", phone_number_id as "phoneNumberId", auth_status = 'needs_reauth' as "needsReauth",
      token_expires_at as "expiresAt", told, updated_at as "updatedAt"
    from whatsapp_accounts
    where auth_status = 'needs_reauth'
      or token_expires_at < ${expiresBefore}
      or told #>> '{quality,rating}' = 'RED'
      or told #>> '{ban,state}' in ('DISABLE', 'SCHEDULE_FOR_DISABLE')
      or told #>> '{review,decision}' = 'REJECTED'
      or told #> '{restriction,restrictions}' <> '[]'
    order by tenant_id, id
    limit 10000`)
}

export async function selectSuspended(db: Tx): Promise<Set<string>> {
  const rows = await db.query(sql<{ id: string }>`select id from tenants where status <> 'active'`)
  return new Set(rows.map((row) => row.id))
}

export interface DisabledEndpoint {
  tenantId: string
  id: string
  reason: string
  disabledAt: Date
}

export async function selectDisabledEndpoints(db: Tx): Promise<DisabledEndpoint[]> {
  return db.query(sql<DisabledEndpoint>`
    select tenant_id as "tenantId", id, disabled_reason as reason, disabled_at as "disabledAt"
    from event_endpoints
    where status = 'disabled'
    order by disabled_at
    limit 10000`)
}

export interface FailingChannel {
  id: string
  tenantName: string | null
  kind: string
  failures: number
  failingSince: Date
  lastError: string | null
}

export async function selectFailingChannels(db: Tx, since: Date): Promise<FailingChannel[]> {
  return db.query(sql<FailingChannel>`
    select c.id, t.name as "tenantName", c.kind, c.failures, c.failing_since as "failingSince", c.last_error as "lastError"
    from alert_channels c
    left join tenants t on t.id = c.tenant_id
    where c.failing_since <= ${since}
    order by c.failing_since
    limit 10000`)
}
