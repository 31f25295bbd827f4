// One look at everything: what waits, what failed, who needs a person.
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import {
  countOpenDeadLetters,
  countPendingEvents,
  countPendingSends,
  selectAccountsNeedingReauth,
  selectTenantIds,
} from './queries.ts'

/** An event that waits longer than this is not "a moment's backlog" any more. */
const lateSeconds = 60

export type Health = Awaited<ReturnType<typeof readHealth>>

export async function readHealth(db: Db, now: Date) {
  const [events, sends, letters, reauth, tenantIds] = [
    await countPendingEvents(db),
    await countPendingSends(db),
    await countOpenDeadLetters(db),
    await selectAccountsNeedingReauth(db),
    await selectTenantIds(db),
  ]
  const countsOf = (isWanted: (tenantId: string | null) => boolean) => {
    const waiting = events.filter((row) => isWanted(row.tenant_id))
    // Another process stamped it, and its clock may be ahead of ours.
    const ages = waiting.map((row) => Math.max(0, (now.getTime() - row.oldest_at.getTime()) / 1000))
    return {
      webhook_events_pending_count: sum(waiting),
      outbox_pending_count: sum(sends.filter((row) => isWanted(row.tenant_id))),
      outbox_failed_count: sum(letters.filter((row) => row.is_outbound && isWanted(row.tenant_id))),
      dlq_count: sum(letters.filter((row) => isWanted(row.tenant_id))),
      oldest_pending_seconds: ages.length > 0 ? Math.max(...ages) : null,
    }
  }
  const total = countsOf(() => true)
  const reasons = [
    ...((total.oldest_pending_seconds ?? 0) > lateSeconds
      ? [`a webhook has been waiting for ${Math.round(total.oldest_pending_seconds ?? 0)} s`]
      : []),
    ...(reauth.length > 0 ? [`${reauth.length} account(s) need to be reconnected`] : []),
  ]
  return {
    status: reasons.length > 0 ? ('degraded' as const) : ('ok' as const),
    reasons,
    ...total,
    // Rates and latencies are kept per process so far: no value, not a wrong one.
    send_success_rate_last_1h: null,
    webhook_ack_p95_ms: null,
    inbound_processing_p95_ms: null,
    send_p95_ms: null,
    circuits_open: [],
    accounts_needing_reauth: reauth.map((row) => ({
      ...row,
      account_id: publicId('acc', row.account_id),
    })),
    tenants: tenantIds.map((id) => ({ tenant_id: id, ...countsOf((tenantId) => tenantId === id) })),
  }
}

function sum(rows: { count: number }[]): number {
  return rows.reduce((total, row) => total + row.count, 0)
}
