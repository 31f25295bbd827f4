// A token bucket per caller, in this process: it protects the process from a client gone wild, it is not a quota.
import { AppError } from '../errors.ts'
import type { Clock } from '../time-and-chance.ts'

/** More callers than this at once start with a fresh bucket; the map cannot grow without bound. */
const maxCallers = 10_000

export function createRateLimit(
  perSecond: number,
  clock: Clock,
  onRefused?: () => void,
): (caller: string) => void {
  const burst = perSecond * 2
  const buckets = new Map<string, { tokens: number; atMs: number }>()
  return (caller) => {
    const nowMs = clock.monotonicMs()
    const known = buckets.get(caller)
    const tokens = known
      ? Math.min(burst, known.tokens + ((nowMs - known.atMs) / 1000) * perSecond)
      : burst
    if (tokens < 1) {
      onRefused?.()
      throw new AppError('RATE_LIMITED', 429, 'Too many requests with this key.', {
        headers: { 'retry-after': String(Math.max(1, Math.ceil((1 - tokens) / perSecond))) },
      })
    }
    if (!known && buckets.size >= maxCallers) buckets.clear()
    buckets.set(caller, { tokens: tokens - 1, atMs: nowMs })
  }
}
