// One step of a message's story, as it is reported: which, when, under which other, and the little it may say.
import type { LogFields } from '../log.ts'
import { type SpanPlace, type Step, traceIdOf } from './span-ids.ts'

export interface Span {
  step: Step
  /** From `spanIds`. */
  id: string
  /** Null for the first of its trace. */
  parent: string | null
  correlationId: string
  startMs: number
  endMs: number
  fields: SpanFields
  links?: SpanPlace[]
}

/** What is known of a span while its transaction runs; it is recorded after the commit. */
export type UntimedSpan = Omit<Span, 'startMs' | 'endMs'> & { startMs?: number }

/** Where a span is, for links to it. */
export function placeOf({ correlationId, id }: Pick<Span, 'correlationId' | 'id'>): SpanPlace {
  return { traceId: traceIdOf(correlationId), spanId: id }
}

/** All that a span can say, and its name there. Values pass the rules of the log: ids, words, small numbers, keyed hashes. */
export const attributeNames = {
  correlation_id: 'estafet.correlation_id',
  tenant_id: 'estafet.tenant_id',
  phone_number_id: 'estafet.phone_number_id',
  message_id: 'estafet.message_id',
  wamid: 'estafet.wamid',
  eventId: 'estafet.event_id',
  event_type: 'estafet.event_type',
  endpoint_id: 'estafet.endpoint_id',
  attempts: 'estafet.attempt',
  kind: 'estafet.kind',
  state: 'estafet.state',
  bytes: 'estafet.bytes',
  applied: 'estafet.applied',
  duplicates: 'estafet.duplicates',
  ignored: 'estafet.ignored',
  dead: 'estafet.dead',
  provider_code: 'estafet.provider_code',
  statusCode: 'http.response.status_code',
  error_code: 'error.type',
} as const satisfies Partial<Record<keyof LogFields, string>>

export type SpanFields = Pick<LogFields, keyof typeof attributeNames>
