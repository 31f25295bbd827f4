// `bench inbound`: webhook to readable message, end to end, and how its cost grows with what is stored already.
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { sql } from '../src/db/connect.ts'
import { type BenchServer, explain, startServer } from './child.ts'
import { fill, someContacts, someUnread } from './fill.ts'
import { createFolder, removeFolder } from './folders.ts'
import {
  type InboundCell,
  type InboundReport,
  storedForLatency,
  summarizeInbound,
} from './inbound-report.ts'
import { startLoad } from './load.ts'
import {
  describeMachine,
  type Percentiles,
  pause,
  percentilesOf,
  round,
  treeCpuMicros,
} from './measure.ts'
import { messageBody, newWamid, signedRequest, statusBody } from './payloads.ts'
import {
  type BenchDatabase,
  type BenchPostgres,
  postgresSettings,
  startBenchPostgres,
} from './postgres.ts'

export interface InboundOptions {
  rounds: number
  /** How many messages are stored beforehand; the first is what the others are compared with. */
  sizes: number[]
  /** How many events are received and processed at each size in each round. */
  events: number
  /** How many single messages are timed. */
  samples: number
  say: (line: string) => void
}

interface Store {
  size: number
  database: BenchDatabase
  server: BenchServer
}

/** How many lines a run says: for who shows how far it is. */
export function inboundSteps({ rounds, sizes }: InboundOptions): number {
  return sizes.length + 1 + rounds * sizes.length
}

export async function benchInbound(
  options: InboundOptions,
  startPostgres = startBenchPostgres,
): Promise<InboundReport> {
  const logs = await createFolder('bench-log')
  const postgres = await startPostgres()
  const stores: Store[] = []
  try {
    for (const size of options.sizes) stores.push(await openStore(postgres, size, logs, options))
    const latency = await measureLatency(postgres, options, logs)
    // V8 compiles and the caches fill: the first pass at each size is not counted.
    for (const store of stores) await measureOne(postgres, store, 0, options.events)
    const cells: InboundCell[] = []
    for (let roundNumber = 1; roundNumber <= options.rounds; roundNumber++) {
      const turn = roundNumber % stores.length
      for (const store of [...stores.slice(turn), ...stores.slice(0, turn)]) {
        const cell = await measureOne(postgres, store, roundNumber, options.events)
        cells.push(cell)
        options.say(lineOf(cell))
      }
    }
    return summarizeInbound({
      machine: describeMachine(postgres.version),
      settings: {
        rounds: options.rounds,
        sizes: options.sizes,
        events: options.events,
        samples: options.samples,
        postgres: postgresSettings,
      },
      latency,
      cells,
      notes: [],
    })
  } finally {
    for (const store of stores) await store.server.stop()
    await postgres.stop()
    await removeFolder(logs)
  }
}

async function openStore(
  postgres: BenchPostgres,
  size: number,
  logs: string,
  { say }: InboundOptions,
): Promise<Store> {
  const startedAt = performance.now()
  const database = await postgres.createDatabase(`stored_${size}`)
  await fill(database, size)
  say(`${size} messages stored in ${round((performance.now() - startedAt) / 1000, 1)} s`)
  const { url } = database
  const logFile = join(logs, `${size}.log`)
  const server = await startServer({ kind: 'gateway', roles: 'api', databaseUrl: url }, logFile)
  return { size, database, server }
}

/** Receives a batch of webhooks over HTTP, then processes them as a worker does; each part for itself. */
async function measureOne(
  postgres: BenchPostgres,
  { size, database, server }: Store,
  roundNumber: number,
  events: number,
): Promise<InboundCell> {
  const requests = (await newEvents(database, events)).map((body) => signedRequest(body))
  const times = async () => ({
    node: await server.cpuMicros(),
    postgres: treeCpuMicros(postgres.pid) ?? 0,
    wal: await walPosition(database),
    at: performance.now(),
  })
  const start = await times()
  const load = await startLoad({ url: server.url, requests, connections: 64 })
  await load.finished
  await load.stop().catch((error) => explain(server, error))
  const received = await times()
  const processed = await server.drain()
  const end = await times()
  if (processed !== events)
    throw new Error(`bug: ${events} events were delivered and ${processed} were processed`)
  const micros = (from: typeof start, to: typeof start) =>
    round((to.node - from.node + to.postgres - from.postgres) / events, 1)
  const perSecond = (from: typeof start, to: typeof start) =>
    round((events / (to.at - from.at)) * 1000)
  return {
    round: roundNumber,
    storedMessages: size,
    receivedPerSecond: perSecond(start, received),
    processedPerSecond: perSecond(received, end),
    receiveMicros: micros(start, received),
    processMicros: micros(received, end),
    processNodeMicros: round((end.node - received.node) / events, 1),
    walBytesPerEvent: round((end.wal - start.wal) / events),
  }
}

async function walPosition({ db }: BenchDatabase): Promise<number> {
  const [row] = await db.query(sql<{ bytes: string }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as bytes`)
  return Number(row?.bytes)
}

/** Half are messages, nine in ten of them from known people; half say that a message of ours was read. */
async function newEvents(database: BenchDatabase, count: number): Promise<Buffer[]> {
  const contacts = await someContacts(database, Math.ceil(count / 2))
  const unread = await someUnread(database, Math.floor(count / 2))
  const bodies: Buffer[] = []
  for (let index = 0; bodies.length < count; index++) {
    const contact = contacts[index % contacts.length]
    if (!contact) throw new Error('bug: nobody is stored')
    const isNew = index % 10 === 9
    const from = isNew ? `4917${String(Math.random()).slice(2, 11)}` : contact.waId
    const name = isNew ? 'New here' : contact.name
    bodies.push(messageBody({ number: contact.number, from, name, wamid: newWamid(from) }))
    if (bodies.length === count) break
    const step = unread[index]
    // Without them the sizes would be given different work.
    if (!step) throw new Error(`Too few messages are stored for ${count} events a round.`)
    bodies.push(statusBody(step.number, step.wamid, step.waId, 'read'))
  }
  return bodies
}

/** One message at a time, with pauses: from the webhook's first byte to the row that the API reads. */
async function measureLatency(
  postgres: BenchPostgres,
  options: InboundOptions,
  logs: string,
): Promise<Percentiles> {
  const database = await postgres.createDatabase('latency')
  await fill(database, storedForLatency(options.sizes))
  const server = await startServer(
    { kind: 'gateway', roles: 'api,worker', databaseUrl: database.url },
    join(logs, 'latency.log'),
  )
  try {
    const latencies: number[] = []
    const warmUp = Math.ceil(options.samples / 5)
    const contacts = await someContacts(database, 100)
    for (let index = 0; index < options.samples + warmUp; index++) {
      const contact = contacts[index % contacts.length]
      if (!contact) throw new Error('bug: nobody is stored')
      const { number, waId, name, tenantId } = contact
      const wamid = newWamid(waId)
      const requests = [signedRequest(messageBody({ number, from: waId, name, wamid }))]
      // Uneven, so that it keeps step with no timer of the gateway.
      await pause(20 + 30 * Math.random())
      const startedAt = performance.now()
      const load = await startLoad({ url: server.url, requests, connections: 1 })
      await load.finished
      await untilReadable(database, tenantId, wamid)
      if (index >= warmUp) latencies.push(performance.now() - startedAt)
    }
    const percentiles = percentilesOf(latencies)
    options.say(
      `one at a time, webhook to readable message: p50 ${percentiles.p50Ms}  p95 ${percentiles.p95Ms}  p99 ${percentiles.p99Ms} ms`,
    )
    return percentiles
  } finally {
    await server.stop()
  }
}

async function untilReadable(
  { db }: BenchDatabase,
  tenantId: string,
  wamid: string,
): Promise<void> {
  const deadline = performance.now() + 30_000
  while (performance.now() < deadline) {
    const rows = await db.query(sql`
      select 1 from whatsapp_messages where tenant_id = ${tenantId} and wamid = ${wamid}`)
    if (rows.length > 0) return
    await pause(1)
  }
  throw new Error('A message was not readable within 30 seconds.')
}

function lineOf(cell: InboundCell): string {
  return [
    `round ${cell.round}  ${String(cell.storedMessages).padStart(8)} stored  `,
    `received ${cell.receivedPerSecond}/s  processed ${cell.processedPerSecond}/s  `,
    `CPU ${cell.receiveMicros} + ${cell.processMicros} µs (node ${cell.processNodeMicros})  `,
    `WAL ${cell.walBytesPerEvent} B`,
  ].join('')
}
