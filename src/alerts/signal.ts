// What only happens and leaves no state that a rule could look at: noted in the transaction that learns of it, one row per
// rule and subject, however often it happens. Those about sends are noted under the tenant's lock in send_tenants.
import { sql, type Tx } from '../db/connect.ts'

export interface Signal {
  tenantId: string
  rule: 'rate_limited' | 'account_restricted' | 'number_claimed_twice'
  subject: string
  reason: string
  /** Nothing new by then: it is over. */
  activeUntil: Date
}

/** One that comes after its streak was over begins a new one. */
export async function noteSignals(tx: Tx, signals: Signal[], now: Date): Promise<void> {
  const streaks = new Map<string, Signal & { count: number }>()
  for (const signal of signals) {
    const key = `${signal.tenantId} ${signal.rule} ${signal.subject}`
    const known = streaks.get(key)
    const isLater = !known || signal.activeUntil > known.activeUntil
    streaks.set(key, { ...(isLater ? signal : known), count: (known?.count ?? 0) + 1 })
  }
  if (streaks.size === 0) return
  // In one order, so that no two wait in a ring.
  const rows = [...streaks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  await tx.query(sql`
    insert into alert_signals as s (tenant_id, rule, subject, reason, active_until, count, first_at, last_at)
    select u.*, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${rows.map((row) => row.tenantId)}::uuid[],
      ${rows.map((row) => row.rule)}::text[],
      ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => row.activeUntil)}::timestamptz[],
      ${rows.map((row) => row.count)}::int[]) as u
    on conflict (tenant_id, rule, subject) do update
    set count = case when s.active_until > excluded.last_at then s.count + excluded.count else excluded.count end,
      first_at = case when s.active_until > excluded.last_at then s.first_at else excluded.first_at end,
      last_at = excluded.last_at,
      active_until = greatest(
        excluded.active_until, case when s.active_until > excluded.last_at then s.active_until end),
      reason = excluded.reason`)
}
