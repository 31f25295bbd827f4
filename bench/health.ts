// `bench health`: how long `GET /api/admin/whatsapp/health` takes, over HTTP, with much and with little in the database. In
// turns, one question to each at a time, so that what disturbs one disturbs all.
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { sampleBacklogs } from '../src/ops/backlog.ts'
import { systemClock } from '../src/time-and-chance.ts'
import { type BenchServer, startServer } from './child.ts'
import { createFolder, removeFolder } from './folders.ts'
import { type Filling, fillForHealth } from './health-fill.ts'
import {
  type HealthCell,
  type HealthReport,
  type Size,
  sizes,
  summarizeHealth,
} from './health-report.ts'
import { describeMachine, percentilesOf } from './measure.ts'
import { type BenchPostgres, postgresSettings, startBenchPostgres } from './postgres.ts'

export interface HealthOptions {
  rounds: number
  /** Questions to each in a round. */
  samples: number
  /** Events, and as many sends. */
  rows: number
  tenants: number
  say: (line: string) => void
}

/** The longest backlog that is counted for every question (ops/backlog.ts). */
const countedRows = 5_000
const fewRows = 100

const path = '/api/admin/whatsapp/health'
const operatorKey = 'operator-key-of-the-bench-0001'

const notes = [
  'few: 100 webhooks and 100 messages wait. counted: 5 000 of each and 5 000 dead letters, the most that is counted for every question. past: all rows are long done. waiting: all of them wait, and a tenth as many dead letters; answered from the sample that a worker takes every half minute.',
  'One question at a time on a kept connection, the answer read to its end.',
]

/** How many lines a run says: for who shows how far it is. */
export function healthSteps({ rounds }: HealthOptions): number {
  return sizes.length + rounds
}

export async function benchHealth(
  options: HealthOptions,
  startPostgres = startBenchPostgres,
): Promise<HealthReport> {
  const { say, ...settings } = options
  const logs = await createFolder('bench-log')
  const postgres = await startPostgres()
  const urls = new Map<Size, string>()
  const servers = new Map<Size, BenchServer>()
  let sampleMs = 0
  try {
    for (const size of sizes) {
      const filled = await fill(postgres, size, options)
      urls.set(size, filled.url)
      sampleMs = Math.max(sampleMs, filled.sampleMs)
      say(`${size} is filled`)
    }
    await Promise.all(
      [...urls].map(async ([size, databaseUrl]) => {
        const logFile = join(logs, `${size}.log`)
        servers.set(
          size,
          await startServer({ kind: 'gateway', databaseUrl, roles: 'api' }, logFile),
        )
      }),
    )
    // V8 compiles and statements are planned: this pass is not counted.
    await measure(servers, 0, Math.min(50, options.samples))
    const cells: HealthCell[] = []
    for (let roundNumber = 1; roundNumber <= options.rounds; roundNumber++) {
      const measured = await measure(servers, roundNumber, options.samples)
      cells.push(...measured)
      say(
        `round ${roundNumber}  ${measured.map((cell) => `${cell.size} ${cell.p50Ms} / ${cell.p95Ms} ms`).join('  ')}`,
      )
    }
    return summarizeHealth({
      machine: describeMachine(postgres.version),
      settings: { ...settings, postgres: postgresSettings },
      sampleMs,
      cells,
      notes,
    })
  } finally {
    for (const server of servers.values()) await server.stop()
    await postgres.stop()
    await removeFolder(logs)
  }
}

function fillingOf(size: Size, { rows, tenants }: HealthOptions): Filling {
  switch (size) {
    case 'few':
      return { tenants, rows: fewRows, isWaiting: true, deadLetters: fewRows }
    case 'counted': {
      const counted = Math.min(rows, countedRows)
      return { tenants, rows: counted, isWaiting: true, deadLetters: counted }
    }
    case 'past':
      return { tenants, rows, isWaiting: false, deadLetters: fewRows }
    case 'waiting':
      return { tenants, rows, isWaiting: true, deadLetters: Math.ceil(rows / 10) }
  }
}

async function fill(postgres: BenchPostgres, size: Size, options: HealthOptions) {
  const { db, url } = await postgres.createDatabase(`health_${size}`)
  await fillForHealth(db, fillingOf(size, options))
  // What a worker does: none runs here, because it would also work the backlog off.
  const fromMs = performance.now()
  await sampleBacklogs({ db, clock: systemClock })
  const sampleMs = performance.now() - fromMs
  return { url, sampleMs }
}

async function measure(
  servers: Map<Size, BenchServer>,
  roundNumber: number,
  samples: number,
): Promise<HealthCell[]> {
  const times = new Map<Size, number[]>(sizes.map((size) => [size, []]))
  for (let sample = 0; sample < samples; sample++) {
    for (const [size, { url }] of servers) {
      const fromMs = performance.now()
      const answer = await fetch(url + path, {
        headers: { authorization: `Bearer ${operatorKey}` },
      })
      await answer.arrayBuffer()
      times.get(size)?.push(performance.now() - fromMs)
      if (answer.status !== 200) throw new Error(`health was answered ${answer.status}`)
    }
  }
  return sizes.map((size) => ({
    round: roundNumber,
    size,
    ...percentilesOf(times.get(size) ?? []),
  }))
}
