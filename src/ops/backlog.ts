// How much waits, and for how long. A short backlog is counted for every question; a long one every half minute by one
// of the workers, so that a question costs the same with a million rows as with ten thousand.
import { againAndAgain, type Loop } from '../again-and-again.ts'
import type { Db, Tx } from '../db/connect.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import {
  type BacklogKind,
  type BacklogRow,
  countBacklog,
  isLonger,
  keepSample,
  readSample,
  tryLockSampling,
  unlockSampling,
} from './backlog-queries.ts'

/** Counting as many takes about 10 ms. */
const shortRows = 10_000
const sampleEveryMs = 30_000

export interface Backlog {
  rows: BacklogRow[]
  /** When it was counted, if that was not now. */
  sampledAt: Date | null
}

export async function readBacklog(
  db: Tx,
  kind: BacklogKind,
  now: Date,
  limit = shortRows,
): Promise<Backlog> {
  if (!(await isLonger(db, kind, limit))) {
    return { rows: await countBacklog(db, kind, now), sampledAt: null }
  }
  const sample = await readSample(db, kind)
  // Nobody has counted it yet: this many there are at least.
  if (!sample) return { rows: [atLeast(limit)], sampledAt: null }
  const sinceSeconds = Math.max(0, (now.getTime() - sample.takenAt.getTime()) / 1000)
  const rows = sample.rows.map((row) => ({
    ...row,
    oldestSeconds: row.oldestSeconds + sinceSeconds,
  }))
  return { rows, sampledAt: sample.takenAt }
}

function atLeast(count: number): BacklogRow {
  return { tenantId: null, state: 'not_counted_yet', count, oldestSeconds: 0 }
}

export interface SamplingOptions {
  db: Db
  clock: Clock
  log: Log
  shortRows?: number
}

/** One round; nothing to do where backlogs are short or another process is at it. */
export async function sampleBacklogs(options: SamplingOptions): Promise<void> {
  const { db, clock } = options
  await db.session(async (session) => {
    if (!(await tryLockSampling(session))) return
    try {
      for (const kind of ['events', 'sends'] as const) {
        if (!(await isLonger(session, kind, options.shortRows ?? shortRows))) continue
        const now = clock.now()
        await keepSample(session, kind, await countBacklog(session, kind, now), now)
      }
    } finally {
      await unlockSampling(session)
    }
  })
}

export function startSampling(options: SamplingOptions): Loop {
  return againAndAgain({
    ...options,
    everyMs: sampleEveryMs,
    failed: 'backlog_not_counted',
    run: () => sampleBacklogs(options),
  })
}
