// The spans of steps 1 and 2: a webhook received, processed, and what became of its messages and statuses.
import { messagesOfStatuses, statusKey } from '../conversations/apply-status.ts'
import type { Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { unpackCallback } from '../meta/callback-data.ts'
import type { Clock } from '../time-and-chance.ts'
import { placeOf, type SpanFields, type UntimedSpan } from '../tracing/span.ts'
import { spanIds } from '../tracing/span-ids.ts'
import { type Traces, timeOfMoment } from '../tracing/traces.ts'
import { type EventOutcome, totalsOf } from './outcome.ts'
import type { ParsedEvent, PlannedMessage, PlannedStatus } from './plan.ts'
import type { Received } from './receive.ts'

interface Tracer {
  traces?: Traces | undefined
  clock: Clock
}

/** A delivery that was stored before has no story of its own. */
export function traceReceived(
  { traces, clock }: Tracer,
  { eventId, correlationId, phoneNumberId }: Received,
  startedMs: number,
  bytes: number,
): void {
  if (!traces || correlationId === undefined) return
  traces.record({
    step: 'receive',
    id: spanIds.receive(correlationId),
    parent: null,
    correlationId,
    startMs: timeOfMoment(clock, startedMs),
    endMs: clock.now().getTime(),
    fields: { eventId, phone_number_id: phoneNumberId, bytes, statusCode: 200 },
  })
}

/** No outcome means that the claim was lost. */
export function traceProcessed(
  tracer: Tracer,
  one: Pick<ParsedEvent, 'event' | 'startedMs'>,
  outcome: EventOutcome | undefined,
): void {
  const spans = outcome?.spans ?? []
  const fields = outcome ? { state: 'done', ...outcome.first, ...totalsOf(outcome) } : lost
  traceAttempt(tracer, one, fields, spans)
}

const lost: SpanFields = { state: 'lost' }

/** An attempt that came to nothing, or the last one that did. */
export function traceFailed(
  tracer: Tracer,
  one: Pick<ParsedEvent, 'event' | 'startedMs'>,
  state: 'retried' | 'failed',
  errorCode: string,
): void {
  traceAttempt(tracer, one, { state, error_code: errorCode }, [])
}

/** The events of a batch share its time: they were applied together. */
function traceAttempt(
  { traces, clock }: Tracer,
  { event, startedMs }: Pick<ParsedEvent, 'event' | 'startedMs'>,
  fields: SpanFields,
  spans: UntimedSpan[],
): void {
  if (!traces) return
  const times = { startMs: timeOfMoment(clock, startedMs), endMs: clock.now().getTime() }
  traces.record({
    ...times,
    step: 'process',
    id: spanIds.process(event.id, event.attempt),
    parent: spanIds.receive(event.correlationId),
    correlationId: event.correlationId,
    fields: { eventId: event.id, attempts: event.attempt, ...fields },
    links: spans
      .filter(({ step }) => step === 'status')
      .slice(0, maxLinks)
      .map(placeOf),
  })
  for (const span of spans) traces.record({ ...times, ...span })
}

/** A delivery may hold a thousand statuses. */
const maxLinks = 32

/** What was applied, in its transaction. Statuses are told in the traces of the messages that they are about. */
export async function traceItems(
  tx: Tx,
  messages: PlannedMessage[],
  statuses: PlannedStatus[],
): Promise<void> {
  for (const one of messages) one.outcome.spans.push(spanOfMessage(one))
  const about = await messagesOfStatuses(
    tx,
    statuses.map(({ row }) => row),
  )
  for (const one of statuses) {
    const message = about.get(statusKey(one.row))
    if (message) one.outcome.spans.push(spanOfStatus(one, message))
  }
}

function spanOfMessage({ event, row }: PlannedMessage): UntimedSpan {
  return {
    step: 'record',
    id: spanIds.message(row.id),
    parent: spanIds.process(event.id, event.attempt),
    correlationId: row.correlationId,
    fields: {
      tenant_id: row.tenantId,
      phone_number_id: row.phoneNumberId,
      message_id: publicId('msg', row.id),
      wamid: row.wamid,
      event_type: row.type,
    },
  }
}

/** A reply made by the gateway itself, under the message that it answers. */
export function spanOfReply({ row }: PlannedMessage, messageId: string): UntimedSpan {
  return {
    step: 'queue',
    id: spanIds.message(messageId),
    parent: spanIds.message(row.id),
    correlationId: row.correlationId,
    fields: {
      tenant_id: row.tenantId,
      phone_number_id: row.phoneNumberId,
      message_id: publicId('msg', messageId),
      kind: 'automatic',
    },
  }
}

/** In the trace of the message that it is about, under the attempt that Meta accepted, with a link to its own delivery. */
function spanOfStatus(
  { event, row }: PlannedStatus,
  of: { messageId: string; correlationId: string; isFirst: boolean },
): UntimedSpan {
  const { messageId, correlationId, isFirst } = of
  const attemptId = unpackCallback(row.details.biz_opaque_callback_data)?.attemptId
  return {
    step: 'status',
    id: spanIds.status(messageId, row.status, isFirst ? '' : row.participant),
    parent: attemptId === undefined ? spanIds.message(messageId) : spanIds.send(attemptId),
    correlationId,
    startMs: row.receivedAt.getTime(),
    fields: {
      tenant_id: row.tenantId,
      phone_number_id: row.phoneNumberId,
      message_id: publicId('msg', messageId),
      wamid: row.wamid,
      eventId: event.id,
      state: row.status,
    },
    links: [
      placeOf({
        correlationId: event.correlationId,
        id: spanIds.process(event.id, event.attempt),
      }),
    ],
  }
}
