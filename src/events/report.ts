// One line per attempt, and the counters behind it.
import { publicId } from '../ids.ts'
import type { Log, LogFields } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { SettledDelivery } from './settle.ts'

export function reportDelivery(
  { log, metrics }: { log: Log; metrics: Metrics },
  settled: SettledDelivery,
): void {
  const { delivery, outcome, answer, decision, isOurs, durationMs } = settled
  const isTaken = outcome.errorCode === null
  const fields: LogFields = {
    tenant_id: delivery.tenantId,
    endpoint_id: publicId('ep', delivery.endpointId),
    eventId: publicId('evt', delivery.eventId),
    event_type: delivery.type,
    correlation_id: delivery.correlationId,
    attempts: delivery.attempts + 1,
    statusCode: outcome.statusCode,
    error_code: outcome.errorCode ?? answer?.problem ?? null,
    state: isOurs ? decision.state : 'lost',
    count: settled.replies.length > 0 ? settled.replies.length : null,
    duration_ms: Math.round(durationMs),
  }
  metrics.eventDeliveries.inc({ outcome: isTaken ? 'taken' : decision.state })
  metrics.eventDeliverySeconds.observe(durationMs / 1000)
  log[isTaken && !answer?.problem ? 'info' : 'warn']('event_delivery', fields)
  if (isOurs && decision.state === 'pending') metrics.retries.inc({ queue: 'events' })
  if (isOurs && decision.state === 'failed') {
    metrics.retriesExhausted.inc({ queue: 'events' })
    log.error('event_delivery_given_up', fields)
  }
  if (settled.disabled !== null) {
    metrics.eventEndpointsDisabled.inc({ reason: settled.disabled.toLowerCase() })
    log.error('event_endpoint_disabled', { ...fields, reason: settled.disabled })
  }
}
