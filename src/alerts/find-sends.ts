// Trouble with messages on their way to Meta: dead letters, throttling, circuits.
import { retryPolicies } from '../outbox/retry-policy.ts'
import {
  countExhausted,
  countLimit,
  countOpenLetters,
  selectOpenCircuits,
  selectSignals,
} from './condition-queries.ts'
import type { Finding, Look } from './model.ts'

const minuteMs = 60_000

/** A limit is left for good a little below where it was passed. */
const lingeringShare = 0.8

export async function findManyDeadLetters({ db, limits }: Look): Promise<Finding[]> {
  // Beyond what is counted no count can tell.
  const threshold = Math.min(limits.deadLetters, countLimit - 1)
  const letters = await countOpenLetters(db, Math.floor(threshold * lingeringShare))
  return letters.map(({ tenantId, count, oldestAt }) => ({
    tenantId,
    subject: '',
    since: oldestAt,
    count,
    summary: `${amount(count, 'open dead letter')}${tenantId === null ? ' that belong to no tenant' : ''}, and nobody has decided on them; the limit is ${threshold}.`,
    isLingering: count <= threshold,
  }))
}

/** What nobody decided on within this is old news. */
const exhaustedMs = 60 * minuteMs
const fewestAttempts = Math.min(
  ...Object.values(retryPolicies).map(({ maxAttempts }) => maxAttempts),
)

export async function findExhaustedRetries({ db, now }: Look): Promise<Finding[]> {
  const since = new Date(now.getTime() - exhaustedMs)
  const letters = await countExhausted(db, since, fewestAttempts)
  return letters.map(({ tenantId, count, oldestAt }) => ({
    tenantId,
    subject: '',
    since: oldestAt,
    count,
    summary: `${amount(count, 'message')} could not be sent after every retry, within the last hour.`,
  }))
}

/** Meta says it again and again, or for hours: waiting by itself did not help. */
const persistentCount = 3
const persistentMs = minuteMs
const longHoldMs = 60 * minuteMs

export async function findRateLimited({ db, now }: Look): Promise<Finding[]> {
  const signals = await selectSignals(db, 'rate_limited', now)
  return signals.map(({ tenantId, subject, count, firstAt, lastAt, activeUntil, reason }) => {
    const isRepeated =
      count >= persistentCount && lastAt.getTime() - firstAt.getTime() >= persistentMs
    const isLong = activeUntil.getTime() - lastAt.getTime() >= longHoldMs
    return {
      tenantId,
      subject,
      since: firstAt,
      count,
      summary: `Meta throttles the number ${subject}: ${amount(count, 'answer')} of the kind ${reason}.`,
      isLingering: !isRepeated && !isLong,
    }
  })
}

export async function findOpenCircuits({ db }: Look): Promise<Finding[]> {
  const circuits = await selectOpenCircuits(db)
  return circuits.map(({ tenantId, phoneNumberId, openedAt }) => ({
    tenantId,
    subject: phoneNumberId ?? '',
    since: openedAt,
    count: 1,
    summary:
      phoneNumberId === null
        ? 'Meta cannot be reached: nothing is sent for anybody but for a trial now and then.'
        : `Meta fails for the number ${phoneNumberId}: nothing is sent from it but for a trial now and then.`,
  }))
}

export function amount(count: number, thing: string): string {
  const many = count >= countLimit ? `${countLimit} or more` : String(count)
  return `${many} ${thing}${count === 1 ? '' : 's'}`
}
