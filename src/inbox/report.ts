// One line per processed event, and the counters behind it.
import type { LogFields } from '../log.ts'
import type { Inbox } from './inbox.ts'
import { type EventOutcome, totalsOf, type Warning } from './outcome.ts'
import type { ParsedEvent } from './plan.ts'
import type { ClaimedEvent } from './queries.ts'

export function logFieldsOf(event: ClaimedEvent): LogFields {
  return {
    eventId: event.id,
    direction: 'inbound',
    inbound_event_id: event.inboundEventId,
    correlation_id: event.correlationId,
  }
}

/** No outcome means that the claim was lost: another worker has the event. */
export function reportOutcome(
  inbox: Inbox,
  one: ParsedEvent,
  outcome: EventOutcome | undefined,
): void {
  const { log, metrics, clock } = inbox
  if (!outcome) {
    log.warn('inbound_claim_lost', logFieldsOf(one.event))
    return
  }
  const { applied, duplicates, ignored, dead } = totalsOf(outcome)
  if (outcome.replies > 0) inbox.onReplied?.()
  metrics.inboundItems.inc({ outcome: 'applied' }, applied)
  metrics.inboundItems.inc({ outcome: 'duplicate' }, duplicates)
  metrics.inboundItems.inc({ outcome: 'ignored' }, ignored)
  metrics.inboundItems.inc({ outcome: 'dead' }, dead)
  // Since it was received, by this process's clock: waiting counts.
  metrics.recent.observe(
    'inbound_processing',
    Math.max(0, clock.now().getTime() - one.event.receivedAt.getTime()),
  )
  for (const warning of outcome.warnings) reportWarning(inbox, one.event, warning)
  log.info('inbound_processing_finished', {
    ...logFieldsOf(one.event),
    ...outcome.first,
    attempts: one.event.attempt,
    duration_ms: Math.round(clock.monotonicMs() - one.startedMs),
    applied,
    duplicates,
    ignored,
    dead,
  })
}

function reportWarning(inbox: Inbox, event: ClaimedEvent, warning: Warning): void {
  if (warning.event === 'dead_lettered') {
    inbox.metrics.deadLetters.inc({ kind: warning.fields.kind ?? 'inbound' })
  }
  if (warning.event === 'duplicate_confirmed') inbox.metrics.duplicatesConfirmed.inc()
  if (warning.event === 'waba_mismatch') inbox.metrics.wabaMismatches.inc()
  inbox.log[warning.level ?? 'warn'](warning.event, { ...logFieldsOf(event), ...warning.fields })
}
