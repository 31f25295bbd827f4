// A clock that stands still until the test moves it; timers are the real ones, unless the test lets them run out.
import { type Clock, systemClock } from '../../src/time-and-chance.ts'

export interface RunOut {
  /** Whatever was to happen in this many milliseconds happens now. */
  runOut(ms: number): void
}

export interface TestClock extends Clock, RunOut {
  advance(ms: number): void
  /** Sets the wall clock forward or back, as an administrator does; the monotonic one does not notice. */
  jump(ms: number): void
}

export function createTestClock(start = '2026-03-01T12:00:00.000Z'): TestClock {
  let elapsedMs = 0
  let startMs = Date.parse(start)
  return {
    ...withRunOut(systemClock),
    now: () => new Date(startMs + elapsedMs),
    monotonicMs: () => elapsedMs,
    advance: (ms) => {
      elapsedMs += ms
    },
    jump: (ms) => {
      startMs += ms
    },
  }
}

/** The same clock, but a wait on it can be ended without waiting. */
export function withRunOut<C extends Pick<Clock, 'after'>>(clock: C): C & RunOut {
  const timers = new Set<{ ms: number; ring(): void }>()
  return {
    ...clock,
    after(ms: number, task: () => void) {
      const cancel = clock.after(ms, ring)
      const timer = { ms, ring }
      timers.add(timer)
      function ring() {
        stop()
        task()
      }
      function stop() {
        cancel()
        timers.delete(timer)
      }
      return stop
    },
    runOut(ms) {
      for (const timer of [...timers]) if (timer.ms === ms) timer.ring()
    },
  }
}
