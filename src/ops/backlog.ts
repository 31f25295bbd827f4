// How much waits, and for how long. A short backlog is counted for every question; a long one every half minute by one
// of the workers, so that a question costs the same with a million rows as with five thousand.
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db, Tx } from '../db/connect.ts'
import type { Clock } from '../time-and-chance.ts'
import { sampleAccounting } from './account-sample.ts'
import {
  type BacklogKind,
  type BacklogRow,
  backlogKinds,
  countBacklog,
  dropSample,
  type Glance,
  glanceAt,
  keepSample,
  readSample,
  type SampleKind,
  tryLockSampling,
  unlockSampling,
} from './backlog-queries.ts'

/** Counting as many takes a few milliseconds. */
const shortRows = 5_000
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
  const glance = await glanceAt(db, kind, limit + 1, now)
  if (glance.count === 0) return { rows: [], sampledAt: null }
  if (glance.count <= limit) {
    return { rows: await countBacklog(db, kind, now), sampledAt: null }
  }
  const sample = await readSample<BacklogRow>(db, kind)
  if (!sample) return { rows: [atLeast(glance)], sampledAt: null }
  const sinceSeconds = Math.max(0, (now.getTime() - sample.takenAt.getTime()) / 1000)
  const rows = sample.rows.map((row) => ({
    ...row,
    oldestSeconds: row.oldestSeconds + sinceSeconds,
  }))
  return { rows, sampledAt: sample.takenAt }
}

/** Nobody has counted it yet, perhaps because no worker is there: so many there are at least, and so old at least. */
function atLeast({ count, oldestSeconds }: Glance): BacklogRow {
  return { tenantId: null, state: 'not_counted_yet', count: count - 1, oldestSeconds }
}

export interface SamplingOptions {
  db: Db
  clock: Clock
  shortRows?: number
}

/** One round; nothing to do where backlogs are short, or another process is at it or just was. */
export async function sampleBacklogs(options: SamplingOptions): Promise<void> {
  const { db, clock } = options
  const limit = options.shortRows ?? shortRows
  await db.session(async (session) => {
    if (!(await tryLockSampling(session))) return
    const isDue = async (kind: SampleKind) => {
      const sample = await readSample(session, kind)
      const ageMs = clock.now().getTime() - (sample?.takenAt.getTime() ?? 0)
      return Math.abs(ageMs) > sampleEveryMs / 2
    }
    try {
      for (const kind of backlogKinds) {
        const now = clock.now()
        if ((await glanceAt(session, kind, limit + 1, now)).count <= limit) {
          // The next long one is another: this one's ages would go on growing until somebody counts.
          await dropSample(session, kind)
          continue
        }
        if (!(await isDue(kind))) continue
        await keepSample(session, kind, await countBacklog(session, kind, now), now)
      }
      if (await isDue('accounting')) {
        const now = clock.now()
        await keepSample(session, 'accounting', await sampleAccounting(session), now)
      }
    } finally {
      await unlockSampling(session)
    }
  })
}

export function samplingJob(options: SamplingOptions): PeriodicJob {
  return {
    name: 'backlog',
    everyMs: sampleEveryMs,
    failed: 'backlog_not_counted',
    run: () => sampleBacklogs(options),
  }
}
