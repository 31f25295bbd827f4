// Cells of `bench inbound` → growth: each size over the smallest, within a round, then the median over the rounds.
import { type Machine, type Percentiles, type Spread, spreadOf } from './measure.ts'
import { spreadText, type Target, tableOf, targetOf } from './report.ts'

export interface InboundCell {
  round: number
  storedMessages: number
  receivedPerSecond: number
  processedPerSecond: number
  /** CPU time per event, gateway and database together where /proc tells. */
  receiveMicros: number
  processMicros: number
  processNodeMicros: number
  walBytesPerEvent: number
}

export interface InboundSummary {
  storedMessages: number
  receivedPerSecond: Spread | undefined
  processedPerSecond: Spread | undefined
  /** CPU time per event, received and processed. */
  cpuMicros: Spread | undefined
  walBytesPerEvent: Spread | undefined
  /** Over the smallest size. */
  cpuGrowth: Spread | undefined
  /** Time to process an event, over the smallest size. */
  timeGrowth: Spread | undefined
}

export interface InboundReport {
  bench: 'inbound'
  machine: Machine
  settings: Record<string, unknown>
  targets: Target[]
  latency: Percentiles
  summary: InboundSummary[]
  cells: InboundCell[]
  notes: string[]
}

export function summarizeInbound(
  run: Pick<InboundReport, 'machine' | 'settings' | 'latency' | 'cells' | 'notes'>,
): InboundReport {
  const sizes = [...new Set(run.cells.map((cell) => cell.storedMessages))].sort((a, b) => a - b)
  const summary = sizes.map((size) => summarizeSize(run.cells, size, sizes[0] ?? size))
  const largest = summary.at(-1)
  const targets = [
    targetOf({
      target: `CPU time per event with ${largest?.storedMessages} stored over ${sizes[0]}, below`,
      limit: 1.3,
      atLeast: false,
      measured: largest?.cpuGrowth,
    }),
  ]
  return { bench: 'inbound', ...run, targets, summary }
}

function summarizeSize(cells: InboundCell[], size: number, smallest: number): InboundSummary {
  const mine = cells.filter((cell) => cell.storedMessages === size)
  const growth = (cost: (cell: InboundCell) => number) =>
    spreadOf(
      mine.map((cell) => {
        const base = cells.find(
          (one) => one.round === cell.round && one.storedMessages === smallest,
        )
        return base && cost(cell) / cost(base)
      }),
    )
  return {
    storedMessages: size,
    receivedPerSecond: spreadOf(mine.map((cell) => cell.receivedPerSecond)),
    processedPerSecond: spreadOf(mine.map((cell) => cell.processedPerSecond)),
    cpuMicros: spreadOf(mine.map(cpuOf)),
    walBytesPerEvent: spreadOf(mine.map((cell) => cell.walBytesPerEvent)),
    cpuGrowth: growth(cpuOf),
    timeGrowth: growth((cell) => 1 / cell.processedPerSecond),
  }
}

function cpuOf(cell: InboundCell): number {
  return cell.receiveMicros + cell.processMicros
}

/** How much is stored while single messages are timed. */
export const storedForLatency = (sizes: number[]) => Math.min(10_000, ...sizes)

export function inboundTable(report: InboundReport): string {
  const { p50Ms, p95Ms, p99Ms } = report.latency
  const stored = storedForLatency(report.summary.map(({ storedMessages }) => storedMessages))
  const sizes = tableOf([
    [
      'stored',
      'received/s',
      'processed/s',
      'CPU µs/event',
      'CPU growth',
      'time growth',
      'WAL B/event',
    ],
    ...report.summary.map((one) => [
      String(one.storedMessages),
      spreadText(one.receivedPerSecond),
      spreadText(one.processedPerSecond),
      spreadText(one.cpuMicros),
      spreadText(one.cpuGrowth, '×'),
      spreadText(one.timeGrowth, '×'),
      spreadText(one.walBytesPerEvent),
    ]),
  ])
  return [
    sizes,
    '',
    'from the webhook to the message that can be read,',
    `one at a time, ${stored} stored: p50 ${p50Ms} / p95 ${p95Ms} / p99 ${p99Ms} ms, one pass of ${report.settings.samples}`,
  ].join('\n')
}
