// Which trace and which span a step is, computed from the ids in its row. Rows are the queues, so whoever has the row, in
// whatever process or task, continues the same trace, and no row has to carry a trace's context.
import { hash } from 'node:crypto'

/** What a span can be of. docs/tracing.md explains them; `estafet trace` tells the same ones. */
export type Step =
  | 'receive'
  | 'process'
  | 'record'
  | 'queue'
  | 'send'
  | 'post'
  | 'status'
  | 'deliver'

/** A UUID is as long as a trace id. */
export function traceIdOf(correlationId: string): string {
  return correlationId.replaceAll('-', '')
}

/** Undefined for what is no trace id. */
export function correlationIdOf(traceId: string): string | undefined {
  if (!/^[0-9a-f]{32}$/.test(traceId)) return undefined
  return traceId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A message has one span, whoever made it: what becomes of the message hangs under it. */
export const spanIds = {
  receive: (correlationId: string) => spanId('receive', correlationId),
  process: (eventId: string, attempt: number) => spanId('process', eventId, attempt),
  message: (messageId: string) => spanId('message', messageId),
  send: (attemptId: string) => spanId('send', attemptId),
  post: (attemptId: string) => spanId('post', attemptId),
  /** The members of a group reach the same status one by one; the first of them is the one that is told. */
  status: (messageId: string, status: string, participant = '') =>
    spanId('status', messageId, status, participant),
  deliver: (attemptId: string) => spanId('deliver', attemptId),
}

function spanId(...parts: (string | number)[]): string {
  return hash('sha256', parts.join(' '), 'hex').slice(0, 16)
}

export interface SpanPlace {
  traceId: string
  spanId: string
}

/** What a caller's `traceparent` names; undefined for anything that is not one. */
export function placeIn(traceparent: string | undefined): SpanPlace | undefined {
  const [, version, traceId = '', parentId = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/.exec(traceparent ?? '') ?? []
  if (version === undefined || version === 'ff') return undefined
  return /[^0]/.test(traceId) && /[^0]/.test(parentId) ? { traceId, spanId: parentId } : undefined
}
