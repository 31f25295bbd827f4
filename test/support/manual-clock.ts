// A clock that stands still until the test moves it.
import type { Clock } from '../../src/time-and-chance.ts'

export interface ManualClock extends Clock {
  /** Lets time pass, and runs what comes due in its order. */
  advance(ms: number): void
  /** Ends the turn of the event loop, as far as `afterThisTurn` is concerned. */
  endTurn(): void
  /** How many timers are set. */
  timers(): number
}

export function createManualClock(start = new Date('2026-11-15T12:00:00Z')): ManualClock {
  let elapsedMs = 0
  let timers: { dueMs: number; task: () => void }[] = []
  const turn: (() => void)[] = []
  return {
    now: () => new Date(start.getTime() + elapsedMs),
    monotonicMs: () => elapsedMs,
    after(ms, task) {
      const timer = { dueMs: elapsedMs + ms, task }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    afterThisTurn: (task) => void turn.push(task),
    advance(ms) {
      const untilMs = elapsedMs + ms
      for (;;) {
        const next = timers
          .filter((timer) => timer.dueMs <= untilMs)
          .sort((a, b) => a.dueMs - b.dueMs)[0]
        if (!next) break
        timers = timers.filter((timer) => timer !== next)
        elapsedMs = Math.max(elapsedMs, next.dueMs)
        next.task()
      }
      elapsedMs = untilMs
    },
    endTurn() {
      for (const task of turn.splice(0)) task()
    },
    timers: () => timers.length,
  }
}

/** Lets everything that only waits for promises get on; nothing that waits for a clock or a socket does. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
