// The engine of a queue in Postgres: claims what is due, keeps as much in flight as there is room, settles together what
// ended together, and keeps its lease alive. The lease is the process: a worker that cannot renew it drops what it holds,
// and another takes it up. What is claimed and what is done with it is the queue's own (outbox/worker.ts, events/worker.ts).
import { DatabaseUnavailable, type Db, sqlState } from '../db/connect.ts'
import type { Queue } from '../dispatch/queue.ts'
import { AppError } from '../errors.ts'
import { errorFields, type Log, type LogFields } from '../log.ts'
import { type BatchResult, createMicroBatch } from '../micro-batch.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import { createLeaseKeeper, type Lease, type LeaseKeeper } from './lease.ts'

/** What became of a claimed row; `lost`: nobody knows. */
export type Ended<Settled> = Settled | 'lost'

/** One row of a queue. */
export interface RowKey {
  tenantId: string
  id: string
}

/** A row that was claimed under a lease, and the attempt that was committed with the claim. */
export interface ClaimedRow extends RowKey {
  attemptId: string
}

/** What a process holds, as far as it knows. */
export interface Holdings {
  workerId: string
  attemptIds: string[]
  /** Claimed longer ago than that, and not among those: nobody here heard of the claim, or it was dropped untouched. */
  olderThanSeconds: number
}

/** Of rows that nobody seemed to know of, those of which that is still so. */
export function stillForgotten(rows: ClaimedRow[], holdings: Holdings | undefined): ClaimedRow[] {
  return rows.filter(({ attemptId }) => holdings?.attemptIds.includes(attemptId) === false)
}

export interface EngineOptions<Job extends ClaimedRow, Context, Result, Settled> {
  name: Queue['name']
  /** The first word of its log lines: `outbound` gives outbound_claim_lost. */
  word: 'outbound' | 'delivery'
  db: Db
  clock: Clock
  log: Log
  /** In this process. */
  maxInFlight: number
  claimAtOnce: number
  leaseSeconds: number
  /** Whether there is a point in claiming: a queue that is hardly used needs no lease and no heartbeat. */
  isAnythingDue?(): Promise<boolean>
  /** Commits its claims with their attempts; the database refuses a lost lease with ES001. `only`: this row, if any. */
  claim(workerId: string, room: number, only?: RowKey): Promise<Job[]>
  /** What they need to be worked, once for all that was claimed together. */
  lookUp(jobs: Job[]): Promise<(job: Job) => Context>
  /** Undefined when the lease was lost before anything was done. Never inside a transaction. */
  work(job: Job, context: Context, claim: ClaimTimes): Promise<Result | undefined>
  /** One transaction; one answer per result, in their order. */
  settle(results: Result[]): Promise<Settled[]>
  /** After the commit. */
  report(settled: Settled): void | Promise<void>
  logFieldsOf(job: Job): LogFields
  /**
   * Gives back, unspent, what this process holds without knowing. Holdings are to be asked for once the transaction has
   * begun, and again when the rows are found: what was claimed meanwhile is known by then, or its claim is under way,
   * whatever the clocks say. Undefined: no lease, or nobody can tell just now.
   */
  giveBackForgotten(holdings: () => Holdings | undefined): Promise<RowKey[]>
  /** At every heartbeat: takes back what dead processes held. True when something may be due now. */
  onBeat(beats: number): Promise<boolean>
}

/** When its claim was asked for and heard of, on the monotonic clock, and whether it is still ours. */
export interface ClaimTimes {
  isHeld(): boolean
  askedMs: number
  heardMs: number
}

export interface Engine<Settled = unknown> extends Queue {
  /** Claims, works and settles this one row. Undefined: it is not to be had now. `lost`: nobody knows what became of it. */
  runOne(row: RowKey): Promise<Ended<Settled> | undefined>
  /** What the heartbeat does besides: for those whose heart does not beat between calls. */
  tidy(): Promise<void>
  /** Waits for what is in flight, and gives up the lease. */
  stop(): Promise<void>
}

export function createEngine<Job extends ClaimedRow, Context, Result, Settled>(
  options: EngineOptions<Job, Context, Result, Settled>,
): Engine<Settled> {
  const { log, word, maxInFlight } = options
  const inFlight = new Set<Promise<Ended<Settled>>>()
  /** Room that a claim under way may fill. */
  let reserved = 0
  let isStopping = false
  let ring: () => void = () => undefined
  const settle = createSettling(options)
  const mind = async (beats: number) => {
    const isDue = await options.onBeat(beats)
    if ((await giveBackForgotten(options, inHand.holdings)) || isDue) ring()
  }
  const leases = createLeaseKeeper({
    ...options,
    onBeat: mind,
  })
  const inHand = keepInHand(leases, options.leaseSeconds)

  async function work(
    job: Job,
    context: Context,
    lease: Lease,
    claim: ClaimTimes,
  ): Promise<Ended<Settled>> {
    try {
      const result = await options.work(job, context, claim)
      if (result === undefined) {
        log.warn(`${word}_claim_lost`, options.logFieldsOf(job))
        return 'lost'
      }
      const settled = await settle(result)
      await options.report(settled)
      return settled
    } catch (error) {
      log.error(`${word}_broken`, { ...options.logFieldsOf(job), ...errorFields(error) })
      // What became of it is not known. It stays with its lease, which must run out for another to take it up.
      leases.lose(lease)
      return 'lost'
    }
  }

  async function runDue(): Promise<number> {
    while (inFlight.size >= maxInFlight) await Promise.race(inFlight)
    const room = Math.min(options.claimAtOnce, maxInFlight - inFlight.size - reserved)
    // No room while another loop claims: it goes on, and this one is rung for.
    if (isStopping || room <= 0) return 0
    if (options.isAnythingDue && !(await options.isAnythingDue())) return 0
    reserved += room
    try {
      return (await claimAndStart(room)).length
    } finally {
      reserved -= room
    }
  }

  async function claimAndStart(room: number, only?: RowKey): Promise<Promise<Ended<Settled>>[]> {
    const { lease, jobs, times } = await inHand.take(() => claim(options, leases, room, only))
    if (jobs.length === 0) return []
    // crash point: queue.claimed-before-work
    const contextOf = await options.lookUp(jobs).catch((error) => {
      for (const job of jobs) inHand.drop(job)
      throw error
    })
    return jobs.map((job) => {
      const task = work(job, contextOf(job), lease, times).finally(() => {
        inFlight.delete(task)
        inHand.drop(job)
        ring()
      })
      inFlight.add(task)
      return task
    })
  }

  const idle = async () => {
    while (inFlight.size > 0) await Promise.all(inFlight)
  }
  return {
    name: options.name,
    runDue,
    onFreed: (listener) => {
      ring = listener
    },
    idle,
    async runOne(row) {
      if (isStopping) throw new AppError('STOPPING', 503, 'This process is stopping. Try again.')
      return (await claimAndStart(1, row))[0]
    },
    // All that is done at every second beat.
    tidy: () => mind(2),
    async stop() {
      isStopping = true
      await idle()
      // crash point: queue.drained-before-lease-given-back
      await leases.stop()
    },
  }
}

async function claim<Job extends ClaimedRow, Context, Result, Settled>(
  options: EngineOptions<Job, Context, Result, Settled>,
  leases: LeaseKeeper,
  room: number,
  only?: RowKey,
): Promise<{ lease: Lease; jobs: Job[]; times: ClaimTimes }> {
  const { clock, leaseSeconds } = options
  const lease = await leases.take()
  const askedMs = clock.monotonicMs()
  const jobs = await options.claim(lease.workerId, room, only).catch((error) => {
    if (sqlState(error) !== 'ES001') throw error
    leases.lose(lease)
    return []
  })
  const times = { isHeld: lease.isHeld, askedMs, heardMs: clock.monotonicMs() }
  // Heard of so late, they could be given back as forgotten while they are worked.
  const isLate = times.heardMs - askedMs > (leaseSeconds * 1000) / 2
  return { lease, jobs: isLate ? [] : jobs, times }
}

/** What this process knows to be its own. */
function keepInHand(leases: LeaseKeeper, olderThanSeconds: number) {
  const attempts = new Set<string>()
  let claimsUnderWay = 0
  return {
    async take<Claim extends { jobs: ClaimedRow[] }>(claim: () => Promise<Claim>): Promise<Claim> {
      claimsUnderWay += 1
      try {
        const claimed = await claim()
        for (const { attemptId } of claimed.jobs) attempts.add(attemptId)
        return claimed
      } finally {
        claimsUnderWay -= 1
      }
    },
    drop: ({ attemptId }: ClaimedRow) => attempts.delete(attemptId),
    holdings(): Holdings | undefined {
      const lease = leases.current()
      if (!lease || claimsUnderWay > 0) return undefined
      return { workerId: lease.workerId, attemptIds: [...attempts], olderThanSeconds }
    },
  }
}

/**
 * The answer to a claim can be lost after its commit, or come so late that it was dropped: its rows would stand still for as
 * long as this process lives.
 */
async function giveBackForgotten<Job extends ClaimedRow, Context, Result, Settled>(
  options: EngineOptions<Job, Context, Result, Settled>,
  holdings: () => Holdings | undefined,
): Promise<boolean> {
  if (!holdings()) return false
  const rows = await options.giveBackForgotten(holdings)
  if (rows.length > 0) options.log.warn(`${options.word}_claim_forgotten`, { count: rows.length })
  return rows.length > 0
}

/** What ended together is settled together. */
function createSettling<Job extends ClaimedRow, Context, Result, Settled>(
  options: EngineOptions<Job, Context, Result, Settled>,
): (result: Result) => Promise<Settled> {
  const { clock, log, word } = options

  async function settleAll(results: Result[]): Promise<BatchResult<Settled>[]> {
    for (let failures = 1; ; failures++) {
      try {
        return (await options.settle(results)).map((value) => ({ value }))
      } catch (error) {
        log.warn(`${word}_settle_failed`, { count: failures, ...errorFields(error) })
        // What is known of an attempt is not given up because the database is away.
        if (!(error instanceof DatabaseUnavailable) && failures >= 3) {
          if (results.length === 1) return [{ error: error as Error }]
          return settleEach(results)
        }
        await sleep(clock, Math.min(5_000, 100 * 2 ** failures))
      }
    }
  }

  /** One that cannot be written down takes no other with it. */
  async function settleEach(results: Result[]): Promise<BatchResult<Settled>[]> {
    const settled: BatchResult<Settled>[] = []
    for (const result of results) settled.push(...(await settleAll([result])))
    return settled
  }

  const batch = createMicroBatch<Result, Settled>({
    clock,
    run: settleAll,
    maxInFlight: 2,
    fewItems: 16,
    patienceMs: 25,
    maxItems: 200,
    weigh: () => 1,
    maxWeight: 200,
    maxWaitingItems: Number.POSITIVE_INFINITY,
    maxWaitingWeight: Number.POSITIVE_INFINITY,
    // No limit: the longest that a timer takes.
    deadlineMs: 2 ** 31 - 1,
  })
  return batch.submit
}
