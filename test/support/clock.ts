// A clock that stands still until the test moves it; timers are the real ones.
import { type Clock, systemClock } from '../../src/time-and-chance.ts'

export interface TestClock extends Clock {
  advance(ms: number): void
  /** Sets the wall clock forward or back, as an administrator does; the monotonic one does not notice. */
  jump(ms: number): void
}

export function createTestClock(start = '2026-03-01T12:00:00.000Z'): TestClock {
  let elapsedMs = 0
  let startMs = Date.parse(start)
  return {
    ...systemClock,
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
