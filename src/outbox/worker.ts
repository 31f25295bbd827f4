// Step 2 of sending, in the queue's engine (queue/engine.ts): what is claimed, how it is sent, what is taken back.
import { DatabaseUnavailable, type Db } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { createEngine, type Engine, type RowKey } from '../queue/engine.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { Traces } from '../tracing/traces.ts'
import { settleProven } from './evidence.ts'
import { followUp } from './follow-up.ts'
import type { ClaimedSend } from './model.ts'
import { claimSends, giveBackSends, reapWorkers, sweepAlarms } from './queue-queries.ts'
import { reportSettled } from './report.ts'
import { type Sender, type SendResult, sendOne, unsentOutcome } from './send.ts'
import { endAttempts, type SendContext, selectContexts } from './send-queries.ts'
import { type Settled, type Settler, settleResults } from './settle.ts'
import { createTurns } from './slot.ts'
import { traceSettled } from './trace.ts'

export interface SendWorkerOptions extends Sender, Settler {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  traces?: Traces | undefined
  /** Sends in flight per tenant, for tenants without a value of their own. */
  defaultCap: number
  /** Sends in flight in this process. */
  maxInFlight?: number
  leaseSeconds?: number
  /** How long nobody may have looked at the inbox before it counts as not looked after. */
  longestBreakSeconds?: number | undefined
  /** Called when rows were taken back from dead processes, after the commit. */
  onTakenBack?: (rows: RowKey[]) => Promise<unknown>
}

export type SendWorker = Engine<Settled>

export function createSendWorker(options: SendWorkerOptions): SendWorker {
  const { db, clock, log, maxInFlight = 256, leaseSeconds = 15 } = options
  const turns = createTurns(options)
  return createEngine({
    name: 'outbox',
    word: 'outbound',
    db,
    clock,
    log,
    maxInFlight,
    claimAtOnce: 100,
    leaseSeconds,
    // While the store is away nothing is claimed, so nothing is used up.
    isAnythingDue: options.dedupe.isThere,
    claim: async (workerId, room, only) => {
      const askedMs = clock.monotonicMs()
      const sends = await claimSends(db, workerId, room, options.defaultCap, only)
      turns.noteClaim(sends, askedMs)
      return sends
    },
    lookUp: (sends) => lookUp(options, sends),
    work: async (send, context, { isHeld }) => {
      if (context === 'later' || context === 'failed')
        return notLookedUp(send, clock.monotonicMs(), context)
      const result = await sendOne(options, send, context, () => turns.await(send), isHeld)
      if (!result) await noteUnposted(options, send)
      return result
    },
    settle: (results) => settleResults(options, results),
    report: async (settled) => {
      reportSettled(options, settled)
      traceSettled(options, settled)
      // crash point: outbox.reported-before-follow-up
      await followUp(options, settled)
    },
    logFieldsOf: (send) => ({ tenant_id: send.tenantId, correlation_id: send.correlationId }),
    giveBackForgotten: async (holdings) => {
      const rows = await giveBackSends(db, holdings)
      if (rows.length > 0) await options.onTakenBack?.(rows)
      return rows
    },
    onBeat: async (beats) => {
      const taken = await reapWorkers(db, options.reconcileSeconds, options.defaultPolicy)
      if (taken.length > 0) {
        // crash point: outbox.taken-back
        log.warn('outbound_taken_back', { count: taken.length })
      }
      // A status may have told of them before their sender was missed.
      await settleProven(options, taken)
      if (taken.length > 0) await options.onTakenBack?.(taken)
      // Every second beat: the net under the alarms normally finds nothing.
      return beats % 2 === 0 && (await sweepAlarms(db, options.defaultCap)) > 0
    },
  })
}

/** While the database is away nothing is used up. */
type NoContext = 'later' | 'failed'

function notLookedUp(send: ClaimedSend, atMs: number, why: NoContext): SendResult {
  const times = { takenMs: atMs, endedMs: atMs, durationMs: 0 }
  const unsent = { send, outcome: unsentOutcome(), isPosted: false, ...times }
  return why === 'later' ? { ...unsent, postponedMs: 1_000 } : unsent
}

/**
 * The lease was lost before the POST. Others will find a dead process and would have to take it for possible that Meta has
 * the message: what must not be doubled would wait for a person.
 */
async function noteUnposted({ db, log }: SendWorkerOptions, send: ClaimedSend): Promise<void> {
  const { tenantId, attemptId, correlationId } = send
  await endAttempts(db, [{ tenantId, attemptId, outcome: 'not_posted' }]).catch((error) =>
    log.warn('outbound_follow_up_failed', {
      tenant_id: tenantId,
      correlation_id: correlationId,
      ...errorFields(error),
    }),
  )
}

/** What cannot be looked up was not sent, and is tried again. */
async function lookUp(
  { db, clock, log, longestBreakSeconds }: SendWorkerOptions,
  sends: ClaimedSend[],
): Promise<(send: ClaimedSend) => SendContext | NoContext> {
  try {
    const found = await selectContexts(db, sends, clock.now(), longestBreakSeconds)
    const contexts = new Map(found.map((context) => [context.outboxId, context]))
    return (send) => contexts.get(send.id) ?? 'failed'
  } catch (error) {
    log.warn('outbound_lookup_failed', { count: sends.length, ...errorFields(error) })
    return () => (error instanceof DatabaseUnavailable ? 'later' : 'failed')
  }
}
