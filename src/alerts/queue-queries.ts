// The statements of the queue of notifications. Locks: the channel, then its notifications.
import { type Db, sql, type Tx } from '../db/connect.ts'
import type { AlertMessage, NotificationEvent } from './model.ts'
import type { Sealed } from './open.ts'

export interface ClaimedNotification {
  id: string
  claim: number
  tenantId: string | null
  alertId: string
  event: NotificationEvent
  message: AlertMessage
  /** Failed ones before this. */
  attempts: number
  createdAt: Date
  channel: Sealed
}

/** One per channel that has nothing under way: the first that is due and has none of its own alert before it. */
export async function claimNotifications(
  db: Db,
  now: Date,
  leaseSeconds: number,
  limit: number,
): Promise<ClaimedNotification[]> {
  return db.transaction(async (tx) => {
    const channels = await tx.query(sql<{ id: string }>`
      select c.id
      from alert_channels c
      where c.hold_until <= ${now}
        and exists (
          select
          from alert_notifications n
          where n.channel_id = c.id and n.status = 'waiting' and n.next_run_at <= ${now}
            -- Or a few that wait behind others would take the place of all that can go.
            and not exists (
              select
              from alert_notifications earlier
              where earlier.channel_id = c.id and earlier.status = 'waiting' and earlier.alert_id = n.alert_id
                and earlier.position < n.position))
        and not exists (
          select
          from alert_notifications n
          where n.channel_id = c.id and n.status = 'waiting' and n.claimed_until > ${now})
      limit ${limit}
      for no key update of c skip locked`)
    if (channels.length === 0) return []
    // A look of its own: whoever had the lock before may have claimed something since the first one.
    return tx.query(sql<ClaimedNotification>`
      update alert_notifications n
      set claim = n.claim + 1, claimed_until = ${now}::timestamptz + make_interval(secs => ${leaseSeconds})
      from unnest(${channels.map(({ id }) => id)}::uuid[]) as u (id)
      join alert_channels c on c.id = u.id
      cross join lateral (
        select w.id
        from alert_notifications w
        where w.channel_id = c.id and w.status = 'waiting' and w.next_run_at <= ${now}
          and not exists (
            select
            from alert_notifications earlier
            where earlier.channel_id = c.id and earlier.status = 'waiting' and earlier.alert_id = w.alert_id
              and earlier.position < w.position)
        order by w.position
        limit 1
      ) as first
      where n.id = first.id and c.hold_until <= ${now}
        and not exists (
          select
          from alert_notifications b
          where b.channel_id = c.id and b.status = 'waiting' and b.claimed_until > ${now})
      returning n.id, n.claim, n.tenant_id as "tenantId", n.alert_id as "alertId", n.event, n.message, n.attempts,
        n.created_at as "createdAt",
        json_build_object('id', c.id, 'tenant_id', c.tenant_id, 'kind', c.kind, 'target', c.target, 'secret', c.secret)
          as channel`)
  })
}

export interface NotificationEnd {
  status: 'done' | 'failed' | 'waiting'
  error: string | null
  /** Null when it ended. */
  runAt: Date | null
  /** Of the channel; null when it says nothing of it. */
  isTaken: boolean | null
  holdUntil: Date | null
}

/** False when it was taken from us meanwhile, or is gone. */
export async function settleNotification(
  tx: Tx,
  { id, claim, channel }: ClaimedNotification,
  end: NotificationEnd,
  now: Date,
): Promise<boolean> {
  await tx.query(sql`
    update alert_channels c
    set failures = case when ${end.isTaken} then 0 else c.failures + 1 end,
      failing_since = case when ${end.isTaken} then null else coalesce(c.failing_since, ${now}) end,
      last_success_at = case when ${end.isTaken} then ${now} else c.last_success_at end,
      last_error = ${end.error},
      hold_until = coalesce(${end.holdUntil}, '-infinity'::timestamptz)
    where c.id = ${channel.id} and ${end.isTaken}::boolean is not null`)
  const rows = await tx.query(sql`
    update alert_notifications
    set status = ${end.status}, claimed_until = null, updated_at = ${now}, last_error = ${end.error},
      attempts = attempts + case when ${end.isTaken}::boolean is false then 1 else 0 end,
      next_run_at = coalesce(${end.runAt}, next_run_at)
    where id = ${id} and claim = ${claim} and status = 'waiting'
    returning id`)
  if (end.isTaken) {
    // It works: whatever waits for another try need not wait longer.
    await tx.query(sql`
      update alert_notifications
      set next_run_at = ${now}
      where channel_id = ${channel.id} and status = 'waiting' and next_run_at > ${now}`)
  }
  return rows.length > 0
}
