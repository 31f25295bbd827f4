// Work that a process does for as long as it runs: now, and again after a while. What goes wrong is told, and tried again.
import { errorFields, type Log } from './log.ts'
import { type Clock, sleep } from './time-and-chance.ts'

export interface Loop {
  /** Resolves when the round under way, if any, is over. */
  stop(): Promise<void>
}

export interface LoopOptions {
  clock: Clock
  log: Log
  everyMs: number
  /** What the log calls a round that failed. */
  failed: string
  /** True when there is more to do at once. `signal` says that the process is stopping. */
  run(signal: AbortSignal): Promise<unknown>
}

export function againAndAgain({ clock, log, everyMs, failed, run }: LoopOptions): Loop {
  const stopping = new AbortController()
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const hasMore = await run(stopping.signal).catch((error) =>
        log.warn(failed, errorFields(error)),
      )
      if (hasMore !== true) await sleep(clock, everyMs, stopping.signal)
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
