// What has outlived its use is removed, a little at a time, by one process at a time. Dead letters never are.
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db, Tx } from '../db/connect.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import { historyKept } from './history.ts'
import { deleteHistory } from './history-queries.ts'
import { deleteLatencies, deleteTenantLatencies } from './latency-queries.ts'
import {
  beforeAllEvents,
  clearEventKeys,
  deleteDedupeKeys,
  deleteEventAttempts,
  deleteEvents,
  deleteIdempotencyKeys,
  deletePaidPairs,
  deleteSends,
  deleteSessions,
  deleteSignInTraces,
  deleteTraces,
  expireDeliveries,
  prunePayloads,
  tryLockRetention,
  unlockRetention,
} from './retention-queries.ts'

export interface RetentionOptions {
  db: Db
  clock: Clock
  log: Log
  config: {
    dedupeTtlDays: number
    traceTtlDays: number
    payloadRetentionDays: number
    eventRetentionDays: number
  }
  /** Rows a statement, at most. */
  batchRows?: number
  /** Statements of one kind a run, at most; the rest is the next run's. */
  maxBatches?: number
}

export interface Removed {
  dedupe_keys: number
  event_keys: number
  traces: number
  payloads: number
  idempotency_keys: number
  sends: number
  latencies: number
  tenant_latencies: number
  history: number
  paces: number
  expired_deliveries: number
  events: number
  event_attempts: number
  sessions: number
  sign_in_traces: number
}

export interface Retention {
  /** Undefined when another process is at it. `signal` ends a run after the batch it is at. */
  runOnce(signal?: AbortSignal): Promise<Removed | undefined>
}

const dayMs = 24 * 60 * 60 * 1000
/** The contract's 48 hours. */
const idempotencyDays = 2
/** Longer than the longest session. */
const sessionDays = 31
/** Health looks back an hour. */
const latencyDays = 1 / 8
/** The history is made of them within minutes. */
const tenantLatencyDays = 1 / 96

export function createRetention(options: RetentionOptions): Retention {
  const { db, clock, log, config, batchRows = 1000, maxBatches = 500 } = options
  let eventsSeen = beforeAllEvents

  /** Until a batch is not full any more. */
  async function inBatchesUntil(
    signal: AbortSignal | undefined,
    batch: () => Promise<{ seen: number; removed: number }>,
  ) {
    let total = 0
    for (let count = 0; count < maxBatches && !signal?.aborted; count++) {
      const { seen, removed } = await batch()
      // crash point: retention.between-batches
      total += removed
      if (seen < batchRows) break
    }
    return total
  }

  async function removeAll(session: Tx, signal: AbortSignal | undefined): Promise<Removed> {
    const now = clock.now()
    const inBatches = (batch: () => Promise<{ seen: number; removed: number }>) =>
      inBatchesUntil(signal, batch)
    const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
    const whole = (remove: () => Promise<number>) =>
      inBatches(async () => {
        const removed = await remove()
        return { seen: removed, removed }
      })
    const keysBefore = daysAgo(config.dedupeTtlDays)
    const tracesBefore = daysAgo(config.traceTtlDays)
    const payloadsBefore = daysAgo(config.payloadRetentionDays)
    const eventsBefore = daysAgo(config.eventRetentionDays)
    const historyBefore = {
      minutes: new Date(now.getTime() - historyKept.minutesMs),
      quarters: new Date(now.getTime() - historyKept.quartersMs),
    }
    return {
      dedupe_keys: await whole(() => deleteDedupeKeys(session, keysBefore, batchRows)),
      event_keys: await inBatches(async () => {
        const batch = await clearEventKeys(session, eventsSeen, keysBefore, batchRows)
        eventsSeen = batch.last ?? eventsSeen
        return { seen: batch.seen, removed: batch.cleared }
      }),
      traces: await whole(() => deleteTraces(session, tracesBefore, batchRows)),
      payloads: await whole(() => prunePayloads(session, payloadsBefore, now, batchRows)),
      idempotency_keys: await whole(() =>
        deleteIdempotencyKeys(session, daysAgo(idempotencyDays), batchRows),
      ),
      sends: await whole(() => deleteSends(session, payloadsBefore, batchRows)),
      latencies: await whole(() => deleteLatencies(session, daysAgo(latencyDays), batchRows)),
      tenant_latencies: await whole(() =>
        deleteTenantLatencies(session, daysAgo(tenantLatencyDays), batchRows),
      ),
      history: await whole(() => deleteHistory(session, historyBefore, batchRows)),
      paces: await whole(() => deletePaidPairs(session, daysAgo(1), batchRows)),
      expired_deliveries: await whole(() => expireDeliveries(session, eventsBefore, batchRows)),
      events: await whole(() => deleteEvents(session, eventsBefore, batchRows)),
      event_attempts: await whole(() => deleteEventAttempts(session, eventsBefore, batchRows)),
      sessions: await whole(() => deleteSessions(session, daysAgo(sessionDays), batchRows)),
      sign_in_traces: await whole(() => deleteSignInTraces(session, daysAgo(1), batchRows)),
    }
  }

  return {
    runOnce: (signal) =>
      db.session(async (session) => {
        if (!(await tryLockRetention(session))) return undefined
        const startedMs = clock.monotonicMs()
        try {
          const removed = await removeAll(session, signal)
          report(log, removed, clock.monotonicMs() - startedMs)
          return removed
        } finally {
          await unlockRetention(session)
        }
      }),
  }
}

function report(log: Log, removed: Removed, durationMs: number): void {
  const counts = Object.entries(removed)
  for (const [kind, count] of counts) {
    if (count > 0) log.info('retention_removed', { kind, count })
  }
  log.debug('retention_finished', {
    count: counts.reduce((sum, [, count]) => sum + count, 0),
    duration_ms: Math.round(durationMs),
  })
}

export function retentionJob(options: RetentionOptions): PeriodicJob {
  // One for all rounds: it remembers how far it has come.
  const retention = createRetention(options)
  return {
    name: 'retention',
    everyMs: 60_000,
    failed: 'retention_failed',
    run: async (signal) => {
      const removed = await retention.runOnce(signal)
      return Object.values(removed ?? {}).reduce((sum, count) => sum + count, 0)
    },
  }
}
