// What a long run is watched for: memory of every process, the time of a claim, the size of tables and what is dead in them.
import { readFile } from 'node:fs/promises'
import { DatabaseUnavailable, type Db, isContention, sql } from '../../src/db/connect.ts'
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
  /** What could not be measured. */
  failures: string[]
  watch(place: Place, isOver: () => boolean): Promise<void>
}

const betweenMs = 5_000

export function createMeasuring(): Measuring {
  const series = new Map<string, Series>()
  const failures: string[] = []
  return {
    series,
    failures,
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
        await measureDatabase(place, note).catch((error: Error) => {
          // While the database is away, or another has what is asked for, there is nothing to measure in it.
          if (error instanceof DatabaseUnavailable || isContention(error)) return
          failures.push(`it could not be measured: ${error.message}`)
        })
      }
      failures.push(...neverMeasured(series, place.members))
    },
  }
}

/** A run of which nothing is known proves nothing. */
export function neverMeasured(
  series: ReadonlyMap<string, Series>,
  members: { name: string }[],
): string[] {
  const wanted = [
    ...members.map(({ name }) => `memory of ${name}`),
    'time of a claim',
    sizeOf('events'),
  ]
  return wanted
    .filter((name) => (series.get(name)?.samples.length ?? 0) === 0)
    .map((name) => `it was never measured: ${name}`)
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
    select coalesce(parent.relname, t.relname) as name, sum(pg_total_relation_size(t.relid))::float8 as bytes,
      sum(t.n_dead_tup)::float8 as dead
    from pg_stat_user_tables t
    left join pg_inherits i on i.inhrelid = t.relid
    left join pg_class parent on parent.oid = i.inhparent
    where t.schemaname = 'public'
    group by 1`)
  for (const { name, bytes, dead } of tables) {
    note(sizeOf(name), 'MB', bytes / 2 ** 20)
    note(deadIn(name), 'rows', dead)
  }
}

const sizeOf = (table: string) => `size of ${table}`
const deadIn = (table: string) => `dead rows in ${table}`

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

/** Of the tables only those that are largest at the end: the others are in the report. */
export function largest(trends: Trend[], tables = 12): Trend[] {
  const sizes = trends.filter(({ name }) => name.startsWith(sizeOf('')))
  const chosen = sizes
    .toSorted((a, b) => b.last - a.last)
    .slice(0, tables)
    .flatMap((size) => {
      const dead = deadIn(size.name.slice(sizeOf('').length))
      return [size, ...trends.filter(({ name }) => name === dead)]
    })
  const isOfTable = ({ name }: Trend) => name.startsWith(sizeOf('')) || name.startsWith(deadIn(''))
  return [...trends.filter((one) => !isOfTable(one)), ...chosen]
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
