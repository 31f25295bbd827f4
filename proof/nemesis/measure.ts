// What a long run is watched for: memory of every process, the time of a claim, the size of tables and what is dead in them.
import { readFile } from 'node:fs/promises'
import { type Db, sql } from '../../src/db/connect.ts'
import { claimSends } from '../../src/outbox/queue-queries.ts'
import { registerWorker } from '../../src/queue/workers.ts'
import { pause } from './client.ts'
import type { Place } from './place.ts'

/** Of one figure over time. */
export interface Series {
  name: string
  unit: string
  samples: { hours: number; value: number }[]
}

export interface Trend {
  name: string
  unit: string
  first: number
  median: number
  last: number
  /** By least squares. */
  per_hour: number
}

export interface Measuring {
  series: Map<string, Series>
  watch(place: Place, isOver: () => boolean): Promise<void>
}

const betweenMs = 5_000

export function createMeasuring(): Measuring {
  const series = new Map<string, Series>()
  return {
    series,
    async watch(place, isOver) {
      const startedMs = performance.now()
      const note = (name: string, unit: string, value: number) => {
        const hours = (performance.now() - startedMs) / 3_600_000
        const one = series.get(name) ?? { name, unit, samples: [] }
        series.set(name, one)
        one.samples.push({ hours, value })
      }
      while (!isOver()) {
        await pause(betweenMs)
        for (const { name, pid } of place.members) {
          const bytes = await residentBytes(pid())
          if (bytes !== undefined) note(`memory of ${name}`, 'MB', bytes / 2 ** 20)
        }
        // While the database is away there is nothing to measure in it.
        await measureDatabase(place, note).catch(() => undefined)
      }
    },
  }
}

async function residentBytes(pid: number | undefined): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024 || undefined
  } catch {
    return undefined
  }
}

type Note = (name: string, unit: string, value: number) => void

async function measureDatabase({ postgres: { db }, terms }: Place, note: Note): Promise<void> {
  note('time of a claim', 'ms', await timeOfClaim(db, terms.cap))
  const tables = await db.query(sql<{ name: string; bytes: number; dead: number }>`
    select relname as name, pg_total_relation_size(relid)::float8 as bytes, n_dead_tup::float8 as dead
    from pg_stat_user_tables
    where relname in ('whatsapp_webhook_events', 'whatsapp_messages', 'whatsapp_message_statuses', 'whatsapp_send_outbox',
      'send_attempts', 'send_tenants', 'send_numbers', 'events', 'event_deliveries')`)
  for (const { name, bytes, dead } of tables) {
    note(`size of ${name}`, 'MB', bytes / 2 ** 20)
    note(`dead rows in ${name}`, 'rows', dead)
  }
}

class NotMeant extends Error {}

/** Of a claim as workers make it, which then never happened. */
async function timeOfClaim(db: Db, cap: number): Promise<number> {
  let tookMs = 0
  const claiming = db.transaction(async (tx) => {
    const workerId = await registerWorker(tx, 60)
    const fromMs = performance.now()
    await claimSends(tx, workerId, 100, cap)
    tookMs = performance.now() - fromMs
    throw new NotMeant()
  })
  await claiming.catch((error: unknown) => {
    if (!(error instanceof NotMeant)) throw error
  })
  return tookMs
}

export function trendsOf(series: Iterable<Series>): Trend[] {
  return [...series].map(({ name, unit, samples }) => {
    const values = samples.map(({ value }) => value)
    const sorted = values.toSorted((a, b) => a - b)
    return {
      ...{ name, unit },
      first: values[0] ?? 0,
      median: sorted[Math.floor(sorted.length / 2)] ?? 0,
      last: values.at(-1) ?? 0,
      per_hour: slopeOf(samples),
    }
  })
}

function slopeOf(samples: Series['samples']): number {
  const mean = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length
  const [atMean, valueMean] = [
    mean(samples.map(({ hours }) => hours)),
    mean(samples.map(({ value }) => value)),
  ]
  let [above, below] = [0, 0]
  for (const { hours, value } of samples) {
    above += (hours - atMean) * (value - valueMean)
    below += (hours - atMean) ** 2
  }
  return below === 0 ? 0 : above / below
}

export function trendsText(trends: Trend[]): string {
  const cells = trends.map((one) => [
    one.name,
    ...[one.first, one.median, one.last, one.per_hour].map((value) => value.toFixed(1)),
    one.unit,
  ])
  const rows = [['', 'first', 'median', 'last', 'an hour', ''], ...cells]
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return rows
    .map(([name = '', ...rest]) => [name.padEnd(width), ...rest.map((cell) => cell.padStart(10))])
    .map((row) => row.join(' '))
    .join('\n')
}
