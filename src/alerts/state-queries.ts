// The state of alerts: who evaluates, what fires, and what is to be told of it.
import { sql, type Tx } from '../db/connect.ts'
import type { AlertMessage, NotificationEvent, Severity } from './model.ts'

/** False when it is not due, or another process is at it. A lease or a time that is too far ahead was written by a wrong clock. */
export async function takeEvaluation(
  db: Tx,
  holder: string,
  now: Date,
  { everySeconds, leaseSeconds }: { everySeconds: number; leaseSeconds: number },
): Promise<boolean> {
  const rows = await db.query(sql`
    update alert_evaluator
    set holder = ${holder}, leased_until = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
    where (evaluated_at <= ${now}::timestamptz - make_interval(secs => ${everySeconds}) or evaluated_at > ${now})
      and (leased_until <= ${now} or leased_until > ${now}::timestamptz + make_interval(secs => ${leaseSeconds}))
    returning is_only`)
  return rows.length > 0
}

/** First in the transaction that writes down what was found. False when the lease was lost: another knows better by now. */
export async function endEvaluation(tx: Tx, holder: string, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`
    update alert_evaluator
    set evaluated_at = ${now}, holder = null, leased_until = '-infinity'
    where holder = ${holder}
    returning is_only`)
  return rows.length > 0
}

export async function readEvaluation(db: Tx): Promise<Date | null> {
  const [row] = await db.query(sql<{ at: Date | null }>`
    select nullif(evaluated_at, '-infinity') as at from alert_evaluator`)
  return row?.at ?? null
}

export interface FiringRow {
  id: string
  tenantId: string | null
  rule: string
  subject: string
  since: Date
  firedAt: Date
  clearSince: Date | null
  notifiedAt: Date
  count: number
  summary: string
}

export async function selectFiring(tx: Tx, rules: string[]): Promise<FiringRow[]> {
  return tx.query(sql<FiringRow>`
    select id, tenant_id as "tenantId", rule, subject, since, fired_at as "firedAt", clear_since as "clearSince",
      notified_at as "notifiedAt", count, summary
    from alerts
    where state = 'firing' and rule = any(${rules}::text[])
    order by id`)
}

export interface NewAlert {
  id: string
  tenantId: string | null
  rule: string
  subject: string
  severity: Severity
  since: Date
  count: number
  summary: string
}

/** The ids of those that were not firing. */
export async function insertAlerts(tx: Tx, alerts: NewAlert[], now: Date): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    insert into alerts (id, tenant_id, rule, subject, severity, since, count, summary, fired_at, notified_at)
    select u.*, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${alerts.map((alert) => alert.id)}::uuid[],
      ${alerts.map((alert) => alert.tenantId)}::uuid[],
      ${alerts.map((alert) => alert.rule)}::text[],
      ${alerts.map((alert) => alert.subject)}::text[],
      ${alerts.map((alert) => alert.severity)}::text[],
      ${alerts.map((alert) => alert.since)}::timestamptz[],
      ${alerts.map((alert) => alert.count)}::int[],
      ${alerts.map((alert) => alert.summary)}::text[]) as u
    on conflict (tenant_id, rule, subject) where state = 'firing' do nothing
    returning id`)
  return new Set(rows.map((row) => row.id))
}

export interface AlertChange {
  id: string
  count: number
  summary: string
  clearSince: Date | null
  notifiedAt: Date
  resolvedAt: Date | null
}

export async function updateAlerts(tx: Tx, changes: AlertChange[]): Promise<void> {
  await tx.query(sql`
    update alerts a
    set count = u.count, summary = u.summary, clear_since = u.clear_since, notified_at = u.notified_at,
      resolved_at = u.resolved_at, state = case when u.resolved_at is null then 'firing' else 'resolved' end
    from unnest(
      ${changes.map((change) => change.id)}::uuid[],
      ${changes.map((change) => change.count)}::int[],
      ${changes.map((change) => change.summary)}::text[],
      ${changes.map((change) => change.clearSince)}::timestamptz[],
      ${changes.map((change) => change.notifiedAt)}::timestamptz[],
      ${changes.map((change) => change.resolvedAt)}::timestamptz[])
      as u (id, count, summary, clear_since, notified_at, resolved_at)
    where a.id = u.id and a.state = 'firing'`)
}

export interface NewNotification {
  alertId: string
  tenantId: string | null
  event: NotificationEvent
  message: AlertMessage
  /** A channel that is itself the trouble. */
  exceptChannel: string | null
}

/**
 * One row per channel: the tenant's own, or, where it has none, the operator's. That it is resolved is told where it was told
 * before. Returns how many.
 */
export async function insertNotifications(
  tx: Tx,
  notifications: NewNotification[],
  now: Date,
): Promise<number> {
  // What was told again and arrived need not be kept besides the next time.
  await tx.query(sql`
    delete from alert_notifications
    where event = 'repeated' and status <> 'waiting' and alert_id = any(${notifications
      .filter(({ event }) => event === 'repeated')
      .map(({ alertId }) => alertId)}::uuid[])`)
  const rows = await tx.query(sql`
    insert into alert_notifications (tenant_id, alert_id, channel_id, event, message, next_run_at, created_at, updated_at)
    select n.tenant_id, n.alert_id, c.id, n.event, n.message, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${notifications.map((one) => one.tenantId)}::uuid[],
      ${notifications.map((one) => one.alertId)}::uuid[],
      ${notifications.map((one) => one.event)}::text[],
      ${notifications.map((one) => JSON.stringify(one.message))}::jsonb[],
      ${notifications.map((one) => one.exceptChannel)}::uuid[])
      with ordinality as n (tenant_id, alert_id, event, message, except_channel, place)
    join alert_channels c on c.id is distinct from n.except_channel
      and case when n.event = 'resolved'
        then exists (select from alert_notifications told where told.alert_id = n.alert_id and told.channel_id = c.id)
        else c.tenant_id is not distinct from case
          when exists (select from alert_channels own where own.tenant_id = n.tenant_id) then n.tenant_id end
        end
    order by n.place
    -- Whoever removes a channel meanwhile waits, or was first.
    for key share of c
    returning id`)
  return rows.length
}

/** With what was told of them. */
export async function deleteOldAlerts(db: Tx, before: Date): Promise<void> {
  await db.query(sql`
    delete from alerts
    where id = any(array(
      select id from alerts where state = 'resolved' and resolved_at < ${before} order by resolved_at limit 1000))`)
  await db.query(sql`delete from alert_signals where active_until < ${before}`)
}

export async function selectTenantNames(tx: Tx, ids: string[]): Promise<Map<string, string>> {
  const rows = await tx.query(
    sql<{ id: string; name: string }>`select id, name from tenants where id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, row.name]))
}

export interface AlertRow {
  id: string
  tenant_id: string | null
  rule: string
  subject: string
  state: 'firing' | 'resolved'
  severity: Severity
  since: Date
  fired_at: Date
  resolved_at: Date | null
  count: number
  summary: string
}

/** The latest first. */
export async function selectAlerts(
  tx: Tx,
  only: {
    tenantId: string | null
    state: string | null
    after: { at: Date; id: string } | null
    limit: number
  },
): Promise<AlertRow[]> {
  const { tenantId, state, after, limit } = only
  return tx.query(sql<AlertRow>`
    select id, tenant_id, rule, subject, state, severity, since, fired_at, resolved_at, count, summary
    from alerts
    where (${tenantId}::uuid is null or tenant_id = ${tenantId})
      and (${state}::text is null or state = ${state})
      and (${after?.at ?? null}::timestamptz is null
        or (fired_at, id) < (${after?.at ?? null}, ${after?.id ?? null}::uuid))
    order by fired_at desc, id desc
    limit ${limit}`)
}

export async function countFiring(db: Tx): Promise<{ rule: string; count: number }[]> {
  return db.query(sql<{ rule: string; count: number }>`
    select rule, count(*)::int as count from alerts where state = 'firing' group by rule`)
}
