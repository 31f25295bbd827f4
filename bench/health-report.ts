// Cells of `bench health` → how long an answer takes at each size, and that over the smallest, within a round.
import { type Machine, type Percentiles, round, type Spread, spreadOf } from './measure.ts'
import { spreadText, type Target, tableOf, targetOf } from './report.ts'

/** `few`: hardly anything. `counted`: as much as is still counted for every question. The others: as much as was asked for. */
export const sizes = ['few', 'counted', 'past', 'waiting'] as const
export type Size = (typeof sizes)[number]

export interface HealthCell extends Percentiles {
  round: number
  size: Size
}

export interface HealthSummary {
  size: Size
  p50Ms: Spread | undefined
  p95Ms: Spread | undefined
  p99Ms: Spread | undefined
  /** Of the median, over `few`. */
  growth: Spread | undefined
}

export interface HealthReport {
  bench: 'health'
  machine: Machine
  settings: Record<string, unknown>
  targets: Target[]
  summary: HealthSummary[]
  /** How long a worker takes for the sample that `waiting` is answered from, twice a minute. */
  sampleMs: number
  cells: HealthCell[]
  notes: string[]
}

const limitMs = 50

export function summarizeHealth(
  run: Pick<HealthReport, 'machine' | 'settings' | 'sampleMs' | 'cells' | 'notes'>,
): HealthReport {
  const summary = sizes.map((size) => summaryOf(run.cells, size))
  const targets = summary
    .filter(({ size }) => size !== 'few')
    .map(({ size, p95Ms }) =>
      targetOf({
        target: `health’s p95, ${size}: at most`,
        limit: limitMs,
        atLeast: false,
        measured: p95Ms,
        unit: ' ms',
      }),
    )
  return { bench: 'health', ...run, sampleMs: round(run.sampleMs), targets, summary }
}

function summaryOf(cells: HealthCell[], size: Size): HealthSummary {
  const mine = cells.filter((cell) => cell.size === size)
  return {
    size,
    p50Ms: spreadOf(mine.map((cell) => cell.p50Ms)),
    p95Ms: spreadOf(mine.map((cell) => cell.p95Ms)),
    p99Ms: spreadOf(mine.map((cell) => cell.p99Ms)),
    growth: spreadOf(
      mine.map((cell) => {
        const few = cells.find((one) => one.round === cell.round && one.size === 'few')
        return few && cell.p50Ms / few.p50Ms
      }),
    ),
  }
}

export function healthTable({ summary }: HealthReport): string {
  return tableOf([
    ['', 'p50 ms', 'p95 ms', 'p99 ms', 'p50 over few'],
    ...summary.map(({ size, p50Ms, p95Ms, p99Ms, growth }) => [
      size,
      spreadText(p50Ms),
      spreadText(p95Ms),
      spreadText(p99Ms),
      spreadText(growth, '×'),
    ]),
  ])
}
