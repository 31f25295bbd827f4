// What a decision on many would do, or left undone, by outcome.

import { failsAgain } from './fails-again.ts'
import type { BulkAnswer, Counts, Letter, Verb } from './letters.ts'

export interface Outcome {
  count: number
  what:
    | 'messages'
    | 'webhooks'
    | 'twice'
    | 'again'
    | 'discarded'
    | 'sent'
    | 'pruned'
    | 'notFailed'
    | 'known'
    | 'decided'
    | 'missing'
  /** Of `again`: by what they died of. */
  reasons?: { reason: Letter['reason']; count: number }[]
  tone: 'ok' | 'warn' | 'bad' | ''
}

/** Nothing that is not there. `groups`: of what would be decided on, by what it died of. */
export function outcomesOf(verb: Verb, answer: BulkAnswer, groups: Counts['groups']): Outcome[] {
  const of = (...kinds: Letter['kind'][]) =>
    kinds.reduce((sum, kind) => sum + (answer.by_kind[kind] ?? 0), 0)
  const { skipped } = answer
  const will: Outcome[] =
    verb === 'requeue'
      ? [
          {
            count: of('outbound', 'unknown') - skipped.message_not_failed,
            what: 'messages',
            tone: 'ok',
          },
          {
            count: of('inbound', 'malformed', 'unroutable') - skipped.payload_pruned,
            what: 'webhooks',
            tone: 'ok',
          },
          ...againOf(groups),
          { count: answer.may_arrive_twice, what: 'twice', tone: 'warn' },
        ]
      : [
          {
            count: answer.remaining,
            what: verb === 'discard' ? 'discarded' : 'sent',
            tone: 'ok',
          },
        ]
  return [...will, ...leftOf(answer)].filter(({ count }) => count > 0)
}

function againOf(groups: Counts['groups']): Outcome[] {
  const sums = new Map<Letter['reason'], number>()
  for (const { reason, count } of groups) {
    if (failsAgain(reason)) sums.set(reason, (sums.get(reason) ?? 0) + count)
  }
  const reasons = [...sums].map(([reason, count]) => ({ reason, count }))
  const count = reasons.reduce((sum, one) => sum + one.count, 0)
  return [{ count, what: 'again', reasons, tone: 'warn' }]
}

/** What stays as it is. */
export function leftOf({ skipped }: Pick<BulkAnswer, 'skipped'>): Outcome[] {
  const left: Outcome[] = [
    { count: skipped.payload_pruned, what: 'pruned', tone: 'bad' },
    { count: skipped.message_not_failed, what: 'notFailed', tone: '' },
    { count: skipped.outcome_known, what: 'known', tone: 'bad' },
    { count: skipped.already_decided, what: 'decided', tone: '' },
    { count: skipped.not_found, what: 'missing', tone: '' },
  ]
  return left.filter(({ count }) => count > 0)
}
