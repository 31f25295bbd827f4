// Whether what died had a reason to: nobody here takes a message back, and a dead letter needs Meta's refusal, at once or later,
// spent attempts, an answer that nobody heard, or somebody's word that they want no more (consent.ts).
import { unpackCallback } from '../../src/meta/callback-data.ts'
import { retryPolicies } from '../../src/outbox/retry-policy.ts'
import { suppressedCode } from './consent.ts'
import { failedAtMeta, type Timing } from './doubles.ts'
import type { Evidence } from './evidence.ts'
import { attemptIdOf } from './posts.ts'

/** For a run in which nobody cancels, and all sends have the usual policy. */
export function checkDeaths(
  { ledger, rows }: Pick<Evidence, 'ledger' | 'rows'>,
  { attempts }: Timing,
): string[] {
  const messageOf = new Map(attempts.map(({ id, messageId }) => [id, messageId]))
  const refused = new Set<string>()
  for (const request of ledger.requests) {
    const messageId = messageOf.get(attemptIdOf(request) ?? '')
    const isRefused = request.outcome === 'answered' && isFinal(request.status ?? 0)
    if (messageId && isRefused) refused.add(messageId)
  }
  const failed = failedAtMeta(ledger)
  for (const { wamid, biz_opaque_callback_data } of ledger.sends) {
    const messageId = messageOf.get(unpackCallback(biz_opaque_callback_data)?.attemptId ?? '')
    if (messageId && failed.has(wamid)) refused.add(messageId)
  }
  const spent = new Set<string>()
  const once = new Set<string>()
  const unheard = new Set<string>()
  for (const { messageId, failures, delivery, outcome } of attempts) {
    if (failures >= retryPolicies.standard.maxAttempts) spent.add(messageId)
    if (delivery === 'at_most_once') once.add(messageId)
    if (outcome === 'unknown') unheard.add(messageId)
  }
  const hasReason: Record<string, (id: string) => boolean> = {
    outbound: (id) => refused.has(id) || spent.has(id),
    unknown: (id) => unheard.has(id) && (once.has(id) || spent.has(id)),
  }
  return [
    ...rows.messages
      .filter(({ status }) => status === 'cancelled')
      .map(({ id }) => `I3: the message ${id} is cancelled, and nobody asked for it`),
    ...rows.letters
      // Whether they said so is another check's.
      .filter(({ errorCode }) => errorCode !== suppressedCode)
      .filter(({ kind, messageId }) => messageId !== null && !hasReason[kind]?.(messageId))
      .map(({ kind, messageId }) => `I3: the message ${messageId} died (${kind}) without a reason`),
  ]
}

/** No for ever: neither too fast, nor for want of a token, nor a failure of Meta's own. */
const isFinal = (status: number) => status >= 400 && status < 500 && ![401, 429].includes(status)
