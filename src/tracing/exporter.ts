// Where spans go, as the rest of us sees it (port). otlp.ts is loaded only where there is a collector.
import type { Log } from '../log.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { Span } from './span.ts'

export interface ExporterOptions {
  /** `/v1/traces` is appended. */
  endpoint: string
  /** Each `name=value`, the value percent-encoded. */
  headers: readonly string[]
  serviceName: string
  version: string
  /** Of the traces: whole ones, and the same ones in every process. */
  sampleRatio: number
  clock: Clock
  random: Random
  log: Log
}

export interface Exporter {
  isSampled(traceId: string): boolean
  export(span: ExportedSpan): void
  stop(): Promise<void>
}

export type Attributes = Record<string, string | number>
export type ExportedSpan = Span & { traceId: string; attributes: Attributes }
