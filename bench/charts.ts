// Which figures of the results are drawn.
import type { Bar, BarChart } from './bar-chart.ts'
import type { HealthReport } from './health-report.ts'
import type { InboundReport } from './inbound-report.ts'
import type { IngestReport, Variant } from './ingest-report.ts'
import { type Spread, spreadOf } from './measure.ts'
import type { ContenderName } from './outbox-contender.ts'
import type { OutboxCell, OutboxReport } from './outbox-report.ts'
import type { Published } from './published.ts'
import type { WeatherReport } from './weather-report.ts'

/** The table has them all. */
const usualConnections = 64

const variantNames: Record<Variant, string> = {
  ours: 'Estafet',
  'one-row-pool-10': 'a row a commit, pool 10',
  'one-row-pool-20': 'a row a commit, pool 20',
  bare: 'no database at all',
  pgbench: 'the database alone',
}
const variantOrder: Variant[] = ['ours', 'one-row-pool-10', 'one-row-pool-20', 'pgbench', 'bare']

const times = (spread: Spread | undefined, over: string) =>
  spread === undefined ? undefined : `${spread.median}× ${over}`
const thousands = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ' ')

export function ingestCharts({ summary }: IngestReport): Record<string, BarChart> {
  const rows = variantOrder.flatMap(
    (variant) =>
      summary.find((one) => one.variant === variant && one.connections === usualConnections) ?? [],
  )
  const bars = (value: (row: (typeof rows)[number]) => Bar['value'], withRatio: boolean): Bar[] =>
    rows.map((row) => ({
      label: variantNames[row.variant],
      value: value(row),
      isOurs: row.variant === 'ours',
      ratio:
        withRatio && row.variant !== 'one-row-pool-10'
          ? times(row.throughputVsPool10, 'pool 10')
          : undefined,
    }))
  const what = `signed webhook to committed row, ${usualConnections} connections`
  return {
    'ingest-throughput': {
      title: 'Webhooks taken in a second',
      subtitle: `${what}; longer is better`,
      unit: '/s',
      bars: bars((row) => row.perSecond, true),
    },
    'ingest-latency': {
      title: 'Time to answer a webhook, 95th percentile',
      subtitle: `${what}; shorter is better`,
      unit: 'ms',
      bars: bars((row) => row.p95Ms, false),
    },
  }
}

export function inboundCharts({ summary }: InboundReport): Record<string, BarChart> {
  return {
    'inbound-growth': {
      title: 'CPU time of a webhook, by how much is stored',
      subtitle: 'received and processed, gateway and Postgres together; should not grow',
      unit: 'µs',
      bars: summary.map((row, place) => ({
        label: `${thousands(row.storedMessages)} messages`,
        value: row.cpuMicros,
        isOurs: true,
        ratio: place === 0 ? undefined : times(row.cpuGrowth, 'the first'),
      })),
    },
  }
}

type Figure = (cell: OutboxCell) => number | undefined

/** As everywhere: within a round, then the median over the rounds. */
function overGraphile(cells: OutboxCell[], name: ContenderName, figure: Figure, base = figure) {
  const mine = cells.filter((cell) => cell.contender === name)
  const ratios = mine.map((cell) => {
    const isBase = (one: OutboxCell) =>
      one.round === cell.round && one.contender === 'graphile-worker'
    const other = cells.find(isBase)
    return (figure(cell) ?? Number.NaN) / ((other && base(other)) ?? Number.NaN)
  })
  return times(spreadOf(ratios), 'graphile-worker')
}

const names: Record<ContenderName, string> = {
  ours: 'Estafet',
  'graphile-worker': 'graphile-worker',
  'pg-boss': 'pg-boss',
}

export function outboxCharts({ summary, claims, cells }: OutboxReport): Record<string, BarChart> {
  const bar = (name: ContenderName, value: Bar['value'], figure: Figure, base = figure): Bar => ({
    label: names[name],
    value,
    isOurs: name === 'ours',
    ratio: name === 'graphile-worker' ? undefined : overGraphile(cells, name, figure, base),
  })
  const of = (name: ContenderName) => summary.find((one) => one.contender === name)
  const contenders: ContenderName[] = ['ours', 'graphile-worker', 'pg-boss']
  const processed: Figure = (cell) => cell.processPerSecond
  const alone: Figure = (cell) => cell.queueAlonePerSecond
  const [whole, ...peers] = contenders.map((name) =>
    bar(name, of(name)?.processPerSecond, processed),
  )
  const queue = bar('ours', of('ours')?.queueAlonePerSecond, alone, processed)
  return {
    'outbox-fairness': {
      title: 'How long small tenants wait behind a busy one',
      subtitle: '95th percentile until their message is sent; shorter is better',
      unit: 'ms',
      bars: contenders.map((name) => bar(name, of(name)?.smallP95Ms, (cell) => cell.small.p95Ms)),
    },
    'outbox-processing': {
      title: 'Jobs processed in a second',
      subtitle:
        'with all that a send does, the queue alone, and the peers’ empty jobs; longer is better',
      unit: '/s',
      bars: [
        ...(whole ? [{ ...whole, label: 'Estafet, a whole send' }] : []),
        { ...queue, label: 'Estafet, queue alone' },
        ...peers.map((peer) => ({ ...peer, label: `${peer.label}, empty` })),
      ],
    },
    'outbox-claims': {
      title: 'Time to claim work, by how much waits',
      subtitle: 'median; should not grow',
      unit: 'ms',
      bars: claims.map((row) => ({
        label:
          row.deepLane > 0
            ? `and ${thousands(row.deepLane)} in one lane`
            : `${thousands(row.pending)} pending`,
        value: row.p50Ms,
        isOurs: true,
        ratio: times(row.growth, row.deepLane > 0 ? 'without it' : 'the smaller'),
      })),
    },
  }
}

export function weatherCharts({ summary }: WeatherReport): Record<string, BarChart> {
  return {
    weather: {
      title: 'Healthy numbers, while others are in trouble',
      subtitle: 'from commit to the call to Meta, 95th percentile; should not grow',
      unit: 'ms',
      bars: [
        { label: 'all are healthy', value: summary.calmP95Ms, isOurs: true },
        {
          label: 'half are in trouble',
          value: summary.weatherP95Ms,
          isOurs: true,
          ratio: times(summary.p95Ratio, 'calm'),
        },
      ],
    },
  }
}

const sizeNames = {
  few: 'hardly anything',
  counted: 'the most that is counted',
  past: 'all of it done',
  waiting: 'all of it waiting',
}

export function healthCharts({ summary, settings }: HealthReport): Record<string, BarChart> {
  return {
    health: {
      title: 'Time to answer health, 95th percentile',
      subtitle: `over HTTP, with up to ${thousands(Number(settings.rows))} webhooks and as many messages; shorter is better`,
      unit: 'ms',
      bars: summary.map((row) => ({
        label: sizeNames[row.size],
        value: row.p95Ms,
        isOurs: true,
        ratio: row.size === 'few' ? undefined : times(row.growth, 'p50 of the first'),
      })),
      limit: { value: 50, label: 'at most' },
    },
  }
}

export function chartsOf(report: Published): Record<string, BarChart> {
  switch (report.bench) {
    case 'ingest':
      return ingestCharts(report)
    case 'inbound':
      return inboundCharts(report)
    case 'outbox':
      return outboxCharts(report)
    case 'weather':
      return weatherCharts(report)
    case 'health':
      return healthCharts(report)
    case 'cost':
      // Each count stands for itself: nothing to compare.
      return {}
  }
}
