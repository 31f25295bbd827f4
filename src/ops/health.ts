// One look at everything: what waits, what failed, how long things take, who needs a person.
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type Backlog, readBacklog } from './backlog.ts'
import type { BacklogRow } from './backlog-queries.ts'
import { readLatencies } from './latency.ts'
import { selectAccountsNeedingReauth, selectOpenCircuits, selectTenantIds } from './queries.ts'

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
}

export async function readHealth(db: Db, now: Date, terms: HealthTerms): Promise<Health> {
  return describeHealth(await takeLook(db, now), now, terms)
}

export type Look = Awaited<ReturnType<typeof takeLook>>

/** What health is told from; no more than a bounded number of rows is looked at. */
export async function takeLook(db: Db, now: Date) {
  return {
    events: await readBacklog(db, 'events', now),
    sends: await readBacklog(db, 'sends', now),
    letters: await readBacklog(db, 'letters', now),
    latencies: await readLatencies(db, now),
    reauth: await selectAccountsNeedingReauth(db),
    circuits: await selectOpenCircuits(db),
    tenantIds: await selectTenantIds(db),
  }
}

export function describeHealth(look: Look, now: Date, terms: HealthTerms) {
  const { deadLetterThreshold, blockers } = terms
  const { events, sends, letters, latencies, reauth, circuits, tenantIds } = look
  const [received, waiting, dead] = [events, sends, letters].map(({ rows }) => byTenant(rows))
  const tenants = tenantIds.map((id) => ({
    tenant_id: id,
    ...countsOf(received?.get(id) ?? [], waiting?.get(id) ?? [], dead?.get(id) ?? []),
  }))
  const total = countsOf(events.rows, sends.rows, letters.rows)
  const webhookAge = oldestOf(events.rows.filter((row) => !isRetried(row))) ?? 0
  const retryAge = oldestOf(events.rows.filter(isRetried)) ?? 0
  const sendAge = oldestOf(sends.rows.filter(couldLeave)) ?? 0
  const overThreshold = tenants.filter((one) => one.dlq_count > deadLetterThreshold).length
  const sickNumbers = circuits.filter((row) => row.scope === 'number').length
  const reasons = [
    ...blockers,
    ...(webhookAge > lateSeconds
      ? [`a webhook has been waiting for ${Math.round(webhookAge)} s`]
      : []),
    ...(retryAge > lateSeconds ? [`a webhook is being retried for ${Math.round(retryAge)} s`] : []),
    ...(sendAge > lateSeconds ? [`a message has been due for ${Math.round(sendAge)} s`] : []),
    ...(circuits.some((row) => row.scope === 'host') ? ['Meta cannot be reached'] : []),
    ...(sickNumbers > 0 ? [`Meta fails for ${sickNumbers} number(s)`] : []),
    ...(reauth.length > 0 ? [`${reauth.length} account(s) need to be reconnected`] : []),
    ...(overThreshold > 0
      ? [`${overThreshold} tenant(s) have more than ${deadLetterThreshold} open dead letters`]
      : []),
  ]
  return {
    status:
      blockers.length > 0 ? ('down' as const) : statusOf(reasons, Math.max(webhookAge, sendAge)),
    reasons,
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
    tenants,
  }
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
function countsOf(received: BacklogRow[], waiting: BacklogRow[], dead: BacklogRow[]) {
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
