// Latencies and success of the last minutes, of all processes: each adds its own to the database every other second.
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db, Tx } from '../db/connect.ts'
import type { Log } from '../log.ts'
import { percentileMs, type Recent, type RecentKind } from '../recent.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { sumSuccess } from './history-queries.ts'
import {
  addLatencies,
  addTenantLatencies,
  sumLatencies,
  sumTenantLatencies,
} from './latency-queries.ts'

const slotMs = 10_000
const shareEveryMs = 2_000
/** Of tenants there are many rows each time. */
const shareTenantsEveryMs = 10_000
const minuteMs = 60_000
const latencyWindowMs = 5 * minuteMs
const successWindowMs = 60 * minuteMs

export interface LatencySharingOptions {
  db: Db
  clock: Clock
  random: Random
  log: Log
  recent: Recent
}

export interface LatencySharing {
  /** Passes on what happened since the last time. */
  share(): Promise<void>
  /** The same, to the tenants whose numbers it happened to. */
  shareTenants(): Promise<void>
}

export function tenantLatencyJob({ shareTenants }: LatencySharing): PeriodicJob {
  return {
    name: 'tenant-latencies',
    everyMs: shareTenantsEveryMs,
    failed: 'latencies_not_shared',
    run: shareTenants,
  }
}

export function latencyJob({ share }: LatencySharing): PeriodicJob {
  return {
    name: 'latencies',
    everyMs: shareEveryMs,
    failed: 'latencies_not_shared',
    run: share,
  }
}

export function createLatencySharing(options: LatencySharingOptions): LatencySharing {
  const { db, clock, recent } = options
  const processId = options.random.uuid()

  async function share(): Promise<void> {
    const counts = recent.take()
    if (counts.length === 0) return
    const slot = new Date(Math.floor(clock.now().getTime() / slotMs) * slotMs)
    try {
      await addLatencies(db, processId, slot, counts)
    } catch (error) {
      // Perhaps it was committed and only its answer got lost: then these count twice, which no percentile notices.
      recent.putBack(counts)
      throw error
    }
  }

  async function shareTenants(): Promise<void> {
    const counts = recent.takeByNumber()
    if (counts.length === 0) return
    try {
      await addTenantLatencies(db, processId, minuteOf(clock.now()), counts)
    } catch (error) {
      recent.putBackByNumber(counts)
      throw error
    }
  }

  return { share, shareTenants }
}

export function minuteOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / minuteMs) * minuteMs)
}

type Counts = { kind: RecentKind; bucket: number; count: number }[]

function describeLatencies(latencies: Counts, accepted: number, refused: number) {
  const p95 = (kind: RecentKind) =>
    percentileMs(
      latencies.filter((one) => one.kind === kind),
      0.95,
    )
  const decided = accepted + refused
  return {
    send_success_rate_last_1h: decided === 0 ? null : accepted / decided,
    sends_accepted_last_1h: accepted,
    sends_decided_last_1h: decided,
    webhook_ack_p95_ms: p95('webhook_ack'),
    inbound_processing_p95_ms: p95('inbound_processing'),
    send_p95_ms: p95('send'),
  }
}

/** Of one tenant; the last hour is the history's, and what came after it. */
export async function readTenantLatencies(db: Db, tenantId: string, now: Date) {
  return db.tenantTransaction(tenantId, async (tx) => {
    const since = (ms: number) => new Date(now.getTime() - ms)
    const recentFrom = minuteOf(since(latencyWindowMs))
    const latencies = await sumTenantLatencies(tx, tenantId, recentFrom)
    const from = since(successWindowMs)
    const { accepted, refused } = await sumSuccess(tx, tenantId, from, recentFrom)
    return describeLatencies(latencies, accepted, refused)
  })
}

export async function readLatencies(db: Tx, now: Date) {
  const since = (ms: number) => new Date(now.getTime() - ms)
  const latencies = await sumLatencies(
    db,
    ['webhook_ack', 'inbound_processing', 'send'],
    since(latencyWindowMs),
    now,
  )
  const sends = await sumLatencies(
    db,
    ['send_accepted', 'send_refused'],
    since(successWindowMs),
    now,
  )
  const sum = (kind: RecentKind) =>
    sends.reduce((total, one) => (one.kind === kind ? total + one.count : total), 0)
  return describeLatencies(latencies, sum('send_accepted'), sum('send_refused'))
}
