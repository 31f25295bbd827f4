// Step 2 of sending, the engine: claims what is due, keeps as much in flight as there is room, and its lease alive.
// The lease is the process: a worker that cannot renew it drops what it holds, and another takes it up.
import { DatabaseUnavailable, type Db, sqlState } from '../db/connect.ts'
import type { Queue } from '../dispatch/queue.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type BatchResult, createMicroBatch } from '../micro-batch.ts'
import { type Clock, type Random, sleep } from '../time-and-chance.ts'
import { createLeaseKeeper, type Lease } from './lease.ts'
import type { ClaimedSend } from './model.ts'
import { claimSends, reapWorkers, sweepAlarms } from './queue-queries.ts'
import { reportSettled } from './report.ts'
import { type Sender, type SendResult, sendOne, unsentOutcome } from './send.ts'
import { type SendContext, selectContexts } from './send-queries.ts'
import { type Settled, type Settler, settleResults } from './settle.ts'

export interface SendWorkerOptions extends Sender, Settler {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  /** Sends in flight per tenant, for tenants without a value of their own. */
  defaultCap: number
  /** Sends in flight in this process. */
  maxInFlight?: number
  leaseSeconds?: number
}

export interface SendWorker extends Queue {
  /** Waits for what is in flight, and gives up the lease. */
  stop(): Promise<void>
}

const claimAtOnce = 100

export function createSendWorker(options: SendWorkerOptions): SendWorker {
  const { db, log, maxInFlight = 256, leaseSeconds = 15 } = options
  const inFlight = new Set<Promise<void>>()
  /** Room that a claim under way may fill. */
  let reserved = 0
  let isStopping = false
  let ring: () => void = () => undefined
  const settle = createSettling(options)
  const leases = createLeaseKeeper({
    ...options,
    leaseSeconds,
    onBeat: async (beats) => {
      const taken = await reapWorkers(db, options.reconcileSeconds)
      if (taken.length > 0) log.warn('outbound_taken_back', { count: taken.length })
      // Every second beat: the net under the alarms normally finds nothing.
      if (beats % 2 === 0 && (await sweepAlarms(db, options.defaultCap)) > 0) ring()
    },
  })

  async function work(send: ClaimedSend, context: SendContext | undefined, lease: Lease) {
    const fields = { tenant_id: send.tenantId, correlation_id: send.correlationId }
    try {
      const result = context
        ? await sendOne(options, send, context, lease.isHeld)
        : { send, outcome: unsentOutcome(), isPosted: false, durationMs: 0 }
      if (result) reportSettled(options, await settle(result))
      else log.warn('outbound_claim_lost', fields)
    } catch (error) {
      log.error('outbound_send_broken', { ...fields, ...errorFields(error) })
      // What became of it is not known. It stays with its lease, which must run out for another to take it up.
      leases.lose(lease)
    }
  }

  /** What cannot be looked up has no context: it was not sent, and is tried again. */
  async function lookUp(sends: ClaimedSend[]): Promise<Map<string, SendContext>> {
    try {
      const found = await selectContexts(db, sends)
      return new Map(found.map((context) => [context.outboxId, context]))
    } catch (error) {
      log.warn('outbound_lookup_failed', { count: sends.length, ...errorFields(error) })
      return new Map()
    }
  }

  async function claim(lease: Lease, room: number): Promise<ClaimedSend[]> {
    return claimSends(db, lease.workerId, room, options.defaultCap).catch((error) => {
      if (sqlState(error) !== 'ES001') throw error
      leases.lose(lease)
      return []
    })
  }

  async function runDue(): Promise<number> {
    while (inFlight.size >= maxInFlight) await Promise.race(inFlight)
    const room = Math.min(claimAtOnce, maxInFlight - inFlight.size - reserved)
    // No room while another loop claims: it goes on, and this one is rung for.
    if (isStopping || room <= 0) return 0
    reserved += room
    try {
      return await claimAndStart(room)
    } finally {
      reserved -= room
    }
  }

  async function claimAndStart(room: number): Promise<number> {
    const lease = await leases.take()
    const sends = await claim(lease, room)
    if (sends.length === 0) return 0
    const contexts = await lookUp(sends)
    for (const send of sends) {
      const task = work(send, contexts.get(send.id), lease).finally(() => {
        inFlight.delete(task)
        ring()
      })
      inFlight.add(task)
    }
    return sends.length
  }

  const idle = async () => {
    while (inFlight.size > 0) await Promise.all(inFlight)
  }
  return {
    name: 'outbox',
    runDue,
    onFreed: (listener) => {
      ring = listener
    },
    idle,
    async stop() {
      isStopping = true
      await idle()
      await leases.stop()
    },
  }
}

/** What ended together is settled together. */
function createSettling(options: SendWorkerOptions): (result: SendResult) => Promise<Settled> {
  const { clock, log } = options

  async function settleAll(results: SendResult[]): Promise<BatchResult<Settled>[]> {
    for (let failures = 1; ; failures++) {
      try {
        return (await settleResults(options, results)).map((value) => ({ value }))
      } catch (error) {
        log.warn('outbound_settle_failed', { count: failures, ...errorFields(error) })
        // What is known of a send is not given up because the database is away.
        if (!(error instanceof DatabaseUnavailable) && failures >= 3) {
          if (results.length === 1) return [{ error: error as Error }]
          return settleEach(results)
        }
        await sleep(clock, Math.min(5_000, 100 * 2 ** failures))
      }
    }
  }

  /** One that cannot be written down takes no other with it. */
  async function settleEach(results: SendResult[]): Promise<BatchResult<Settled>[]> {
    const settled: BatchResult<Settled>[] = []
    for (const result of results) settled.push(...(await settleAll([result])))
    return settled
  }

  const batch = createMicroBatch<SendResult, Settled>({
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
