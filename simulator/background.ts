// Work that outlives the request that caused it: status ladders and webhook deliveries. Kept in one
// place so that a test can wait for all of it and a shutdown can call all of it off.
import type { Clock } from './time-and-chance.ts'

export interface Background {
  /** `task` must not reject: nobody is left to hear it. */
  run(task: Promise<void>): void
  /** Runs `task` after `ms`, unless called off; `settled` waits for it. */
  after(ms: number, task: () => Promise<void>): void
  /** The same for what is far away: `settled` waits for it only once it has begun. */
  later(ms: number, task: () => Promise<void>): void
  /** Resolves to false when the wait was called off; the caller then has to end. */
  wait(ms: number): Promise<boolean>
  /** Resolves once nothing runs any more, including what running work started meanwhile. */
  settled(): Promise<void>
  cancelWaits(): void
}

export function createBackground(clock: Clock): Background {
  const running = new Set<Promise<void>>()
  const waits = new Set<(due: boolean) => void>()
  let cancelled = false

  function run(task: Promise<void>): void {
    const tracked = task.finally(() => running.delete(tracked))
    running.add(tracked)
  }

  function wait(ms: number): Promise<boolean> {
    if (cancelled) return Promise.resolve(false)
    return new Promise((resolve) => {
      const stopTimer = clock.after(ms, () => end(true))
      function end(due: boolean) {
        stopTimer()
        waits.delete(end)
        resolve(due)
      }
      waits.add(end)
    })
  }

  return {
    run,
    wait,
    after(ms, task) {
      run(wait(ms).then((due) => (due ? task() : undefined)))
    },
    later(ms, task) {
      void wait(ms).then((due) => {
        if (due) run(task())
      })
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
    cancelWaits() {
      cancelled = true
      for (const end of [...waits]) end(false)
    },
  }
}
