// One line per processed event, and the counters behind it.
import { isUuid, publicId } from '../ids.ts'
import type { LogFields } from '../log.ts'
import type { Inbox } from './inbox.ts'
import { type EventOutcome, nobody, totalsOf, type Warning } from './outcome.ts'
import type { ParsedEvent } from './plan.ts'
import type { ClaimedEvent } from './queries.ts'
import { traceProcessed } from './trace.ts'

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
  traceProcessed(inbox, one, outcome)
  if (!outcome) {
    reportLostClaim(inbox, one.event)
    return
  }
  const { applied, duplicates, ignored, dead } = totalsOf(outcome)
  if (outcome.replies > 0) {
    inbox.onReplied?.([...outcome.counts.keys()].filter((owner) => owner !== nobody))
  }
  if (outcome.proven.length > 0) inbox.onProven?.(outcome.proven.map(({ tenantId }) => tenantId))
  metrics.inboundItems.inc({ outcome: 'applied' }, applied)
  metrics.inboundItems.inc({ outcome: 'duplicate' }, duplicates)
  metrics.inboundItems.inc({ outcome: 'ignored' }, ignored)
  metrics.inboundItems.inc({ outcome: 'dead' }, dead)
  metrics.dedupeHits.inc({ layer: 'item' }, duplicates)
  metrics.eventsProcessed.inc({ outcome: 'done' })
  // Since it was received, by this process's clock: waiting counts.
  const sinceReceiptMs = Math.max(0, clock.now().getTime() - one.event.receivedAt.getTime())
  metrics.recent.observe('inbound_processing', sinceReceiptMs, outcome.first?.phone_number_id)
  metrics.inboundProcessingSeconds.observe(sinceReceiptMs / 1000)
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

export function reportLostClaim({ log, metrics }: Inbox, event: ClaimedEvent): void {
  metrics.eventsProcessed.inc({ outcome: 'lost' })
  log.warn('inbound_claim_lost', logFieldsOf(event))
}

function reportWarning(inbox: Inbox, event: ClaimedEvent, warning: Warning): void {
  if (warning.event === 'dead_lettered') {
    inbox.metrics.deadLetters.inc({ kind: warning.fields.kind ?? 'inbound' })
  }
  if (warning.event === 'duplicate_confirmed') inbox.metrics.duplicatesConfirmed.inc()
  if (warning.event === 'waba_mismatch') inbox.metrics.wabaMismatches.inc()
  const { dead_letter_id: letter, ...fields } = warning.fields
  inbox.log[warning.level ?? 'warn'](warning.event, {
    ...logFieldsOf(event),
    ...fields,
    // As the API names it, so that it can be looked up as it stands.
    dead_letter_id: letter && isUuid(letter) ? publicId('dlq', letter) : letter,
  })
}
