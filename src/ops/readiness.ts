// Whether this process can take traffic: the database and the dedupe store answer, and what we acknowledge would be kept.
// Looked at again every minute, because somebody may turn fsync off on a Sunday.
import type { Db } from '../db/connect.ts'
import { findUnsafeSettings, findVersionProblem } from '../db/durability.ts'
import type { Dedupe } from '../dedupe/dedupe.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Clock, sleep } from '../time-and-chance.ts'

export interface Readiness {
  /** Asks now. Empty: ready. */
  problems(): Promise<string[]>
  stop(): Promise<void>
}

interface ReadinessOptions {
  db: Db
  dedupe: Dedupe
  clock: Clock
  log: Log
  metrics: Metrics
  allowUnsafe: boolean
}

/** Balancers do not wait long for an answer, and a connection that is half open gives none. */
const patienceMs = 3_000
const noAnswer = 'the database does not answer'

export function watchReadiness({
  db,
  dedupe,
  clock,
  log,
  metrics,
  allowUnsafe,
}: ReadinessOptions): Readiness {
  const stopping = new AbortController()
  let looking: Promise<string[]> | undefined

  /** Anybody may ask, so those who ask at the same time share one look: they must not use up the connections. */
  function problems(): Promise<string[]> {
    looking ??= lookAtBoth().finally(() => {
      looking = undefined
    })
    return looking
  }
  async function lookAtBoth(): Promise<string[]> {
    const [ofDatabase, ofDedupe] = await Promise.all([
      Promise.race([look(), lateAnswer()]),
      dedupe.problems(),
    ])
    metrics.databaseReady.set(ofDatabase.length === 0 ? 1 : 0)
    return [...ofDatabase, ...ofDedupe]
  }
  async function lateAnswer(): Promise<string[]> {
    await sleep(clock, patienceMs)
    return [noAnswer]
  }
  async function look(): Promise<string[]> {
    try {
      const unsafe = await findUnsafeSettings(db)
      const version = await findVersionProblem(db)
      if (allowUnsafe) {
        for (const { problem } of unsafe) log.warn('database_unsafe', { error_message: problem })
      }
      return [...version, ...(allowUnsafe ? [] : unsafe)].map(
        ({ problem, fix }) => `${problem}; ${fix}`,
      )
    } catch (error) {
      log.warn('database_unavailable', errorFields(error))
      return [noAnswer]
    }
  }
  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const found = await problems()
      for (const problem of found) log.error('not_ready', { error_message: problem })
      await sleep(clock, 60_000, stopping.signal)
    }
  }
  const watching = watch()
  return {
    problems,
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}
