// An OpenTelemetry collector: it takes spans as JSON over HTTP, keeps every byte, and answers as the test says.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from './after-file.ts'

export interface CollectedSpan {
  name: string
  traceId: string
  spanId: string
  /** Empty for the first of its trace. */
  parentSpanId: string
  kind: number
  startMs: number
  endMs: number
  isError: boolean
  attributes: Record<string, string | number>
  links: { traceId: string; spanId: string }[]
  /** What the process says of itself. */
  resource: Record<string, string | number>
}

export interface Collector {
  url: string
  spans(): CollectedSpan[]
  /** Of one trace. */
  trace(traceId: string): CollectedSpan[]
  /** Every body, as it came. */
  text(): string
  calls: { path: string; headers: IncomingHttpHeaders }[]
  /** What it answers from now on; 200, unless said. */
  react(by: number | 'hang'): void
}

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const calls: Collector['calls'] = []
  let reaction: number | 'hang' = 200
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    calls.push({ path: request.url ?? '', headers: request.headers })
    if (reaction === 'hang') return
    if (reaction === 200) bodies.push(Buffer.concat(parts).toString('utf8'))
    response.writeHead(reaction, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const spans = () => bodies.flatMap((body) => spansIn(JSON.parse(body)))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    trace: (traceId) => spans().filter((span) => span.traceId === traceId),
    text: () => bodies.join('\n'),
    calls,
    react: (by) => {
      reaction = by
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP as JSON.
function spansIn(body: any): CollectedSpan[] {
  const collected: CollectedSpan[] = []
  for (const { resource, scopeSpans } of body.resourceSpans) {
    for (const { spans } of scopeSpans) {
      for (const span of spans) {
        collected.push({
          name: span.name,
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? '',
          kind: span.kind,
          startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
          endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
          isError: span.status?.code === 2,
          attributes: valuesIn(span.attributes),
          links: (span.links ?? []).map(({ traceId, spanId }: CollectedSpan) => ({
            traceId,
            spanId,
          })),
          resource: valuesIn(resource.attributes),
        })
      }
    }
  }
  return collected
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP as JSON.
function valuesIn(attributes: any[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  )
}
