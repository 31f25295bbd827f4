// One look at everything: what waits, what failed, how long things take, who needs a person.
import type { Db, Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type Backlog, readBacklog } from './backlog.ts'
import type { BacklogRow } from './backlog-queries.ts'
import { readLatencies, readTenantLatencies } from './latency.ts'
import {
  selectAccountsNeedingReauth,
  selectOpenCircuits,
  selectSize,
  selectTenantIds,
  selectTenantSize,
} from './queries.ts'
import { reasonOf, type Trouble } from './troubles.ts'

/** Longer than this is not "a moment's backlog" any more; and then nothing seems to be working at all. */
const lateSeconds = 60
const standstillSeconds = 600

export type Health = ReturnType<typeof describeHealth>

export interface State {
  count: number
  oldest_seconds: number
}

export interface HealthTerms {
  /** DLQ_ALERT_THRESHOLD. */
  deadLetterThreshold: number
  /** Why nothing moves at all, as far as this process knows. */
  blockers: string[]
  /** CIRCUIT_WINDOW_SECONDS, where somebody wants to know what opened a circuit. */
  circuitWindowSeconds?: number
}

export async function readHealth(db: Db, now: Date, terms: HealthTerms): Promise<Health> {
  return describeHealth(await takeLook(db, now, terms.circuitWindowSeconds), now, terms)
}

/** A tenant's part of it. What others wait for is none of its business. */
export async function readTenantHealth(db: Db, tenantId: string, now: Date, terms: HealthTerms) {
  const { tenants, ...health } = describeHealth(
    await takeTenantLook(db, tenantId, now, terms.circuitWindowSeconds),
    now,
    terms,
  )
  return health
}

export type Look = Awaited<ReturnType<typeof takeLook>>

const anyWindowSeconds = 60

/** What health is told from; no more than a bounded number of rows is looked at. */
export async function takeLook(db: Db, now: Date, circuitWindowSeconds = anyWindowSeconds) {
  return {
    ...(await readBacklogs(db, now)),
    latencies: await readLatencies(db, now),
    reauth: await selectAccountsNeedingReauth(db, null),
    circuits: await selectOpenCircuits(db, null, circuitWindowSeconds),
    size: await selectSize(db),
    tenantIds: await selectTenantIds(db),
  }
}

/** Everybody's backlog is counted at once, and a long one is a sample: asking for one tenant's alone would cost as much. */
async function takeTenantLook(
  db: Db,
  tenantId: string,
  now: Date,
  circuitWindowSeconds = anyWindowSeconds,
): Promise<Look> {
  const { events, sends, letters } = await readBacklogs(db, now)
  const own = (backlog: Backlog): Backlog => ({
    ...backlog,
    rows: backlog.rows.flatMap((row) => {
      if (row.tenantId === tenantId) return [row]
      // It may be this one's too; how much is nobody's business.
      return isNotCounted(row) ? [{ ...row, count: 0, oldestSeconds: 0 }] : []
    }),
  })
  return {
    events: own(events),
    sends: own(sends),
    letters: own(letters),
    latencies: await readTenantLatencies(db, tenantId, now),
    reauth: await selectAccountsNeedingReauth(db, tenantId),
    circuits: await selectOpenCircuits(db, tenantId, circuitWindowSeconds),
    size: await db.tenantTransaction(tenantId, (tx) => selectTenantSize(tx, tenantId)),
    tenantIds: [tenantId],
  }
}

export async function readBacklogs(db: Tx, now: Date) {
  return {
    events: await readBacklog(db, 'events', now),
    sends: await readBacklog(db, 'sends', now),
    letters: await readBacklog(db, 'letters', now),
  }
}

export function describeHealth(look: Look, now: Date, terms: HealthTerms) {
  const { deadLetterThreshold, blockers } = terms
  const { events, sends, letters, latencies, reauth, circuits } = look
  const tenants = countsByTenant(look, look.tenantIds)
  const total = countsOf(events.rows, sends.rows, letters.rows)
  const webhookAge = oldestOf(events.rows.filter((row) => !isRetried(row))) ?? 0
  const retryAge = oldestOf(events.rows.filter(isRetried)) ?? 0
  const sendAge = oldestOf(sends.rows.filter(couldLeave)) ?? 0
  const late = (code: Trouble['code'], seconds: number) =>
    seconds > lateSeconds ? [{ code, count: 1, seconds }] : []
  const some = (code: Trouble['code'], count: number) =>
    count > 0 ? [{ code, count, seconds: null }] : []
  const troubles: Trouble[] = [
    ...some('blocked', blockers.length),
    ...late('webhook_waits', webhookAge),
    ...late('webhook_retried', retryAge),
    ...late('send_waits', sendAge),
    ...some('meta_unreachable', circuits.filter((row) => row.scope === 'host').length),
    ...some('numbers_failing', circuits.filter((row) => row.scope === 'number').length),
    ...some('reauth_needed', reauth.length),
    ...some('dead_letters', tenants.filter((one) => one.dlq_count > deadLetterThreshold).length),
    ...some('not_counted', [events, sends, letters].filter(hasNotCounted).length > 0 ? 1 : 0),
  ]
  const reasons = [
    ...blockers,
    ...troubles.flatMap((trouble) => reasonOf(trouble, deadLetterThreshold) ?? []),
  ]
  return {
    status:
      blockers.length > 0 ? ('down' as const) : statusOf(reasons, Math.max(webhookAge, sendAge)),
    reasons,
    troubles,
    ...total,
    ...latencies,
    oldest_webhook_seconds: Math.max(webhookAge, retryAge),
    dead_letters_by_kind: Object.fromEntries(
      Object.entries(byState(letters.rows)).map(([kind, { count }]) => [kind, count]),
    ),
    counted_at: countedAt([events, sends, letters], now).toISOString(),
    circuits_open: circuits.map((row) => ({
      ...row,
      opened_at: row.opened_at.toISOString(),
      trial_at: row.trial_at.toISOString(),
    })),
    accounts_needing_reauth: reauth.map((row) => ({
      ...row,
      account_id: publicId('acc', row.account_id),
    })),
    numbers_count: look.size.numbers,
    has_received: look.size.hasReceived,
    tenants,
  }
}

const isNotCounted = ({ state }: BacklogRow) => state === 'not_counted_yet'
const hasNotCounted = ({ rows }: Backlog) => rows.some(isNotCounted)

type Backlogs = Awaited<ReturnType<typeof readBacklogs>>

export function countsByTenant({ events, sends, letters }: Backlogs, tenantIds: string[]) {
  const [received, waiting, dead] = [events, sends, letters].map(({ rows }) => byTenant(rows))
  return tenantIds.map((id) => ({
    tenant_id: id,
    ...countsOf(received?.get(id) ?? [], waiting?.get(id) ?? [], dead?.get(id) ?? []),
  }))
}

function byTenant(rows: BacklogRow[]): Map<string | null, BacklogRow[]> {
  const found = new Map<string | null, BacklogRow[]>()
  for (const row of rows) {
    const known = found.get(row.tenantId)
    if (known) known.push(row)
    else found.set(row.tenantId, [row])
  }
  return found
}

/** Of one tenant, or of everybody and nobody. */
export function countsOf(received: BacklogRow[], waiting: BacklogRow[], dead: BacklogRow[]) {
  return {
    webhook_events_pending_count: sum(received),
    outbox_pending_count: sum(waiting),
    outbox_failed_count: sum(dead.filter(isOutbound)),
    dlq_count: sum(dead),
    oldest_pending_seconds: oldestOf([...received, ...waiting.filter(couldLeave)]),
    oldest_dead_letter_seconds: oldestOf(dead),
    events_by_state: byState(received),
    // Dead letters of sends are a state of sends: nobody should have to look in two places.
    sends_by_state: byState([...waiting, ...dead.filter(isOutbound).map(asSend)]),
  }
}

const isOutbound = ({ state }: BacklogRow) => state === 'outbound' || state === 'unknown'

function asSend(letters: BacklogRow): BacklogRow {
  return { ...letters, state: letters.state === 'unknown' ? 'unknown' : 'dead' }
}

/** It fails, and others go through meanwhile: no sign of a standstill. */
const isRetried = ({ state }: BacklogRow) => state === 'retry_wait'

function couldLeave({ state }: BacklogRow): boolean {
  return state === 'runnable' || state === 'not_counted_yet'
}

function statusOf(reasons: string[], oldestSeconds: number): 'ok' | 'degraded' | 'down' {
  if (oldestSeconds > standstillSeconds) return 'down'
  return reasons.length > 0 ? 'degraded' : 'ok'
}

export function byState(rows: BacklogRow[]): Record<string, State> {
  const states: Record<string, State> = {}
  for (const { state, count, oldestSeconds } of rows) {
    const known = states[state] ?? { count: 0, oldest_seconds: 0 }
    states[state] = {
      count: known.count + count,
      oldest_seconds: Math.max(known.oldest_seconds, oldestSeconds),
    }
  }
  return states
}

function countedAt(backlogs: Backlog[], now: Date): Date {
  const sampled = backlogs.flatMap(({ sampledAt }) => (sampledAt ? [sampledAt.getTime()] : []))
  return new Date(Math.min(now.getTime(), ...sampled))
}

function oldestOf(rows: BacklogRow[]): number | null {
  if (rows.length === 0) return null
  return rows.reduce((oldest, row) => Math.max(oldest, row.oldestSeconds), 0)
}

function sum(rows: { count: number }[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
