// What happens to an event that could not be processed this time.
import { DatabaseUnavailable } from '../db/connect.ts'
import { bury } from '../dead-letters/bury.ts'
import { publicId } from '../ids.ts'
import { errorFields } from '../log.ts'
import { sleep } from '../time-and-chance.ts'
import type { Inbox } from './inbox.ts'
import { countItem, emptyOutcome } from './outcome.ts'
import { type ClaimedEvent, failEvent, holdEvents, isSuspect, releaseEvents } from './queries.ts'
import { attemptsPerRequeue } from './reopen.ts'
import { logFieldsOf, reportLostClaim } from './report.ts'

export function attemptsAllowed(inbox: Inbox, event: ClaimedEvent): number {
  return Math.min(event.attemptsAllowed, inbox.maxAttempts ?? Number.POSITIVE_INFINITY)
}

export async function retryLater(inbox: Inbox, event: ClaimedEvent, error: unknown): Promise<void> {
  const { error_message = 'unknown error' } = errorFields(error)
  if (event.attempt >= attemptsAllowed(inbox, event)) return exhaust(inbox, event, error_message)
  // Counted from the last requeue: who asks for another try does not start with the longest wait.
  const failures = Math.max(1, event.attempt - (event.attemptsAllowed - attemptsPerRequeue))
  const delaySeconds = Math.min(300, 2 ** failures) + inbox.random.fraction()
  await releaseEvents(inbox.db, [event], {
    afterSeconds: delaySeconds,
    error: error_message,
    isTried: true,
    now: inbox.queueNow(),
  })
  inbox.metrics.recent.observe('inbound_failed', 0)
  inbox.metrics.eventsProcessed.inc({ outcome: 'retried' })
  inbox.metrics.retries.inc({ queue: 'inbox' })
  inbox.log.warn('inbound_processing_retried', {
    ...logFieldsOf(event),
    ...errorFields(error),
    attempts: event.attempt,
  })
}

/** Retries are used up: the event is failed and waits, whole, among the dead letters. */
export async function exhaust(inbox: Inbox, event: ClaimedEvent, message: string): Promise<void> {
  const now = inbox.clock.now()
  const letterId = inbox.random.uuid()
  const isOurs = await inbox.db.transaction(async (tx) => {
    const held = await holdEvents(tx, [event])
    if (!held.has(event.id)) return false
    await bury(tx, [
      {
        id: letterId,
        tenantId: null,
        kind: 'inbound',
        eventId: event.id,
        itemPath: '',
        phoneNumberId: null,
        wabaId: null,
        errorCode: 'RETRIES_EXHAUSTED',
        errorMessage: message,
        raw: event.raw,
        correlationId: event.correlationId,
        createdAt: now,
      },
    ])
    const outcome = emptyOutcome()
    countItem(outcome, null, 'dead')
    await failEvent(tx, event, outcome, message, now)
    // crash point: inbox.exhausted-before-commit
    return true
  })
  if (!isOurs) return reportLostClaim(inbox, event)
  inbox.metrics.eventsProcessed.inc({ outcome: 'failed' })
  inbox.metrics.inboundItems.inc({ outcome: 'dead' })
  inbox.metrics.retriesExhausted.inc({ queue: 'inbox' })
  inbox.metrics.deadLetters.inc({ kind: 'inbound' })
  inbox.log.error('dead_lettered', {
    ...logFieldsOf(event),
    kind: 'inbound',
    dead_letter_id: publicId('dlq', letterId),
    attempts: event.attempt,
    error_code: 'RETRIES_EXHAUSTED',
    error_message: message,
  })
}

/**
 * The connection was lost under our hands. Claims are returned as soon as the database is there, not after their lease.
 * Of those worked together, one may be what breaks connections; where the database was away, that was nobody's fault. But
 * what crashes the database looks just like that: so a suspect has always used up an attempt, and because everybody is one
 * after a few rounds, nothing is tried for ever. An absence longer than the lease is nobody's fault either, and whoever has
 * claimed them by then is not disturbed: the attempt is the fence.
 */
export async function giveBack(
  inbox: Inbox,
  events: ClaimedEvent[],
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const until = inbox.clock.monotonicMs() + patienceMs
  for (let wasThere = true; inbox.clock.monotonicMs() < until; wasThere = false) {
    try {
      return await releaseEvents(inbox.db, events, {
        afterSeconds: 0,
        error: 'the database was unavailable',
        isTried: wasThere || events.some(isSuspect),
        now: inbox.queueNow(),
      })
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      await sleep(inbox.clock, 250)
    }
  }
}
