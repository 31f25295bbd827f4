// Telling what happened: the router gives events their place and makes their deliveries; the worker makes the calls, in
// the same engine as sends (queue/engine.ts).
import type { Queue } from '../dispatch/queue.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { reportEnded } from '../outbox/end-suppressed.ts'
import { createEngine, type Engine } from '../queue/engine.ts'
import { type Deliverer, deliverOne } from './deliver.ts'
import {
  claimDeliveries,
  giveBackDeliveries,
  isAnythingDue,
  reapDeliveries,
  routeEvents,
  sweepDeliveries,
} from './queue-queries.ts'
import { reportDelivery } from './report.ts'
import { type DeliverySettler, settleDelivered } from './settle.ts'
import { traceDelivery } from './trace.ts'

/** Events that were committed get their place; `onRouted` is called when there were any. */
export function createEventRouter(options: {
  db: DeliverySettler['db']
  onRouted: () => void
}): Queue {
  return {
    name: 'events',
    async runDue() {
      const routed = await routeEvents(options.db)
      if (routed === 0) return 0
      // crash point: events.routed-before-ring
      options.onRouted()
      return routed
    },
  }
}

export interface DeliveryWorkerOptions extends Deliverer, DeliverySettler {
  log: Log
  metrics: Metrics
  /** Calls to one endpoint at the same time. */
  cap: number
  leaseSeconds?: number
  /** How long calls under way get to end by themselves when we stop. */
  farewellMs?: number
  /** Called after a commit that added messages to the outbox. */
  onReplied: () => void
}

export function createDeliveryWorker(options: DeliveryWorkerOptions): Engine {
  const { db, clock, log, cap, leaseSeconds = 15 } = options
  const engine = createEngine({
    name: 'deliveries',
    word: 'delivery',
    db,
    clock,
    log,
    // Calls that hang cost little but their place: more of these than of sends.
    maxInFlight: 1_000,
    claimAtOnce: 100,
    leaseSeconds,
    isAnythingDue: () => isAnythingDue(db),
    claim: (workerId, room) => claimDeliveries(db, workerId, room, cap),
    // The claim brings everything along.
    lookUp: async () => () => undefined,
    work: (delivery, _context, { isHeld }) => deliverOne(options, delivery, isHeld),
    settle: (results) => settleDelivered(options, results),
    report: (settled) => {
      // crash point: events.settled-after-commit
      reportDelivery(options, settled)
      traceDelivery(options, settled)
      reportEnded(options, settled.ended)
      if (settled.replies.length > 0) options.onReplied()
    },
    logFieldsOf: (delivery) => ({
      tenant_id: delivery.tenantId,
      correlation_id: delivery.correlationId,
    }),
    giveBackForgotten: (holdings) => giveBackDeliveries(db, holdings),
    onBeat: async (beats) => {
      const taken = await reapDeliveries(db)
      if (taken > 0) log.warn('delivery_taken_back', { count: taken })
      // Every second beat: the net under the alarms normally finds nothing.
      return taken > 0 || (beats % 2 === 0 && (await sweepDeliveries(db, cap)) > 0)
    },
  })
  return {
    ...engine,
    async stop() {
      // An endpoint that hangs does not hold up our end.
      const cancel = clock.after(options.farewellMs ?? 3_000, options.poster.giveUp)
      await engine.stop().finally(cancel)
    },
  }
}
