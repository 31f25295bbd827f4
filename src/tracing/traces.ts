// Spans, reported after the fact like log lines. There is no Traces at all where none are wanted: callers write
// `traces?.record(…)`, which then costs a comparison. The SDK is loaded by `start`, and only there.
import { permittedFields } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import type { Attributes, Exporter, ExporterOptions } from './exporter.ts'
import { attributeNames, type Span } from './span.ts'
import { traceIdOf } from './span-ids.ts'

export interface Traces {
  /** Loads the SDK. What is recorded before this is not kept. */
  start(): Promise<void>
  /** Never throws and never waits. */
  record(span: Span): void
  /** The header that tells another program where its own spans belong. */
  traceparent(correlationId: string, spanId: string): string
  /** Sends what is left, if that is possible soon. */
  stop(): Promise<void>
}

export interface TracesOptions extends ExporterOptions {
  hashKey: Buffer
}

export function createTraces(options: TracesOptions): Traces {
  let exporter: Exporter | undefined
  return {
    async start() {
      const { createExporter } = await import('./otlp.ts')
      exporter = createExporter(options)
    },
    record(span) {
      const traceId = traceIdOf(span.correlationId)
      if (!exporter?.isSampled(traceId)) return
      exporter.export({ ...span, traceId, attributes: attributesOf(span, options.hashKey) })
    },
    traceparent(correlationId, spanId) {
      const traceId = traceIdOf(correlationId)
      return `00-${traceId}-${spanId}-${exporter?.isSampled(traceId) ? '01' : '00'}`
    },
    stop: async () => exporter?.stop(),
  }
}

function attributesOf({ fields, correlationId }: Span, hashKey: Buffer): Attributes {
  const attributes: Attributes = {}
  const permitted = permittedFields({ ...fields, correlation_id: correlationId }, hashKey)
  for (const [field, name] of Object.entries(attributeNames)) {
    const value = permitted[field]
    if (typeof value === 'string' || typeof value === 'number') attributes[name] = value
  }
  return attributes
}

/** The time of day of a moment on the monotonic clock. */
export function timeOfMoment(clock: Clock, monotonicMs: number): number {
  return clock.now().getTime() - (clock.monotonicMs() - monotonicMs)
}
