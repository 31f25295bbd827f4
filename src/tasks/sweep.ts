// One round of everything periodic, for platforms without background CPU: what the loops of a worker do by themselves. Any
// number of rounds may run at once: each job takes its own locks.
import type { PeriodicJob } from '../again-and-again.ts'
import { AppError } from '../errors.ts'
import { errorFields, type Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'

export interface SweptJob {
  name: string
  count: number | null
  is_failed: boolean
}

export interface Swept {
  jobs: SweptJob[]
  is_complete: boolean
  duration_ms: number
}

export type Sweep = (only?: readonly string[]) => Promise<Swept>

export interface SweepOptions {
  jobs: readonly PeriodicJob[]
  clock: Clock
  log: Log
  /** No round takes longer; what is left is the next one's. */
  budgetMs?: number
}

export function createSweep({ jobs, clock, log, budgetMs = 30_000 }: SweepOptions): Sweep {
  async function run(job: PeriodicJob, signal: AbortSignal): Promise<SweptJob> {
    try {
      let done: unknown
      do done = await job.run(signal)
      while (done === true && !signal.aborted)
      return { name: job.name, count: typeof done === 'number' ? done : null, is_failed: false }
    } catch (error) {
      log.warn(job.failed, { name: job.name, ...errorFields(error) })
      return { name: job.name, count: null, is_failed: true }
    }
  }

  return async (only) => {
    const chosen = only ? jobs.filter(({ name }) => only.includes(name)) : jobs
    const startedMs = clock.monotonicMs()
    const over = new AbortController()
    const cancel = clock.after(budgetMs, () => over.abort())
    const timeUp = new Promise<undefined>((resolve) =>
      over.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    )
    try {
      // Together: one that waits for Meta holds up no other. One that does not heed the time is left behind.
      const results = await Promise.all(
        chosen.map((job) => Promise.race([run(job, over.signal), timeUp])),
      )
      const done = results.flatMap((result) => result ?? [])
      if (done.length > 0 && done.every(({ is_failed }) => is_failed)) {
        throw new AppError('UNAVAILABLE', 503, 'Nothing of it could be done. Try again.')
      }
      return {
        jobs: done,
        is_complete: !over.signal.aborted,
        duration_ms: Math.round(clock.monotonicMs() - startedMs),
      }
    } finally {
      cancel()
    }
  }
}
