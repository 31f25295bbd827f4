// Which of Meta's refusals are a word about consent. 131026 is none: whoever cannot be reached has not said no.
import type { Scope, SuppressionReason } from './model.ts'

interface Refusal {
  scope: Scope
  reason: SuppressionReason
}

/** By the names of meta/outcome-table.ts. */
const refusals: Record<string, Refusal> = {
  RECIPIENT_STOPPED_MARKETING: { scope: 'marketing', reason: 'marketing_refused' },
  RECIPIENT_BLOCKED_BY_BUSINESS: { scope: 'everything', reason: 'blocked' },
}

export function refusalNamed(errorCode: string | null): Refusal | undefined {
  return errorCode === null ? undefined : refusals[errorCode]
}

/** Meta's times are whole seconds: ours is cut to the same, so that what comes later in that second counts as later. */
export function wholeSecond(now: Date): Date {
  return new Date(Math.floor(now.getTime() / 1000) * 1000)
}
