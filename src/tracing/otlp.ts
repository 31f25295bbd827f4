// Spans → an OpenTelemetry collector, as JSON over HTTP. The only file that knows the SDK, and loaded only where a collector
// is configured. A collector that is away costs the spans, a bounded queue of them, and a log line every few minutes.
import { type HrTime, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type ReadableSpan,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { errorFields } from '../log.ts'
import { sleep } from '../time-and-chance.ts'
import type { ExportedSpan, Exporter, ExporterOptions } from './exporter.ts'
import type { SpanPlace, Step } from './span-ids.ts'

const maxWaiting = 8_192
const exportTimeoutMs = 5_000
const stopWithinMs = 2_000
const complainEveryMs = 5 * 60_000

export function createExporter(options: ExporterOptions): Exporter {
  const { clock } = options
  const sampler = new TraceIdRatioBasedSampler(options.sampleRatio)
  const resource = resourceFromAttributes({
    'service.name': options.serviceName,
    'service.version': options.version,
    'service.instance.id': options.random.uuid(),
  })
  const scope = { name: 'estafet', version: options.version }
  const losses = createLosses(options)
  let waiting = 0
  const inner = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: headersIn(options.headers),
    timeoutMillis: exportTimeoutMs,
  })
  const exporter: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length
      inner.export(spans, (result) => {
        if (result.error) losses.add(spans.length, result.error)
        done(result)
      })
    },
    shutdown: () => inner.shutdown(),
  }
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: maxWaiting,
    scheduledDelayMillis: 1_000,
    exportTimeoutMillis: 2 * exportTimeoutMs,
  })
  return {
    isSampled: (traceId) =>
      sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    export(span) {
      // The processor would drop it without a word.
      if (waiting >= maxWaiting) return losses.add(1)
      waiting++
      processor.onEnd(readable(span, resource, scope))
    },
    async stop() {
      // What cannot be sent has been told of by then.
      const flushed = processor.shutdown().catch(() => undefined)
      const inTime = new AbortController()
      await Promise.race([flushed, sleep(clock, stopWithinMs, inTime.signal)])
      inTime.abort()
    },
  }
}

/** Tells of lost spans, but not of each. */
function createLosses({ clock, log }: ExporterOptions) {
  let count = 0
  let nextMs = Number.NEGATIVE_INFINITY
  return {
    add(more: number, error: Error = new Error('the collector does not keep up')) {
      count += more
      if (clock.monotonicMs() < nextMs) return
      nextMs = clock.monotonicMs() + complainEveryMs
      log.warn('traces_not_exported', { count, ...errorFields(error) })
      count = 0
    },
  }
}

function headersIn(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      return [pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())]
    }),
  )
}

const kinds: Record<Step, SpanKind> = {
  receive: SpanKind.SERVER,
  process: SpanKind.CONSUMER,
  record: SpanKind.INTERNAL,
  queue: SpanKind.PRODUCER,
  send: SpanKind.CONSUMER,
  post: SpanKind.CLIENT,
  status: SpanKind.CONSUMER,
  deliver: SpanKind.CLIENT,
}

function readable(
  span: ExportedSpan,
  resource: Resource,
  instrumentationScope: { name: string; version: string },
): ReadableSpan {
  const place = contextOf({ traceId: span.traceId, spanId: span.id })
  const parent = span.parent && contextOf({ traceId: span.traceId, spanId: span.parent })
  // A clock that was set back in between must not make a span end before it began.
  const startMs = Math.min(span.startMs, span.endMs)
  return {
    name: span.step,
    kind: kinds[span.step],
    spanContext: () => place,
    ...(parent && { parentSpanContext: parent }),
    startTime: hrTime(startMs),
    endTime: hrTime(span.endMs),
    duration: hrTime(span.endMs - startMs),
    status: { code: span.fields.error_code ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: (span.links ?? []).map((link) => ({ context: contextOf(link) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

function contextOf(place: SpanPlace) {
  return { ...place, traceFlags: TraceFlags.SAMPLED }
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}
