// The benches run and their reports have their shape. What they measure here means nothing.
import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import type { BenchPostgres } from '../bench/postgres.ts'
import { afterFile } from './support/after-file.ts'
import { bundleInPlace } from './support/bundle-program.ts'
import { resource } from './support/resources.ts'
import { hasty } from './support/shared-postgres.ts'

/** A copy of what was built, which others look at. */
const { build } = await resource('programs')
const folder = join(dirname(build), '..', `tried-bench-${process.pid}`)
afterFile(() => rm(folder, { recursive: true, force: true }))
await cp(join(folder, '..', 'bench'), folder, { recursive: true })

/** As they are built: from source each of their processes would take seconds to start. */
function built<Module>(file: string): Promise<Module> {
  return import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)
}
const { startBenchPostgres } = await built<typeof import('../bench/postgres.ts')>('postgres.js')
const { benchCost, costSteps } = await built<typeof import('../bench/cost.ts')>('cost.js')
const { benchHealth, healthSteps } = await built<typeof import('../bench/health.ts')>('health.js')
const { benchInbound, inboundSteps } =
  await built<typeof import('../bench/inbound.ts')>('inbound.js')
const { benchIngest, ingestSteps } = await built<typeof import('../bench/ingest.ts')>('ingest.js')
const { benchOutbox, outboxSteps } = await built<typeof import('../bench/outbox.ts')>('outbox.js')

const spread = { median: expect.any(Number), min: expect.any(Number), max: expect.any(Number) }
let shared: () => Promise<BenchPostgres>

// One Postgres for all of them: one each would take as long as all that is tried here. And what they start a dozen times
// in one file.
beforeAll(async () => {
  await bundleInPlace(folder, 'server.js')
  const postgres = await startBenchPostgres(hasty)
  afterFile(() => postgres.stop())
  shared = async () => ({ ...postgres, stop: async () => undefined })
})

/** On the shared server; says as many lines as those expect who show how far it is. */
async function run<Options, Report>(
  bench: (options: Options & Saying, start: typeof shared) => Promise<Report>,
  stepsOf: (options: Options & Saying) => number,
  options: Options,
): Promise<Report> {
  const lines: string[] = []
  const given = { ...options, say: (line: string) => void lines.push(line) }
  const report = await bench(given, shared)
  expect(lines).toHaveLength(stepsOf(given))
  return report
}

interface Saying {
  say: (line: string) => void
}

// At once: each waits for most of its time.
describe.concurrent('the benches', () => {
  test('health asks at every size', async () => {
    const report = await run(benchHealth, healthSteps, {
      rounds: 1,
      samples: 3,
      rows: 20,
      tenants: 2,
    })

    expect(report.summary).toMatchObject(
      ['few', 'counted', 'past', 'waiting'].map((size) => ({
        size,
        p50Ms: spread,
        p99Ms: spread,
        growth: spread,
      })),
    )
    expect(report.targets.map(({ limit, unit, isMet }) => [limit, unit, typeof isMet])).toEqual(
      Array.from({ length: 3 }, () => [50, ' ms', 'boolean']),
    )
    expect(JSON.stringify(report)).not.toMatch(/\/tmp|\/home|\/root|localhost|postgres:\/\//)
  })

  test('cost counts each kind of message in every form, with and without tasks', async () => {
    const report = await run(benchCost, costSteps, { rounds: 1, messages: 2, idleSeconds: 0.01 })

    const cases = [
      'idle a minute',
      'received alone',
      'sent alone',
      'received together',
      'sent together',
    ]
    expect(report.summary.map(({ dispatch, kind, form }) => `${dispatch} ${kind} ${form}`)).toEqual(
      ['postgres', 'cloud-tasks'].flatMap((it) => cases.map((one) => `${it} ${one}`)),
    )
    // The others write to the same server meanwhile: only whose tasks these are is known.
    for (const one of report.summary)
      expect(one).toMatchObject({ commits: spread, walBytes: spread, tasks: spread })
    expect(report.cells.filter(({ tasks }) => tasks > 0).map(({ dispatch }) => dispatch)).toEqual(
      expect.not.arrayContaining(['postgres']),
    )
    expect(JSON.stringify(report)).not.toMatch(/\/tmp|\/home|\/root|localhost|postgres:\/\//)
  })

  test('ingest compares every variant at every number of connections', async () => {
    const report = await run(benchIngest, ingestSteps, {
      rounds: 1,
      seconds: 0.1,
      connections: [4],
      requestsToWarmUp: 10,
      pgbench: undefined,
    })

    const variants = ['ours', 'one-row-pool-10', 'one-row-pool-20', 'bare']
    expect(report.cells.map((cell) => cell.variant)).toEqual(expect.arrayContaining(variants))
    expect(report.machine).toMatchObject({
      cores: expect.any(Number),
      postgres: expect.stringMatching(/^\d/),
    })
    const ours = report.summary.find((one) => one.variant === 'ours')
    expect(ours).toMatchObject({ connections: 4, perSecond: spread, throughputVsPool10: spread })
    expect(report.targets).toHaveLength(3)
    // A result file is published: it names neither this machine nor its folders.
    expect(JSON.stringify(report)).not.toMatch(/\/tmp|\/home|\/root|localhost|postgres:\/\//)
  })

  test('inbound measures latency, and the cost at every size', async () => {
    const report = await run(benchInbound, inboundSteps, {
      rounds: 1,
      sizes: [100, 200],
      events: 20,
      samples: 2,
    })

    expect(report.cells.map((cell) => cell.storedMessages).sort()).toEqual([100, 200])
    expect(report.latency).toMatchObject({ p50Ms: expect.any(Number), p99Ms: expect.any(Number) })
    expect(report.summary.at(-1)).toMatchObject({
      storedMessages: 200,
      cpuMicros: spread,
      timeGrowth: spread,
    })
    expect(report.targets[0]?.limit).toBe(1.3)
  })

  test('outbox compares every queue on the same work, and its claims at every size', async () => {
    const report = await run(benchOutbox, outboxSteps, {
      rounds: 1,
      jobs: 30,
      singles: 10,
      bulk: 10,
      samples: 2,
      backlog: 30,
      pending: [40, 80],
      deepLane: 30,
      claims: 2,
      httpSends: 30,
      size: { smallTenants: 4, peopleOfSmall: 10, peopleOfBusy: 20 },
    })

    const contenders = ['ours', 'graphile-worker', 'pg-boss']
    expect(report.cells.map((cell) => cell.contender).sort()).toEqual([...contenders].sort())
    const ours = report.summary.find((one) => one.contender === 'ours')
    expect(ours).toMatchObject({
      processPerSecond: spread,
      queueAlonePerSecond: spread,
      idleP95Ms: spread,
      smallP95Ms: spread,
    })
    expect(report.claims).toMatchObject([
      { pending: 40, deepLane: 0 },
      { pending: 80, deepLane: 0, growth: spread },
      { pending: 40, deepLane: 30, growth: spread },
    ])
    expect(report.http.ratio).toEqual(spread)
    // With as few as these, what a ratio is taken of may be nothing: then there is no ratio, and no verdict.
    expect(report.targets.map((target) => target.limit)).toEqual([
      0.6, 0.6, 1.2, 1.2, 0.1, 1, 1.5, 1.5,
    ])
    expect(report.notes).toContainEqual(expect.stringContaining('while a busy one has 30 waiting'))
    for (const { measured, isMet } of report.targets)
      expect(typeof isMet).toBe(measured ? 'boolean' : 'undefined')
    expect(JSON.stringify(report)).not.toMatch(/\/tmp|\/home|\/root|localhost|postgres:\/\//)
  })
})
