// Files whose time is over, and uploads that died halfway: the bytes first, then the row, so that a crash in between leaves a
// row that the next sweep finishes. Any number of processes may do it at once.
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db } from '../db/connect.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { forgetRemoved, markForRemoval, selectForRemoval } from './queries.ts'
import { keyOf, type MediaStore } from './store.ts'

export interface SweepOptions {
  db: Db
  store: MediaStore
  clock: Clock
  log: Log
  metrics: Metrics
  retentionDays: number
  signal?: AbortSignal
}

const dayMs = 24 * 60 * 60 * 1000
/** No request lasts longer than minutes. */
const abandonedMs = 60 * 60 * 1000
const batchSize = 100
/** The rest is the next sweep's. */
const maxBatches = 100

/** How many files were removed. */
export async function sweepMedia(options: SweepOptions): Promise<number> {
  const { db, store, clock, log, metrics, signal } = options
  const now = clock.now().getTime()
  const storedBefore = new Date(now - options.retentionDays * dayMs)
  const uploadsBefore = new Date(now - abandonedMs)
  let removed = 0
  for (let count = 0; count < maxBatches && !signal?.aborted; count++) {
    await markForRemoval(db, { storedBefore, uploadsBefore, limit: batchSize })
    const rows = await selectForRemoval(db, batchSize)
    if (rows.length === 0) break
    for (const { tenantId, id } of rows) {
      await store.delete(keyOf(tenantId, id))
      // crash point: media.removed-before-row
      await forgetRemoved(db, tenantId, id)
      metrics.mediaRemoved.inc()
      removed++
    }
  }
  await store.tidy?.(new Date(now - dayMs))
  if (removed > 0) log.info('retention_removed', { kind: 'media', count: removed })
  return removed
}

export function mediaSweepJob(options: SweepOptions): PeriodicJob {
  return {
    name: 'media-retention',
    everyMs: 60_000,
    failed: 'media_sweep_failed',
    run: (signal) => sweepMedia({ ...options, signal }),
  }
}
