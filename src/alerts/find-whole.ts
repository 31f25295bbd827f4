// Trouble of the installation as a whole: webhooks, processing, backlogs, and the way alerts themselves take.
import { publicId } from '../ids.ts'
import { type Backlog, readBacklog } from '../ops/backlog.ts'
import {
  countUnprocessed,
  selectFailingChannels,
  selectSuspended,
  sumRecent,
} from './condition-queries.ts'
import { amount } from './find-sends.ts'
import type { Finding, Look } from './model.ts'

type BacklogRow = Backlog['rows'][number]

const minuteMs = 60_000
const windowMs = 5 * minuteMs

/** Of our own making: a few are too many. */
const manyFailures = 5
/** Not signed by Meta: strangers knock now and then, so it takes many of them, and a share of all. */
const manyRejections = 20
const rejectedShare = 0.1

export async function findWebhookFailures({ db, now }: Look): Promise<Finding[]> {
  const from = new Date(now.getTime() - windowMs)
  const kinds = ['webhook_ack', 'webhook_rejected', 'webhook_failed']
  const sums = await sumRecent(db, kinds, from, now)
  const sumOf = (kind: string) => sums.find((one) => one.kind === kind)?.count ?? 0
  const [rejected, failed] = [sumOf('webhook_rejected'), sumOf('webhook_failed')]
  const all = sumOf('webhook_ack') + rejected
  const exceeds = (share: number) =>
    failed >= manyFailures * share ||
    (rejected >= manyRejections * share && rejected >= rejectedShare * share * all)
  if (!exceeds(0.5)) return []
  const bad = sums.filter(({ kind }) => kind !== 'webhook_ack')
  return [
    {
      tenantId: null,
      subject: '',
      since: new Date(Math.min(...bad.map(({ firstAt }) => firstAt.getTime()))),
      count: rejected + failed,
      summary: `In the last 5 minutes ${amount(failed, 'webhook')} could not be stored and ${amount(rejected, 'request')} of ${all} were rejected (signature, form or size).`,
      isLingering: !exceeds(1),
    },
  ]
}

/** Attempts at processing that failed; most succeed later. */
const manyFailedAttempts = 10
const unprocessedMs = 60 * minuteMs

export async function findProcessingFailures({ db, now }: Look): Promise<Finding[]> {
  const letters = await countUnprocessed(db, new Date(now.getTime() - unprocessedMs))
  const [failed] = await sumRecent(db, ['inbound_failed'], new Date(now.getTime() - windowMs), now)
  const attempts = failed?.count ?? 0
  if (letters.count === 0 && attempts < manyFailedAttempts / 2) return []
  const firsts = [
    ...(letters.count > 0 ? [letters.oldestAt] : []),
    ...(failed ? [failed.firstAt] : []),
  ]
  return [
    {
      tenantId: null,
      subject: '',
      since: new Date(Math.min(...firsts.map((at) => at.getTime()))),
      count: letters.count + attempts,
      summary: `${amount(letters.count, 'item')} of webhooks could not be processed within the last hour, and ${amount(attempts, 'attempt')} failed within the last 5 minutes.`,
      isLingering: letters.count === 0 && attempts < manyFailedAttempts,
    },
  ]
}

/** Of webhooks: tried again later, while the others go through; processing_failures tells of them. */
const isRetried = ({ state }: BacklogRow) => state === 'retry_wait'
/** Nothing but a worker is missing to these. */
const isReady = ({ state }: BacklogRow) => state === 'runnable'
/** These wait for something: Meta, time, another message, or a person. */
const waiting = new Set(['throttled', 'retry_wait', 'circuit_open', 'parked', 'behind'])
const lingeringShare = 0.8

export async function findOldBacklog({ db, now, limits }: Look): Promise<Finding[]> {
  const events = await readBacklog(db, 'events', now)
  const sends = await readBacklog(db, 'sends', now)
  const suspended = await selectSuspended(db)
  const isOff = ({ tenantId }: BacklogRow) => tenantId !== null && suspended.has(tenantId)
  const ready = sends.rows.filter((row) => isReady(row) && !isOff(row))
  const held = sends.rows.filter((row) => waiting.has(row.state) && !isOff(row))
  const tenants = new Set(held.flatMap(({ tenantId }) => tenantId ?? []))
  return [
    ...oldest(
      events.rows.filter((row) => !isRetried(row)),
      null,
      'webhooks',
      limits.backlogSeconds,
      now,
      'received and not processed',
    ),
    ...oldest(ready, null, 'sends', limits.backlogSeconds, now, 'due and not sent'),
    ...[...tenants].flatMap((tenantId) => {
      const own = held.filter((row) => row.tenantId === tenantId)
      const states = [...new Set(own.map(({ state }) => state))].sort().join(', ')
      const what = `held up (${states})`
      return oldest(own, tenantId, 'held', limits.backlogWaitingSeconds, now, what)
    }),
  ]
}

function oldest(
  rows: BacklogRow[],
  tenantId: string | null,
  subject: 'webhooks' | 'sends' | 'held',
  limitSeconds: number,
  now: Date,
  what: string,
): Finding[] {
  const seconds = Math.max(0, ...rows.map((row) => row.oldestSeconds))
  if (seconds <= limitSeconds * lingeringShare) return []
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  const thing = subject === 'webhooks' ? 'webhook' : 'message'
  return [
    {
      tenantId,
      subject,
      since: new Date(now.getTime() - seconds * 1000),
      count,
      summary: `The oldest of ${count} ${thing}s has been ${what} for ${Math.round(seconds)} s; the limit is ${limitSeconds} s.`,
      isLingering: seconds <= limitSeconds,
    },
  ]
}

/** A hiccup of a channel is not worth a message to another. */
const failingMs = 5 * minuteMs

export async function findFailingChannels({ db, now }: Look): Promise<Finding[]> {
  const channels = await selectFailingChannels(db, new Date(now.getTime() - failingMs))
  return channels.map(({ id, tenantName, kind, failures, failingSince, lastError }) => ({
    tenantId: null,
    subject: publicId('ach', id),
    since: failingSince,
    count: failures,
    summary: `Alerts do not get through to ${tenantName === null ? 'your' : `${tenantName}’s`} ${kind} channel ${publicId('ach', id)}: ${amount(failures, 'attempt')} failed${lastError === null ? '' : `, the last with ${lastError}`}.`,
  }))
}
