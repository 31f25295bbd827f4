// How it went over time. One process at a time writes down the minute it is in, and the one before, from what all processes
// counted; whoever writes a minute again writes the same. Quarters of an hour are made of minutes, and kept longer.
import type { PeriodicJob } from '../again-and-again.ts'
import type { historyRanges } from '../api/contract-health.ts'
import type { Db, Tx } from '../db/connect.ts'
import { percentileMs, type RecentKind } from '../recent.ts'
import type { Clock } from '../time-and-chance.ts'
import { countsByTenant, countsOf, readBacklogs } from './health.ts'
import {
  countMinutes,
  endOfQuarters,
  type Gauges,
  type HistoryRow,
  type Latencies,
  lastMinute,
  type MinuteCount,
  type MinuteRow,
  type Period,
  rollUp,
  selectLooked,
  selectOfTenant,
  selectWhole,
  sumTenantSends,
  sumTenantSlots,
  tryLockHistory,
  upsertMinutes,
} from './history-queries.ts'
import { minuteOf } from './latency.ts'

const minuteMs = 60_000
const writeEveryMs = 15_000
/** What was counted while nobody wrote is still there for so long. */
const lookBackMs = 10 * minuteMs

export interface HistoryOptions {
  db: Db
  clock: Clock
}

export function historyJob(options: HistoryOptions): PeriodicJob {
  return {
    name: 'history',
    everyMs: writeEveryMs,
    failed: 'history_not_written',
    run: () => writeHistory(options),
  }
}

export async function writeHistory({ db, clock }: HistoryOptions): Promise<void> {
  const now = clock.now()
  const minute = minuteOf(now)
  await db.transaction(async (tx) => {
    if (!(await tryLockHistory(tx))) return
    const before = (ms: number) => new Date(minute.getTime() - ms)
    const last = await lastMinute(tx)
    const sinceLast = Math.max(0, minute.getTime() - (last ?? minute).getTime())
    const from = before(Math.min(lookBackMs, sinceLast + minuteMs))
    await upsertMinutes(tx, rowsOf(await countMinutes(tx, from), await readGauges(tx, now), minute))
    await rollUp(tx, before(minuteMs))
  })
}

/** By tenant, and of the whole by null. Tenants for whom nothing waits are not in it. */
async function readGauges(tx: Tx, now: Date): Promise<Map<string | null, Gauges>> {
  const backlogs = await readBacklogs(tx, now)
  const { events, sends, letters } = backlogs
  const rows = [...events.rows, ...sends.rows, ...letters.rows]
  const tenantIds = [...new Set(rows.flatMap(({ tenantId }) => tenantId ?? []))]
  const gaugesOf = (counts: ReturnType<typeof countsOf>): Gauges => ({
    waitingSends: counts.outbox_pending_count,
    waitingEvents: counts.webhook_events_pending_count,
    oldestSeconds: counts.oldest_pending_seconds ?? 0,
    deadLetters: counts.dlq_count,
  })
  return new Map([
    [null, gaugesOf(countsOf(events.rows, sends.rows, letters.rows))],
    ...countsByTenant(backlogs, tenantIds).map(
      ({ tenant_id, ...counts }) => [tenant_id, gaugesOf(counts)] as const,
    ),
  ])
}

const noGauges: Gauges = {
  waitingSends: null,
  waitingEvents: null,
  oldestSeconds: null,
  deadLetters: null,
}

/** What waits belongs to this minute; what happened, to its own. */
function rowsOf(
  counts: MinuteCount[],
  gauges: Map<string | null, Gauges>,
  minute: Date,
): MinuteRow[] {
  const rows = new Map<string, MinuteRow>()
  const rowOf = (tenantId: string | null, at: Date) => {
    const key = `${tenantId} ${at.getTime()}`
    const known = rows.get(key)
    if (known) return known
    const fresh: MinuteRow = { tenantId, at, accepted: 0, refused: 0, latencies: {}, ...noGauges }
    rows.set(key, fresh)
    return fresh
  }
  for (const [tenantId, now] of gauges) Object.assign(rowOf(tenantId, minute), now)
  for (const { tenantId, minute: at, kind, bucket, count } of counts) {
    const row = rowOf(tenantId, at)
    if (kind === 'send_accepted') row.accepted += count
    else if (kind === 'send_refused') row.refused += count
    else if (isTimed(kind)) row.latencies[kind] = { ...row.latencies[kind], [bucket]: count }
  }
  return [...rows.values()]
}

const timedKinds = ['webhook_ack', 'inbound_processing', 'send'] as const
const isTimed = (kind: RecentKind) => timedKinds.some((timed) => timed === kind)

export type HistoryRange = (typeof historyRanges)[number]

/** Those of more than a few hours are made of quarters, which are kept for a week. */
const ranges: Record<HistoryRange, { steps: number; stepMinutes: number; isFine: boolean }> = {
  '1h': { steps: 60, stepMinutes: 1, isFine: true },
  '6h': { steps: 72, stepMinutes: 5, isFine: true },
  '24h': { steps: 96, stepMinutes: 15, isFine: false },
  '7d': { steps: 168, stepMinutes: 60, isFine: false },
}

/** How long minutes and quarters are kept: a little longer than the ranges that are made of them. */
export const historyKept = { minutesMs: 7 * 60 * minuteMs, quartersMs: 8 * 24 * 60 * minuteMs }

/** Ends with the last minute that is over. */
async function periodOf(db: Tx, range: HistoryRange, now: Date): Promise<Period> {
  const { steps, stepMinutes, isFine } = ranges[range]
  const stepMs = stepMinutes * minuteMs
  const to = minuteOf(now)
  const from = new Date(Math.ceil(to.getTime() / stepMs) * stepMs - steps * stepMs)
  return { from, to, minutesFrom: (isFine ? null : await endOfQuarters(db)) ?? from }
}

export async function readHistory(db: Db, range: HistoryRange, now: Date) {
  const period = await periodOf(db, range, now)
  const rows = await selectWhole(db, period)
  return {
    ...describeSeries(range, period, rows, rows),
    tenants: await readTenants(db, minuteOf(now)),
  }
}

export async function readTenantHistory(db: Db, tenantId: string, range: HistoryRange, now: Date) {
  const period = await periodOf(db, range, now)
  const looked = await selectLooked(db, period)
  const rows = await db.tenantTransaction(tenantId, (tx) => selectOfTenant(tx, tenantId, period))
  return describeSeries(range, period, rows, looked)
}

/** `looked`: when somebody did. Where the tenant has no row then, nothing happened and nothing waited. */
function describeSeries(
  range: HistoryRange,
  { from }: Period,
  rows: HistoryRow[],
  looked: { at: Date; minutes: number }[],
) {
  const { steps, stepMinutes } = ranges[range]
  const stepMs = stepMinutes * minuteMs
  const stepOf = ({ at }: { at: Date }) => Math.floor((at.getTime() - from.getTime()) / stepMs)
  const rowsIn = groupBy(rows, stepOf)
  const lookedIn = groupBy(looked, stepOf)
  const points = Array.from({ length: steps }, (_, step) => {
    const minutes = sum((lookedIn.get(step) ?? []).map((one) => one.minutes))
    return {
      at: new Date(from.getTime() + step * stepMs).toISOString(),
      minutes,
      ...describeStep((minutes > 0 && rowsIn.get(step)) || [], minutes > 0),
    }
  })
  return { range, step_seconds: stepMinutes * 60, points }
}

function describeStep(rows: HistoryRow[], isKnown: boolean) {
  const accepted = sum(rows.map((row) => row.accepted))
  const p95 = (kind: RecentKind) => percentileMs(merged(rows, kind), 0.95)
  // A tenant's quiet time, if there is no row at all; a row without them was written by nobody who looked.
  const most = (name: keyof Gauges) =>
    rows.length === 0 && isKnown ? 0 : highest(rows.flatMap((row) => row[name] ?? []))
  return {
    webhook_ack_p95_ms: p95('webhook_ack'),
    inbound_processing_p95_ms: p95('inbound_processing'),
    send_p95_ms: p95('send'),
    outbox_pending_count: most('waitingSends'),
    webhook_events_pending_count: most('waitingEvents'),
    oldest_pending_seconds: most('oldestSeconds'),
    dlq_count: most('deadLetters'),
    sends_accepted: isKnown ? accepted : null,
    sends_decided: isKnown ? accepted + sum(rows.map((row) => row.refused)) : null,
  }
}

function merged(rows: { latencies: Latencies }[], kind: RecentKind) {
  return rows.flatMap(({ latencies }) =>
    Object.entries(latencies[kind] ?? {}).map(([bucket, count]) => ({
      bucket: Number(bucket),
      count,
    })),
  )
}

function groupBy<Item, Key>(items: Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const known = groups.get(keyOf(item))
    if (known) known.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

const sum = (values: number[]) => values.reduce((one, other) => one + other, 0)
const highest = (values: number[]) => (values.length === 0 ? null : Math.max(...values))

const tenantSlots = 12
const tenantSlotSeconds = 300

/** Each tenant's last hour. */
async function readTenants(db: Db, to: Date) {
  const from = new Date(to.getTime() - tenantSlots * tenantSlotSeconds * 1000)
  const slots = groupBy(
    await sumTenantSlots(db, from, to, tenantSlotSeconds),
    (row) => row.tenantId,
  )
  const sends = groupBy(await sumTenantSends(db, from, to), (row) => row.tenantId)
  return [...slots].map(([tenantId, rows]) => {
    const accepted = sum(rows.map((row) => row.accepted))
    return {
      tenant_id: tenantId,
      sends_accepted: accepted,
      sends_decided: accepted + sum(rows.map((row) => row.refused)),
      send_p95_ms: percentileMs(sends.get(tenantId) ?? [], 0.95),
      sends: Array.from(
        { length: tenantSlots },
        (_, slot) => rows.find((row) => row.slot === slot)?.accepted ?? 0,
      ),
    }
  })
}
