// Cells of `bench ingest` → ratios. Ratios are taken within a round, then their median over the rounds.
import { type Machine, type Spread, spreadOf } from './measure.ts'
import { spreadText, type Target, tableOf, targetOf } from './report.ts'

export const serverVariants = ['ours', 'one-row-pool-10', 'one-row-pool-20', 'bare'] as const
export type Variant = (typeof serverVariants)[number] | 'pgbench'

export interface Cell {
  round: number
  connections: number
  variant: Variant
  perSecond: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** CPU time per request; undefined where it cannot be told or there is none. */
  nodeMicros?: number
  postgresMicros?: number
}

export interface IngestSummary {
  connections: number
  variant: Variant
  perSecond: Spread | undefined
  p50Ms: Spread | undefined
  p95Ms: Spread | undefined
  p99Ms: Spread | undefined
  cpuMicros: Spread | undefined
  /** This one's throughput over one row per commit with ten connections, same round. */
  throughputVsPool10: Spread | undefined
  throughputVsPool20: Spread | undefined
  /** This one's CPU time per request over bare Fastify's, same round. */
  cpuVsBare: Spread | undefined
}

export interface IngestReport {
  bench: 'ingest'
  machine: Machine
  settings: Record<string, unknown>
  targets: Target[]
  summary: IngestSummary[]
  cells: Cell[]
  notes: string[]
}

export function summarize(
  run: Pick<IngestReport, 'machine' | 'settings' | 'cells' | 'notes'>,
): IngestReport {
  const { cells } = run
  const summary: IngestSummary[] = []
  for (const connections of new Set(cells.map((cell) => cell.connections))) {
    for (const variant of new Set(cells.map((cell) => cell.variant))) {
      summary.push(summarizeOne(cells, connections, variant))
    }
  }
  return { bench: 'ingest', ...run, targets: targetsOf(summary), summary }
}

function summarizeOne(cells: Cell[], connections: number, variant: Variant): IngestSummary {
  const mine = cells.filter((cell) => cell.connections === connections && cell.variant === variant)
  const inRound = (cell: Cell, other: Variant) =>
    cells.find(
      (one) => one.round === cell.round && one.connections === connections && one.variant === other,
    )
  const against = (other: Variant, figure: (cell: Cell) => number | undefined) =>
    spreadOf(mine.map((cell) => ratio(figure(cell), figure(inRound(cell, other) ?? cell))))
  return {
    connections,
    variant,
    perSecond: spreadOf(mine.map((cell) => cell.perSecond)),
    p50Ms: spreadOf(mine.map((cell) => cell.p50Ms)),
    p95Ms: spreadOf(mine.map((cell) => cell.p95Ms)),
    p99Ms: spreadOf(mine.map((cell) => cell.p99Ms)),
    cpuMicros: spreadOf(mine.map(cpuOf)),
    throughputVsPool10: against('one-row-pool-10', (cell) => cell.perSecond),
    throughputVsPool20: against('one-row-pool-20', (cell) => cell.perSecond),
    cpuVsBare: variant === 'pgbench' ? undefined : against('bare', cpuOf),
  }
}

/** Server and database together. A database variant without its database's part would flatter it: then nothing. */
function cpuOf(cell: Cell): number | undefined {
  if (cell.variant === 'bare') return cell.nodeMicros
  if (cell.postgresMicros === undefined) return undefined
  return (cell.nodeMicros ?? 0) + cell.postgresMicros
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined || b === 0 ? undefined : a / b
}

function targetsOf(summary: IngestSummary[]): Target[] {
  const ours = summary.find((one) => one.variant === 'ours' && one.connections === 64)
  return [
    targetOf({
      target: 'throughput at 64 connections, over one row per commit with pool 10, at least',
      limit: 2.5,
      atLeast: true,
      measured: ours?.throughputVsPool10,
    }),
    targetOf({
      target: 'throughput at 64 connections, over one row per commit with pool 20, at least',
      limit: 1.5,
      atLeast: true,
      measured: ours?.throughputVsPool20,
    }),
    targetOf({
      target: 'CPU time per request at 64 connections, over bare Fastify, at most',
      limit: 2.2,
      atLeast: false,
      measured: ours?.cpuVsBare,
    }),
  ]
}

export function ingestTable(report: IngestReport): string {
  const head = [
    'conns',
    'variant',
    'requests/s',
    'vs pool 10',
    'vs pool 20',
    'CPU µs/request',
    'vs bare',
  ]
  const rows = report.summary.map((one) => [
    String(one.connections),
    one.variant,
    spreadText(one.perSecond),
    spreadText(one.throughputVsPool10, '×'),
    spreadText(one.throughputVsPool20, '×'),
    spreadText(one.cpuMicros),
    spreadText(one.cpuVsBare, '×'),
    [one.p50Ms, one.p95Ms, one.p99Ms].map((spread) => spread?.median ?? '–').join(' / '),
  ])
  return tableOf([[...head, 'p50 / p95 / p99 ms'], ...rows])
}
