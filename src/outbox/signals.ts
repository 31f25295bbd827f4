// What Meta's answers say of a number that somebody should hear of: throttled again and again, or an account in trouble.
import type { Signal } from '../alerts/signal.ts'
import type { Outcome } from '../meta/outcomes.ts'

/** Silence that long after a hold means that it is over: longer than the longest wait between two attempts. */
const quietMs = 10 * 60 * 1000

/** None where the answer holds nobody up. */
export function signalsOf(
  { tenantId, phoneNumberId }: { tenantId: string; phoneNumberId: string },
  outcome: Pick<Outcome, 'class' | 'errorCode'>,
  heldUntil: Date | null,
): Signal[] {
  const rule = ruleOf(outcome)
  if (rule === undefined || heldUntil === null) return []
  const activeUntil = new Date(heldUntil.getTime() + quietMs)
  const reason = outcome.errorCode ?? outcome.class.toUpperCase()
  return [{ tenantId, rule, subject: phoneNumberId, reason, activeUntil }]
}

function ruleOf(outcome: Pick<Outcome, 'class'>): Signal['rule'] | undefined {
  switch (outcome.class) {
    case 'rate_limited':
    case 'spam_limited':
      return 'rate_limited'
    case 'account':
      return 'account_restricted'
    default:
      return undefined
  }
}
