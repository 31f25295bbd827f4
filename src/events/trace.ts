// The spans of telling: each call to an application's endpoint, and the messages that its answer asks for.
import { publicId, uuidOf } from '../ids.ts'
import type { Clock } from '../time-and-chance.ts'
import { spanIds } from '../tracing/span-ids.ts'
import { type Traces, timeOfMoment } from '../tracing/traces.ts'
import type { ClaimedDelivery } from './model.ts'
import type { SettledDelivery } from './settle.ts'

export function traceDelivery(
  { traces, clock }: { traces?: Traces | undefined; clock: Clock },
  settled: SettledDelivery,
): void {
  const { delivery, outcome, answer, decision, isOurs, endedMs, durationMs } = settled
  const { correlationId, tenantId, phoneNumberId } = delivery
  if (!traces || correlationId === null) return
  const id = spanIds.deliver(delivery.attemptId)
  traces.record({
    step: 'deliver',
    id,
    parent: causeOf(delivery, correlationId),
    correlationId,
    startMs: timeOfMoment(clock, endedMs - durationMs),
    endMs: timeOfMoment(clock, endedMs),
    fields: {
      tenant_id: tenantId,
      phone_number_id: phoneNumberId,
      eventId: publicId('evt', delivery.eventId),
      event_type: delivery.type,
      endpoint_id: publicId('ep', delivery.endpointId),
      attempts: delivery.attempts + 1,
      statusCode: outcome.statusCode,
      error_code: outcome.errorCode ?? answer?.problem ?? null,
      state: isOurs ? decision.state : 'lost',
    },
  })
  for (const messageId of settled.replies) {
    traces.record({
      step: 'queue',
      id: spanIds.message(messageId),
      parent: id,
      correlationId,
      startMs: timeOfMoment(clock, endedMs),
      endMs: clock.now().getTime(),
      fields: {
        tenant_id: tenantId,
        phone_number_id: phoneNumberId,
        message_id: publicId('msg', messageId),
        kind: 'responder',
      },
    })
  }
}

/** What the event tells of: a status that only Meta can have told of, a message, or else the webhook. */
function causeOf({ type, data }: ClaimedDelivery, correlationId: string): string {
  const messageId = uuidOf('msg', textOf(data?.message_id))
  if (messageId === undefined) return spanIds.receive(correlationId)
  const status = textOf(data?.status)
  const isFromMeta = type === 'message.status' && ['delivered', 'read', 'played'].includes(status)
  return isFromMeta ? spanIds.status(messageId, status) : spanIds.message(messageId)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
