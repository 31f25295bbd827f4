// One look at everything: what waits, what failed, how long things take, who needs a person.
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type Backlog, readBacklog } from './backlog.ts'
import type { BacklogRow } from './backlog-queries.ts'
import { readLatencies } from './latency.ts'
import {
  countOpenDeadLetters,
  type OpenLetters,
  selectAccountsNeedingReauth,
  selectOpenCircuits,
  selectTenantIds,
} from './queries.ts'

/** Longer than this is not "a moment's backlog" any more; and then nothing seems to be working at all. */
const lateSeconds = 60
const standstillSeconds = 600

export type Health = Awaited<ReturnType<typeof readHealth>>

export interface StateOfSends {
  count: number
  oldest_seconds: number
}

export async function readHealth(db: Db, now: Date) {
  const [events, sends, letters, latencies, reauth, circuits, tenantIds] = [
    await readBacklog(db, 'events', now),
    await readBacklog(db, 'sends', now),
    await countOpenDeadLetters(db),
    await readLatencies(db, now),
    await selectAccountsNeedingReauth(db),
    await selectOpenCircuits(db),
    await selectTenantIds(db),
  ]
  const countsOf = (isWanted: (tenantId: string | null) => boolean) => {
    const received = events.rows.filter((row) => isWanted(row.tenantId))
    const waiting = sends.rows.filter((row) => isWanted(row.tenantId))
    const dead = letters.filter((row) => isWanted(row.tenant_id))
    const late = [...received, ...waiting.filter(({ state }) => state === 'runnable')]
    const states = [...waiting, ...dead.flatMap((row) => asState(row, now))]
    return {
      webhook_events_pending_count: sum(received),
      outbox_pending_count: sum(waiting),
      outbox_failed_count: sum(dead.filter((row) => row.is_outbound)),
      dlq_count: sum(dead),
      oldest_pending_seconds:
        late.length > 0 ? Math.max(...late.map((row) => row.oldestSeconds)) : null,
      sends_by_state: byState(states),
    }
  }
  const total = countsOf(() => true)
  const webhookAge = Math.max(0, ...events.rows.map((row) => row.oldestSeconds))
  const sendAge = total.sends_by_state.runnable?.oldest_seconds ?? 0
  const reasons = [
    ...(webhookAge > lateSeconds
      ? [`a webhook has been waiting for ${Math.round(webhookAge)} s`]
      : []),
    ...(sendAge > lateSeconds ? [`a message has been due for ${Math.round(sendAge)} s`] : []),
    ...(circuits.some((row) => row.scope === 'host') ? ['Meta cannot be reached'] : []),
    ...(circuits.some((row) => row.scope === 'number')
      ? [`Meta fails for ${circuits.filter((row) => row.scope === 'number').length} number(s)`]
      : []),
    ...(reauth.length > 0 ? [`${reauth.length} account(s) need to be reconnected`] : []),
  ]
  return {
    status: statusOf(reasons, Math.max(webhookAge, sendAge)),
    reasons,
    ...total,
    ...latencies,
    oldest_webhook_seconds: webhookAge,
    dead_letters_by_kind: byKind(letters),
    counted_at: countedAt([events, sends], now).toISOString(),
    circuits_open: circuits.map((row) => ({
      ...row,
      opened_at: row.opened_at.toISOString(),
      trial_at: row.trial_at.toISOString(),
    })),
    accounts_needing_reauth: reauth.map((row) => ({
      ...row,
      account_id: publicId('acc', row.account_id),
    })),
    tenants: tenantIds.map((id) => ({ tenant_id: id, ...countsOf((tenantId) => tenantId === id) })),
  }
}

function statusOf(reasons: string[], oldestSeconds: number): 'ok' | 'degraded' | 'down' {
  if (oldestSeconds > standstillSeconds) return 'down'
  return reasons.length > 0 ? 'degraded' : 'ok'
}

/** Dead letters of sends are a state of sends: nobody should have to look in two places. */
function asState(letters: OpenLetters, now: Date): BacklogRow[] {
  if (!letters.is_outbound) return []
  return [
    {
      tenantId: letters.tenant_id,
      state: letters.kind === 'unknown' ? 'unknown' : 'dead',
      count: letters.count,
      oldestSeconds: Math.max(0, (now.getTime() - letters.oldest_at.getTime()) / 1000),
    },
  ]
}

function byState(rows: BacklogRow[]): Record<string, StateOfSends> {
  const states: Record<string, StateOfSends> = {}
  for (const { state, count, oldestSeconds } of rows) {
    const known = states[state] ?? { count: 0, oldest_seconds: 0 }
    states[state] = {
      count: known.count + count,
      oldest_seconds: Math.max(known.oldest_seconds, oldestSeconds),
    }
  }
  return states
}

function byKind(letters: OpenLetters[]): Record<string, number> {
  const kinds: Record<string, number> = {}
  for (const { kind, count } of letters) kinds[kind] = (kinds[kind] ?? 0) + count
  return kinds
}

function countedAt(backlogs: Backlog[], now: Date): Date {
  const sampled = backlogs.flatMap(({ sampledAt }) => (sampledAt ? [sampledAt.getTime()] : []))
  return new Date(Math.min(now.getTime(), ...sampled))
}

function sum(rows: { count: number }[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
