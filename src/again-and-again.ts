// Work that a process does for as long as it runs: now, and again after a while. What goes wrong is told, and tried again.

import { errorFields, type Log } from './log.ts'
import type { LogEvent } from './log-events.ts'
import { type Clock, sleep } from './time-and-chance.ts'

export interface Loop {
  /** Resolves when the round under way, if any, is over. */
  stop(): Promise<void>
}

/** Something to be done now and again, whoever says when: a loop, or a sweep (tasks/sweep.ts). */
export interface PeriodicJob {
  name: string
  everyMs: number
  /** What the log calls a round that failed. */
  failed: LogEvent
  /** True when there is more to do at once; a number is told as what was done. `signal` says to come to an end. */
  run(signal: AbortSignal): Promise<unknown>
}

export interface LoopOptions extends Omit<PeriodicJob, 'name'> {
  clock: Clock
  log: Log
}

/** A round that failed comes again sooner than the next one would: a moment without a database must not cost a job that comes
 *  every ten minutes those minutes. */
const afterFailureMs = 30_000

export function againAndAgain({ clock, log, everyMs, failed, run }: LoopOptions): Loop {
  const stopping = new AbortController()
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      let pauseMs = everyMs
      const hasMore = await run(stopping.signal).catch((error) => {
        log.warn(failed, errorFields(error))
        pauseMs = Math.min(everyMs, afterFailureMs)
      })
      if (hasMore !== true) await sleep(clock, pauseMs, stopping.signal)
    }
  }
  const running = loop()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
