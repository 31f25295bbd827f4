// How fast a queue may dispatch: a token bucket, slowed down while the target answers 429 or 503.
//
// Google says only that such answers make it use "a higher backoff rate" for the whole queue and that
// Retry-After is considered. This is that, plainly: every such answer halves the queue's rate (never
// below a sixty-fourth of it), every success gives a twentieth back, and a Retry-After stops
// the whole queue for that long.
import type { Clock } from '../time-and-chance.ts'
import { burstOf } from './settings.ts'

export interface Pace {
  /** True: one may leave now. */
  take(): boolean
  /** Until `take` can say yes again. */
  waitMs(): number
  refused(retryAfterMs: number): void
  succeeded(): void
  /** The part of the queue's rate that is left, from 1/64 to 1. */
  factor(): number
}

const slowest = 1 / 64
const recovery = 1 / 20

export function createPace(clock: Clock, maxPerSecond: () => number): Pace {
  let tokens = burstOf(maxPerSecond())
  let filledAt = clock.now().getTime()
  let heldUntil = 0
  let factor = 1

  const perSecond = () => maxPerSecond() * factor
  const burst = () => Math.max(1, burstOf(maxPerSecond()) * factor)

  function refill(): void {
    const now = clock.now().getTime()
    tokens = Math.min(burst(), tokens + ((now - filledAt) / 1000) * perSecond())
    filledAt = now
  }

  return {
    take() {
      refill()
      if (tokens < 1 || clock.now().getTime() < heldUntil) return false
      tokens -= 1
      return true
    },
    waitMs() {
      refill()
      const forToken = tokens >= 1 ? 0 : ((1 - tokens) / perSecond()) * 1000
      return Math.ceil(Math.max(forToken, heldUntil - clock.now().getTime(), 1))
    },
    refused(retryAfterMs) {
      refill()
      factor = Math.max(slowest, factor / 2)
      tokens = Math.min(tokens, burst())
      if (retryAfterMs > 0) heldUntil = Math.max(heldUntil, clock.now().getTime() + retryAfterMs)
    },
    succeeded() {
      refill()
      factor = Math.min(1, factor + recovery)
    },
    factor: () => factor,
  }
}
