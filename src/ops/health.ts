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
  const [events, sends, letters, latencies, reauth, tenantIds] = [
    await readBacklog(db, 'events', now),
    await readBacklog(db, 'sends', now),
    await countOpenDeadLetters(db),
    await readLatencies(db, now),
    await selectAccountsNeedingReauth(db),
    await selectTenantIds(db),
  ]
  // Another process stamped it, and its clock may be ahead of ours.
  const ageOf = (at: Date) => Math.max(0, (now.getTime() - at.getTime()) / 1000)
  const countsOf = (isWanted: (tenantId: string | null) => boolean) => {
    const received = events.rows.filter((row) => isWanted(row.tenantId))
    const waiting = sends.rows.filter((row) => isWanted(row.tenantId))
    const dead = letters.filter((row) => isWanted(row.tenant_id))
    const late = [...received, ...waiting.filter(({ state }) => state === 'runnable')]
    const states = [...waiting, ...dead.flatMap(asState)]
    return {
      webhook_events_pending_count: sum(received),
      outbox_pending_count: sum(waiting),
      outbox_failed_count: sum(dead.filter((row) => row.is_outbound)),
      dlq_count: sum(dead),
      oldest_pending_seconds:
        late.length > 0 ? Math.max(...late.map((row) => ageOf(row.oldestAt))) : null,
      sends_by_state: byState(states, ageOf),
    }
  }
  const total = countsOf(() => true)
  const webhookAge = Math.max(0, ...events.rows.map((row) => ageOf(row.oldestAt)))
  const sendAge = total.sends_by_state.runnable?.oldest_seconds ?? 0
  const reasons = [
    ...(webhookAge > lateSeconds
      ? [`a webhook has been waiting for ${Math.round(webhookAge)} s`]
      : []),
    ...(sendAge > lateSeconds ? [`a message has been due for ${Math.round(sendAge)} s`] : []),
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
    circuits_open: [] as string[],
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
function asState(letters: OpenLetters): BacklogRow[] {
  if (!letters.is_outbound) return []
  return [
    {
      tenantId: letters.tenant_id,
      state: letters.kind === 'unknown' ? 'unknown' : 'dead',
      count: letters.count,
      oldestAt: letters.oldest_at,
    },
  ]
}

function byState(rows: BacklogRow[], ageOf: (at: Date) => number): Record<string, StateOfSends> {
  const states: Record<string, StateOfSends> = {}
  for (const { state, count, oldestAt } of rows) {
    const known = states[state] ?? { count: 0, oldest_seconds: 0 }
    states[state] = {
      count: known.count + count,
      oldest_seconds: Math.max(known.oldest_seconds, ageOf(oldestAt)),
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
