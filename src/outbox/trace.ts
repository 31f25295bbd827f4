// The spans of sending: a message queued, each attempt at it, and the call to Meta within.
import { publicId } from '../ids.ts'
import type { Clock } from '../time-and-chance.ts'
import type { SpanFields } from '../tracing/span.ts'
import { placeIn, spanIds } from '../tracing/span-ids.ts'
import { type Traces, timeOfMoment } from '../tracing/traces.ts'
import { isTried, type Settled } from './settle.ts'

interface Tracer {
  traces?: Traces | undefined
  clock: Clock
}

/** An application's own trace is linked, not continued: docs/tracing.md says why. */
export function traceQueued(
  { traces, clock }: Tracer,
  queued: {
    tenantId: string
    phoneNumberId: string
    messageId: string
    correlationId: string
    traceparent: string | undefined
    startedMs: number
  },
): void {
  if (!traces) return
  const { messageId, correlationId, startedMs } = queued
  const caller = placeIn(queued.traceparent)
  traces.record({
    step: 'queue',
    id: spanIds.message(messageId),
    parent: null,
    correlationId,
    startMs: timeOfMoment(clock, startedMs),
    endMs: clock.now().getTime(),
    fields: {
      tenant_id: queued.tenantId,
      phone_number_id: queued.phoneNumberId,
      message_id: publicId('msg', messageId),
      kind: 'api',
    },
    ...(caller && { links: [caller] }),
  })
}

export function traceSettled({ traces, clock }: Tracer, settled: Settled): void {
  // A claim that only looked whether an earlier attempt had arrived is no attempt: its row is gone as well.
  if (!traces || !isTried(settled)) return
  const { send, outcome, decision, isOurs, isPosted, takenMs, endedMs, durationMs } = settled
  const { correlationId } = send
  const common: SpanFields = {
    tenant_id: send.tenantId,
    phone_number_id: send.phoneNumberId,
    message_id: publicId('msg', send.messageId),
    wamid: outcome.wamid,
    attempts: send.attempts + 1,
    kind: outcome.class,
    error_code: outcome.errorCode,
  }
  traces.record({
    step: 'send',
    id: spanIds.send(send.attemptId),
    parent: spanIds.message(send.messageId),
    correlationId,
    startMs: timeOfMoment(clock, takenMs),
    endMs: clock.now().getTime(),
    fields: { ...common, state: isOurs ? decision.state : 'lost' },
  })
  if (isPosted) {
    traces.record({
      step: 'post',
      id: spanIds.post(send.attemptId),
      parent: spanIds.send(send.attemptId),
      correlationId,
      startMs: timeOfMoment(clock, endedMs - durationMs),
      endMs: timeOfMoment(clock, endedMs),
      fields: {
        ...common,
        statusCode: outcome.statusCode,
        provider_code: outcome.provider?.code ?? null,
      },
    })
  }
  traceEarly({ traces, clock }, settled)
}

/** Statuses that could not be told in this trace when they came: nothing said that they were about this message. */
function traceEarly({ traces, clock }: Tracer, { send, early }: Settled): void {
  const told = new Set<string>()
  for (const { wamid, status, participant, receivedAt } of early) {
    const isFirst = !told.has(status)
    told.add(status)
    traces?.record({
      step: 'status',
      id: spanIds.status(send.messageId, status, isFirst ? '' : participant),
      parent: spanIds.send(send.attemptId),
      correlationId: send.correlationId,
      startMs: receivedAt.getTime(),
      endMs: clock.now().getTime(),
      fields: {
        tenant_id: send.tenantId,
        phone_number_id: send.phoneNumberId,
        message_id: publicId('msg', send.messageId),
        wamid,
        state: status,
      },
    })
  }
}
