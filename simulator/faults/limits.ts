// Meta's real limits, counted: messages between one number and one person, and messages of a number
// in any second, both directions together.
import type { Clock } from '../time-and-chance.ts'

/** Takes back what was counted, when the call was not accepted after all. */
export type Refund = () => void

export interface Limits {
  /** Counts a message, or returns undefined when it is one too many. */
  takePair(key: string, everyMs: number, burst: number): Refund | undefined
  takeThroughput(phoneNumberId: string, perSecond: number): Refund | undefined
  /** What a customer writes counts too. */
  countInbound(phoneNumberId: string): void
}

const secondMs = 1000
const maxRemembered = 10_000

export function createLimits(clock: Clock): Limits {
  /** When each pair will have paid for what it borrowed from the future. */
  const paidAt = new Map<string, number>()
  const recent = new Map<string, number[]>()

  function recentOf(phoneNumberId: string): number[] {
    const since = clock.now().getTime() - secondMs
    const kept = (recent.get(phoneNumberId) ?? []).filter((at) => at > since)
    recent.set(phoneNumberId, kept)
    return kept
  }

  function forgetPaid(now: number): void {
    if (paidAt.size < maxRemembered) return
    for (const [key, at] of paidAt) if (at <= now) paidAt.delete(key)
  }

  return {
    takePair(key, everyMs, burst) {
      const now = clock.now().getTime()
      const paid = Math.max(now, paidAt.get(key) ?? 0)
      if (paid - now > (burst - 1) * everyMs) return undefined
      forgetPaid(now)
      paidAt.set(key, paid + everyMs)
      return () => void paidAt.set(key, (paidAt.get(key) ?? everyMs) - everyMs)
    },
    takeThroughput(phoneNumberId, perSecond) {
      const counted = recentOf(phoneNumberId)
      if (counted.length >= perSecond) return undefined
      const at = clock.now().getTime()
      counted.push(at)
      return () => {
        const list = recent.get(phoneNumberId) ?? []
        const index = list.indexOf(at)
        if (index >= 0) list.splice(index, 1)
      }
    },
    countInbound: (phoneNumberId) => void recentOf(phoneNumberId).push(clock.now().getTime()),
  }
}
