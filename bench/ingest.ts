// `bench ingest`: how fast a signed webhook becomes a committed row, beside what one would write first and beside the
// limits on either side (no database at all; the database alone). Everything in one run, in turns, so that what
// disturbs one disturbs all; only the ratios of a run mean anything.
import { join } from 'node:path'
import { sql } from '../src/db/connect.ts'
import { type BenchServer, explain, startServer } from './child.ts'
import { createFolder, removeFolder } from './folders.ts'
import {
  type Cell,
  type IngestReport,
  serverVariants,
  summarize,
  type Variant,
} from './ingest-report.ts'
import { runFor, startLoad } from './load.ts'
import { describeMachine, percentilesOf, round, treeCpuMicros } from './measure.ts'
import { ordinaryMessage, signedRequest } from './payloads.ts'
import { runPgbench } from './pgbench.ts'
import {
  type BenchDatabase,
  type BenchPostgres,
  postgresSettings,
  startBenchPostgres,
} from './postgres.ts'

export interface IngestOptions {
  rounds: number
  seconds: number
  connections: number[]
  /** Sent to each server before the first round: until V8 has compiled what runs often, it is several times slower. */
  requestsToWarmUp: number
  /** Where pgbench is; without it that column is missing. */
  pgbench: string | undefined
  say: (line: string) => void
}

/** Left out of the figures: connections open, statements are planned. */
const warmUpShare = 0.25
/** More than any server here manages; a run that uses them up ends early. */
const requestsPerSecond = 16_000

interface Context {
  options: IngestOptions
  postgres: BenchPostgres
  database: BenchDatabase
  servers: Map<Variant, BenchServer>
  requests: Buffer[]
}

/** How many lines a run says: for who shows how far it is. */
export function ingestSteps({ rounds, connections, pgbench }: IngestOptions): number {
  return rounds * connections.length * (serverVariants.length + (pgbench ? 1 : 0))
}

export async function benchIngest(
  options: IngestOptions,
  startPostgres = startBenchPostgres,
): Promise<IngestReport> {
  const logs = await createFolder('bench-log')
  const postgres = await startPostgres()
  const servers = new Map<Variant, BenchServer>()
  try {
    const database = await postgres.createDatabase('ingest')
    await Promise.all(
      serverVariants.map(async (variant) => {
        const logFile = join(logs, `${variant}.log`)
        servers.set(variant, await startVariant(variant, database.url, logFile))
      }),
    )
    const count = Math.ceil(options.seconds * (1 + warmUpShare) * requestsPerSecond)
    const requests = Array.from({ length: count }, () => signedRequest(ordinaryMessage()))
    await warmUp(servers, database, requests.slice(0, options.requestsToWarmUp))
    const cells = await runRounds({ options, postgres, database, servers, requests })
    return summarize({
      machine: describeMachine(postgres.version),
      settings: {
        rounds: options.rounds,
        seconds: options.seconds,
        connections: options.connections,
        bodyBytes: ordinaryMessage().length,
        postgres: postgresSettings,
      },
      cells,
      notes: options.pgbench ? [] : ['pgbench is not installed here, so it was left out.'],
    })
  } finally {
    for (const server of servers.values()) await server.stop()
    await postgres.stop()
    await removeFolder(logs)
  }
}

function startVariant(variant: Variant, databaseUrl: string, logFile: string) {
  switch (variant) {
    case 'ours':
      return startServer({ kind: 'gateway', roles: 'api', databaseUrl }, logFile)
    case 'one-row-pool-10':
      return startServer({ kind: 'one-row', poolSize: 10, databaseUrl }, logFile)
    case 'one-row-pool-20':
      return startServer({ kind: 'one-row', poolSize: 20, databaseUrl }, logFile)
    case 'bare':
      return startServer({ kind: 'bare', databaseUrl }, logFile)
    case 'pgbench':
      throw new Error('bug: pgbench is no server')
  }
}

async function warmUp(
  servers: Map<Variant, BenchServer>,
  database: BenchDatabase,
  requests: Buffer[],
): Promise<void> {
  for (const { url } of servers.values()) {
    await emptyTable(database)
    const load = await startLoad({ url, requests, connections: 32 })
    await load.finished
    await load.stop()
  }
}

/** Each starts with an empty table and no checkpoint due, so the same requests are new again. */
async function emptyTable({ db }: BenchDatabase): Promise<void> {
  await db.session(async (session) => {
    await session.script('truncate whatsapp_webhook_events')
    await session.script('checkpoint')
  })
}

async function runRounds(context: Context): Promise<Cell[]> {
  const { options } = context
  const variants: Variant[] = [
    ...serverVariants,
    ...(options.pgbench ? (['pgbench'] as const) : []),
  ]
  const cells: Cell[] = []
  for (let roundNumber = 1; roundNumber <= options.rounds; roundNumber++) {
    for (const connections of options.connections) {
      // Another one goes first each time.
      const turn = roundNumber % variants.length
      for (const variant of [...variants.slice(turn), ...variants.slice(0, turn)]) {
        const measured = await measure(context, variant, connections)
        const cell = { round: roundNumber, connections, variant, ...measured }
        cells.push(cell)
        options.say(lineOf(cell))
      }
    }
  }
  return cells
}

type Measured = Omit<Cell, 'round' | 'connections' | 'variant'>

async function measure(context: Context, variant: Variant, connections: number): Promise<Measured> {
  await emptyTable(context.database)
  const server = context.servers.get(variant)
  return server
    ? measureServer(context, server, variant, connections)
    : measurePgbench(context, connections)
}

async function measureServer(
  { options, postgres, database, requests }: Context,
  server: BenchServer,
  variant: Variant,
  connections: number,
): Promise<Measured> {
  const reuse = variant === 'bare'
  const load = await startLoad({ url: server.url, requests, connections, reuse })
  await runFor(load, options.seconds * warmUpShare)
  const before = [await server.cpuMicros(), treeCpuMicros(postgres.pid)]
  load.reset()
  await runFor(load, options.seconds)
  const latencies = load.latenciesMs
  const seconds = load.elapsedMs() / 1000
  const after = [await server.cpuMicros(), treeCpuMicros(postgres.pid)]
  const accepted = await load.stop().catch((error) => explain(server, error))
  if (!reuse) await checkStored(database, accepted)
  const [nodeMicros, postgresMicros] = perRequest(before, after, latencies.length)
  return {
    perSecond: round(latencies.length / seconds),
    ...percentilesOf(latencies),
    ...(nodeMicros !== undefined && { nodeMicros }),
    ...(postgresMicros !== undefined && !reuse && { postgresMicros }),
  }
}

async function measurePgbench(context: Context, connections: number): Promise<Measured> {
  const { options, postgres, database } = context
  const body = ordinaryMessage()
    .toString()
    .replace(/wamid\.[^"]+/, 'wamid.WAMID')
  const before = treeCpuMicros(postgres.pid)
  const { seconds, pgbench = '' } = options
  const arguments_ = { program: pgbench, databaseUrl: database.url, body, connections, seconds }
  const latencies = await runPgbench(arguments_)
  const [postgresMicros] = perRequest([before], [treeCpuMicros(postgres.pid)], latencies.length)
  return {
    perSecond: round(latencies.length / seconds),
    ...percentilesOf(latencies),
    ...(postgresMicros !== undefined && { postgresMicros }),
  }
}

/** A figure for something that was not done is no figure: every 200 must be a row, and every row was a 200. */
async function checkStored({ db }: BenchDatabase, accepted: number): Promise<void> {
  const [row] = await db.query(
    sql<{ count: number }>`select count(*)::int as count from whatsapp_webhook_events`,
  )
  if (row?.count !== accepted)
    throw new Error(`bug: ${accepted} requests were accepted and ${row?.count} rows are there`)
}

function perRequest(
  before: (number | undefined)[],
  after: (number | undefined)[],
  requests: number,
): (number | undefined)[] {
  return after.map((value, index) => {
    const start = before[index]
    return value === undefined || start === undefined
      ? undefined
      : round((value - start) / requests, 1)
  })
}

function lineOf(cell: Cell): string {
  const cpu = [cell.nodeMicros, cell.postgresMicros].map((micros) => micros ?? '-').join(' + ')
  return [
    `round ${cell.round}  ${String(cell.connections).padStart(3)} connections  ${cell.variant.padEnd(16)}`,
    `${String(cell.perSecond).padStart(6)}/s  p50 ${cell.p50Ms}  p95 ${cell.p95Ms}  p99 ${cell.p99Ms} ms  CPU ${cpu} µs`,
  ].join('')
}
