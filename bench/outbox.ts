// `bench outbox`: the send queue beside graphile-worker and pg-boss on the same payloads with a sender that does
// nothing, its claims out of backlogs of every size, and real sends to the simulator. Everything in one run, in turns,
// so that what disturbs one disturbs all; only the ratios of a run mean anything.
import { join } from 'node:path'
import { createFolder, removeFolder } from './folders.ts'
import { describeMachine } from './measure.ts'
import {
  type Backlog,
  type ClaimCell,
  checkBacklog,
  measureClaims,
  openBacklog,
} from './outbox-claims.ts'
import type { Contender } from './outbox-contender.ts'
import { type HttpCell, measureBare, measureGateway, startBenchSimulator } from './outbox-http.ts'
import {
  jobsPerSmallTenant,
  type MeasureOptions,
  measureContender,
  measureProcessing,
  type Place,
  smallTenants,
} from './outbox-measures.ts'
import { capPerTenant, type Ours, openOurs } from './outbox-ours.ts'
import { openGraphileWorker, openPgBoss, peerSettings } from './outbox-peers.ts'
import { type OutboxCell, type OutboxReport, summarizeOutbox } from './outbox-report.ts'
import { createWorld, type World, type WorldSize } from './outbox-world.ts'
import {
  type BenchDatabase,
  type BenchPostgres,
  postgresSettings,
  startBenchPostgres,
} from './postgres.ts'

export interface OutboxOptions extends MeasureOptions {
  rounds: number
  /** How many are pending when claims are timed; each is compared with the one before. */
  pending: number[]
  /** How many wait behind a retry of their recipient, on top of the size before the last. */
  deepLane: number
  /** How many claims are timed at each size in each round. */
  claims: number
  /** How many are sent to the simulator. */
  httpSends: number
  /** How many take part; the usual number when absent. */
  size?: WorldSize
  say: (line: string) => void
}

const whatIsIncluded = ({ backlog }: OutboxOptions) => [
  'ours, processed: claim with its attempt’s row, a look at message, window and token, the token unsealed, a sender that accepts at once, the settle with attempt, message and early statuses, a log line. The peers: fetch, an empty handler, complete; no rows of their own, no cap, no order, no fairness, no attempts, no log.',
  'ours, queue alone: claim with its attempt’s row and settle, 100 at a time on 4 connections; cap, order and fairness on.',
  'ours, single and bulk: tenant, number and window looked up (no Idempotency-Key is sent), then contact, conversation, message and outbox row in shared transactions; bulk is 256 callers at once. rows: message and outbox row, 1000 in a transaction. The peers: a row of their queue; bulk is 1000 in a call.',
  `small tenants: ${smallTenants} of them add ${jobsPerSmallTenant} messages each while a busy one has ${backlog} waiting. The ratio hangs on that: behind a longer backlog the peers’ small tenants wait longer. pg-boss can cap groups (groupConcurrency); that is not on here.`,
  'The peers run one sensible configuration each (settings.peers), which nobody searched for; ours was read and changed beside them.',
  `Every tenant may have ${capPerTenant} in flight and Meta’s pace is not kept, or it would be what is measured.`,
]

/** How many lines a run says: for who shows how far it is. */
export function outboxSteps({ rounds, pending }: OutboxOptions): number {
  const [backlogs, contenders] = [pending.length + 1, 3]
  return backlogs + rounds * (contenders + backlogs + 1)
}

export async function benchOutbox(
  options: OutboxOptions,
  startPostgres = startBenchPostgres,
): Promise<OutboxReport> {
  const logs = await createFolder('bench-log')
  const postgres = await startPostgres()
  const world = createWorld(options.size)
  const simulator = await startBenchSimulator(world)
  const opened: Contender[] = []
  const notes = whatIsIncluded(options)
  try {
    const database = await postgres.createDatabase('ours')
    const ours = await openOurs(database, world, join(logs, 'ours.log'), simulator.url)
    opened.push(ours)
    const place = { contender: ours, db: database.db, world, postgresPid: postgres.pid }
    const places: Place[] = [place, ...(await openPeers(postgres, world, opened, notes))]
    const backlogs = await openBacklogs(postgres, ours, options)
    const run = { options, ours, database, places, backlogs, simulatorUrl: simulator.url, world }
    const cells = await runRounds(run)
    for (const backlog of backlogs) await checkBacklog(backlog)
    return summarizeOutbox({
      machine: describeMachine(postgres.version),
      settings: settingsOf(options),
      ...cells,
      notes,
    })
  } finally {
    for (const contender of opened) await contender.close()
    simulator.stop()
    await postgres.stop()
    await removeFolder(logs)
  }
}

function settingsOf({ say: _say, ...options }: OutboxOptions): Record<string, unknown> {
  return { ...options, capPerTenant, peers: peerSettings, postgres: postgresSettings }
}

/** One that is not installed, or does not run here, is left out. */
async function openPeers(
  postgres: BenchPostgres,
  world: World,
  opened: Contender[],
  notes: string[],
): Promise<Place[]> {
  const places: Place[] = []
  for (const [name, open] of [
    ['graphile-worker', openGraphileWorker],
    ['pg-boss', openPgBoss],
  ] as const) {
    const database = await postgres.createDatabase(name.replace('-', '_'))
    try {
      const contender = await open(database)
      opened.push(contender)
      places.push({ contender, db: database.db, world, postgresPid: postgres.pid })
    } catch (error) {
      const { code } = error as { code?: string }
      const why =
        code === 'ERR_MODULE_NOT_FOUND'
          ? 'is not installed (in a clone of the repository it is: npm ci && node dist/src/cli.js bench outbox)'
          : `could not be started here (${code ?? 'error'})`
      notes.push(`${name} ${why}, so it was left out.`)
    }
  }
  return places
}

async function openBacklogs(
  postgres: BenchPostgres,
  { runtime }: Ours,
  { pending, deepLane, size, say }: OutboxOptions,
): Promise<Backlog[]> {
  const backlogs: Backlog[] = []
  const open = (pending: number, deepLane: number) =>
    openBacklog(postgres, runtime.vault, { pending, deepLane, size })
  for (const count of pending) {
    backlogs.push(await open(count, 0))
    say(`${count} pending`)
  }
  const base = pending.at(-2) ?? pending.at(-1)
  if (base === undefined) return backlogs
  backlogs.push(await open(base, deepLane))
  say(`${base} pending and ${deepLane} behind one that waits`)
  return backlogs
}

interface Run {
  options: OutboxOptions
  ours: Ours
  database: BenchDatabase
  places: Place[]
  backlogs: Backlog[]
  simulatorUrl: string
  world: World
}

async function runRounds(run: Run) {
  const { options, places, backlogs } = run
  const cells: OutboxCell[] = []
  const claimCells: ClaimCell[] = []
  const httpCells: HttpCell[] = []
  // V8 compiles and statements are planned: this pass is not counted.
  for (const place of places) await measureProcessing(place, Math.ceil(options.jobs / 3))
  await measureClaims(backlogs, 0, 3)
  await measureBare(run.simulatorUrl, run.world, Math.ceil(options.httpSends / 3))
  for (let roundNumber = 1; roundNumber <= options.rounds; roundNumber++) {
    const turn = roundNumber % places.length
    for (const place of [...places.slice(turn), ...places.slice(0, turn)]) {
      const measured = await measureContender(place, options)
      const contender = place.contender.name
      const alone = contender === 'ours' ? await measureQueueAlone(run) : {}
      const cell = { round: roundNumber, contender, ...measured, ...alone }
      cells.push(cell)
      options.say(lineOf(cell))
    }
    for (const cell of await measureClaims(backlogs, roundNumber, options.claims)) {
      claimCells.push(cell)
      options.say(claimLineOf(cell))
    }
    const http = await measureHttp(run, roundNumber)
    httpCells.push(http)
    options.say(
      `round ${roundNumber}  HTTP  gateway ${http.gatewayPerSecond}/s  bare ${http.barePerSecond}/s`,
    )
  }
  return { cells, claimCells, httpCells }
}

async function measureQueueAlone({ ours, places, options }: Run) {
  const [place] = places
  if (!place) throw new Error('bug: ours has no place')
  const contender = { ...ours, work: ours.workQueueAlone }
  const { processPerSecond } = await measureProcessing({ ...place, contender }, options.jobs)
  return { queueAlonePerSecond: processPerSecond }
}

async function measureHttp(run: Run, roundNumber: number): Promise<HttpCell> {
  const { ours, database, world, simulatorUrl, options } = run
  const gateway = () => measureGateway(ours, database, world, options.httpSends)
  const bare = () => measureBare(simulatorUrl, world, options.httpSends)
  // Another one goes first each time.
  if (roundNumber % 2 === 0)
    return { round: roundNumber, gatewayPerSecond: await gateway(), barePerSecond: await bare() }
  return { round: roundNumber, barePerSecond: await bare(), gatewayPerSecond: await gateway() }
}

function lineOf(cell: OutboxCell): string {
  const { idle, small } = cell
  const alone = cell.queueAlonePerSecond ? `  alone ${cell.queueAlonePerSecond}/s` : ''
  return [
    `round ${cell.round}  ${cell.contender.padEnd(15)}  single ${cell.singlePerSecond}/s  bulk ${cell.bulkPerSecond}/s  `,
    `rows ${cell.fillPerSecond}/s  processed ${cell.processPerSecond}/s${alone}  `,
    `CPU ${cell.nodeMicros} + ${cell.postgresMicros ?? '-'} µs  idle ${idle.p50Ms} / ${idle.p95Ms} / ${idle.p99Ms} ms  `,
    `small tenants ${small.p50Ms} / ${small.p95Ms} ms`,
  ].join('')
}

function claimLineOf(cell: ClaimCell): string {
  const lane = cell.deepLane > 0 ? ` and ${cell.deepLane} behind one that waits` : ''
  return `round ${cell.round}  claim of ${cell.claimed} out of ${cell.pending}${lane}  p50 ${cell.p50Ms}  p95 ${cell.p95Ms} ms`
}
