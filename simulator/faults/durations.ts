// Lengths of time as people write them: milliseconds as a number, or "250ms", "30s", "5m", "2h", "7d".
import { z } from 'zod'

const unitMs: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const form = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/

/** Timers hold no more than this; 24 days are above every wait Meta knows. */
const longestMs = 2 ** 31 - 1

export const durationSchema = z
  .union([z.number(), z.string()], 'must be milliseconds, or a text such as "30s"')
  .transform((value, context) => {
    const ms = typeof value === 'number' ? value : toMs(value)
    if (ms === undefined || !(ms >= 0 && ms <= longestMs)) {
      context.addIssue({
        code: 'custom',
        message: 'must be milliseconds, or a text such as "250ms", "30s", "5m", "2h", "7d"',
      })
      return z.NEVER
    }
    return Math.round(ms)
  })

function toMs(text: string): number | undefined {
  const [, amount, unit] = form.exec(text.trim()) ?? []
  return amount === undefined || unit === undefined
    ? undefined
    : Number(amount) * (unitMs[unit] ?? 0)
}
