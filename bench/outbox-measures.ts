// What `bench outbox` measures of every contender: enqueueing, processing, the latency when idle, and fairness.
import { performance } from 'node:perf_hooks'
import type { Db } from '../src/db/connect.ts'
import { type Percentiles, pause, percentilesOf, round, treeCpuMicros } from './measure.ts'
import { type Contender, settleDown } from './outbox-contender.ts'
import { type Job, jobsFor, type World } from './outbox-world.ts'

export interface Measured {
  /** Calls that each wait for their commit, from 16 callers. */
  singlePerSecond: number
  /** A thousand at a time, as its users would add them. */
  bulkPerSecond: number
  /** A thousand at a time in one transaction. */
  fillPerSecond: number
  processPerSecond: number
  /** CPU time per job; undefined where there is no /proc. */
  nodeMicros: number
  postgresMicros: number | undefined
  /** One job at a time: from the call that adds it to the sender. */
  idle: Percentiles
  /** Small tenants' jobs behind a busy tenant's backlog: from their commit to the sender. */
  small: Percentiles
}

export interface MeasureOptions {
  /** How many are added by single calls, and how many in bulk. */
  singles: number
  bulk: number
  /** How many are processed. */
  jobs: number
  /** How many single jobs are timed. */
  samples: number
  /** What the busy tenant has waiting when the small ones come. */
  backlog: number
}

export interface Place {
  contender: Contender
  db: Db
  world: World
  postgresPid: number
}

const producers = 16
export const smallTenants = 50
export const jobsPerSmallTenant = 20
/** Nothing here takes longer, unless it is stuck. */
const patienceMs = 300_000

export async function measureContender(place: Place, options: MeasureOptions): Promise<Measured> {
  const enqueued = await measureEnqueue(place, options)
  const processed = await measureProcessing(place, options.jobs)
  const idle = await measureIdle(place, options.samples)
  const small = await measureFairness(place, options.backlog)
  return { ...enqueued, ...processed, idle, small }
}

async function measureEnqueue({ contender, db, world }: Place, { singles, bulk }: MeasureOptions) {
  await contender.clear()
  await settleDown(db)
  const waiting = jobsFor(world.small, singles)
  const single = await timed(async () => {
    const produce = async () => {
      for (let job = waiting.pop(); job; job = waiting.pop()) await contender.add(job)
    }
    await Promise.all(Array.from({ length: producers }, produce))
  })
  const many = jobsFor(world.small, bulk)
  const inBulk = await timed(async () => {
    for (let at = 0; at < many.length; at += 1000)
      await contender.addBulk(many.slice(at, at + 1000))
  })
  const there = await contender.remaining()
  if (there !== singles + bulk)
    throw new Error(`bug: ${singles + bulk} were added to ${contender.name} and ${there} are there`)
  return {
    singlePerSecond: round((singles / single) * 1000),
    bulkPerSecond: round((bulk / inBulk) * 1000),
  }
}

export async function measureProcessing(
  { contender, db, world, postgresPid }: Place,
  count: number,
) {
  await contender.clear()
  const fill = await timed(() => contender.fill(jobsFor(world.small, count)))
  await settleDown(db)
  const starts = watchStarts()
  // From the first tenth on: connections are open, statements planned, loops under way.
  const warm = Math.ceil(count / 10)
  const cpu = () => [nodeCpuMicros(), treeCpuMicros(postgresPid)] as const
  const working = await contender.work(starts.onStart)
  await starts.until(warm)
  const [nodeBefore, postgresBefore] = cpu()
  const fromMs = performance.now()
  await starts.until(count)
  const tookMs = performance.now() - fromMs
  // Before anybody hangs up: a backend that ended no longer counts everywhere.
  const [nodeAfter, postgresAfter] = cpu()
  await working.stop()
  const left = await contender.remaining()
  if (left > 0 || starts.count() !== count)
    throw new Error(
      `bug: ${contender.name} started ${starts.count()} of ${count}, ${left} are left`,
    )
  return {
    fillPerSecond: round((count / fill) * 1000),
    processPerSecond: round(((count - warm) / tookMs) * 1000),
    nodeMicros: round((nodeAfter - nodeBefore) / (count - warm), 1),
    postgresMicros:
      postgresBefore === undefined || postgresAfter === undefined
        ? undefined
        : round((postgresAfter - postgresBefore) / (count - warm), 1),
  }
}

async function measureIdle({ contender, db, world }: Place, samples: number): Promise<Percentiles> {
  await contender.clear()
  await settleDown(db)
  const starts = watchStarts()
  const working = await contender.work(starts.onStart)
  // Until it listens.
  await pause(500)
  const warmUp = Math.ceil(samples / 5)
  const latencies: number[] = []
  for (const job of jobsFor(world.small, samples + warmUp)) {
    // Uneven, so that it keeps step with no timer of a queue.
    await pause(20 + 30 * Math.random())
    const fromMs = performance.now()
    const added = contender.add(job)
    await starts.until(job.id + 1)
    if (job.id >= warmUp) latencies.push((starts.at.get(job.id) ?? 0) - fromMs)
    await added
  }
  await working.stop()
  return percentilesOf(latencies)
}

async function measureFairness({ contender, db, world }: Place, backlog: number) {
  await contender.clear()
  await contender.fill(jobsFor([world.busy], backlog))
  await settleDown(db)
  const starts = watchStarts()
  const working = await contender.work(starts.onStart)
  await starts.until(Math.min(1000, Math.ceil(backlog / 10)))
  const others = world.small.slice(0, smallTenants)
  const small: Job[] = jobsFor(others, others.length * jobsPerSmallTenant, backlog)
  await contender.fill(small)
  const fromMs = performance.now()
  await starts.untilAll(small.map((job) => job.id))
  await working.stop()
  return percentilesOf(small.map((job) => Math.max(0, (starts.at.get(job.id) ?? 0) - fromMs)))
}

/** When each job reached the sender. One that does so twice has been worked twice, which no figure would show. */
function watchStarts() {
  const at = new Map<number, number>()
  let twice: number | undefined
  let wanted = Number.POSITIVE_INFINITY
  let reached: () => void = () => undefined
  const pending = new Set<number>()

  function waitFor(isReached: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`A queue is stuck: it started ${at.size} jobs.`)),
        patienceMs,
      )
      reached = () => {
        if (!isReached()) return
        clearTimeout(timer)
        reached = () => undefined
        if (twice === undefined) resolve()
        else reject(new Error(`bug: job ${twice} was started twice`))
      }
      reached()
    })
  }

  return {
    at,
    count: () => at.size,
    onStart(jobId: number) {
      if (at.has(jobId)) twice = jobId
      at.set(jobId, performance.now())
      if (at.size >= wanted || (pending.delete(jobId) && pending.size === 0)) reached()
    },
    until(count: number): Promise<void> {
      wanted = count
      return waitFor(() => at.size >= count)
    },
    untilAll(jobIds: number[]): Promise<void> {
      wanted = Number.POSITIVE_INFINITY
      for (const id of jobIds) if (!at.has(id)) pending.add(id)
      return waitFor(() => pending.size === 0)
    },
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const fromMs = performance.now()
  await work()
  return performance.now() - fromMs
}

function nodeCpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
