// What works on rows: the queues of this process and the calls for single rows, made once and used by the loops, the internal
// endpoints and the sweep alike. Nothing here runs by itself.
import { type Alerting, type AlertingOptions, createAlerting } from './alerts/alerting.ts'
import { stopWordsOf } from './consent/stop-words.ts'
import type { Db } from './db/connect.ts'
import type { Queue } from './dispatch/queue.ts'
import { createResponder } from './events/respond.ts'
import {
  createDeliveryWorker,
  createEventRouter,
  type DeliveryWorkerOptions,
} from './events/worker.ts'
import { type Inbox, inboxDefaults } from './inbox/inbox.ts'
import { createInboxQueue, type ProcessedEvent, processEvent } from './inbox/process.ts'
import { createMediaCheck } from './media/check.ts'
import { createPreparer } from './media/prepare.ts'
import { createMediaQueue, type MediaQueue } from './media/queue.ts'
import { createEnqueuer, type Enqueuer } from './outbox/enqueue.ts'
import { longestBreakBetweenSweepsSeconds } from './outbox/inbox-pulse.ts'
import { type ProcessedSend, processSend } from './outbox/process-one.ts'
import { createSendWorker, type SendWorker, type SendWorkerOptions } from './outbox/worker.ts'
import type { Engine } from './queue/engine.ts'
import type { Runtime } from './runtime.ts'
import { createSyncRequests } from './templates/request-sync.ts'

export interface Workers {
  inbox: Queue
  outbox: SendWorker
  media: MediaQueue
  router: Queue
  deliveries: Engine
  alerting: Alerting
  processInbound(eventId: string, taskName: string): Promise<ProcessedEvent>
  processOutbound(order: { outboxId: string; idempotencyKey: string }): Promise<ProcessedSend>
}

export function createWorkers(runtime: Runtime): Workers {
  const { db, bells, dispatch } = runtime
  const outbox = createSendWorker(sendWorkerOptions(runtime))
  return {
    inbox: createInboxQueue(inboxOptions(runtime)),
    outbox,
    media: createMediaQueue({ ...runtime, db: db.work }),
    router: createEventRouter({
      db: db.work,
      onRouted: () => {
        void dispatch.wake('deliveries')
        void dispatch.wake('stream')
      },
    }),
    deliveries: createDeliveryWorker(deliveryWorkerOptions(runtime)),
    alerting: createAlerting(alertingOptions(runtime)),
    processInbound: (eventId, taskName) => processInbound(runtime, eventId, taskName),
    async processOutbound(order) {
      const processed = await processSend(
        { db: db.work, worker: outbox, bell: bells.outbox },
        order,
      )
      // Whatever came of it may be an event.
      if (['sent', 'dead', 'retried', 'lost'].includes(processed.kind))
        await dispatch.wake('events')
      return processed
    },
  }
}

/** Before it answers, everything that follows is called for: there may be no time to do it afterwards. */
async function processInbound(
  runtime: Runtime,
  eventId: string,
  taskName: string,
): Promise<ProcessedEvent> {
  const { bells, dispatch } = runtime
  const senders = new Set<string>()
  const noteSends = (tenantIds: string[]) => {
    for (const id of tenantIds) senders.add(id)
  }
  const inbox = { ...inboxOptions(runtime), onReplied: noteSends, onProven: noteSends }
  const processed = await processEvent(inbox, eventId, taskName)
  if ('nextAt' in processed) await bells.inbox.putOff(eventId)
  for (const id of senders) await bells.outbox.settled(id, [])
  if (processed.kind === 'finished') {
    // Its messages may have files.
    await Promise.all([dispatch.wake('events'), dispatch.wake('media')])
  }
  return processed
}

/** How long nobody may have looked at the inbox; undefined: the usual, which is for loops. */
export function longestBreakOf({ isPushed }: { isPushed: boolean }): number | undefined {
  return isPushed ? longestBreakBetweenSweepsSeconds : undefined
}

/** What a sender needs of a runtime. */
export function sendWorkerOptions({ config, db, ...runtime }: Runtime): SendWorkerOptions {
  const { dispatch, bells } = runtime
  return {
    ...runtime,
    db: db.work,
    prepare: createPreparer({ ...runtime, db: db.work }),
    defaultCap: config.maxConcurrencyPerTenant,
    defaultPolicy: config.retryPolicy,
    reconcileSeconds: config.reconcileSeconds,
    circuit: config.circuit,
    longestBreakSeconds: longestBreakOf(dispatch),
    onTakenBack: bells.outbox.takenBack,
  }
}

/** What processing needs of a runtime. */
export function inboxOptions({ config, db, dispatch, ...runtime }: Runtime): Inbox {
  return {
    ...inboxDefaults,
    ...runtime,
    db: db.work,
    stopWords: stopWordsOf(config.stopWords),
    onReplied: () => dispatch.wake('outbox'),
  }
}

/** What a deliverer of events needs of a runtime. */
export function deliveryWorkerOptions(runtime: Runtime): DeliveryWorkerOptions {
  const { config, db, dispatch } = runtime
  const onReplied = () => dispatch.wake('outbox')
  return {
    ...runtime,
    db: db.work,
    responder: createResponder({ db: db.work, enqueuer: enqueuerOf(runtime, db.work) }),
    cap: config.eventConcurrencyPerEndpoint,
    disableDays: config.eventDisableDays,
    onReplied,
  }
}

/** What whoever looks for trouble, and tells of it, needs of a runtime. */
export function alertingOptions({ db, dispatch, ...runtime }: Runtime): AlertingOptions {
  return { ...runtime, db: db.work, onNotified: () => dispatch.wake('alerts') }
}

/** What accepts messages to send, whoever wrote them. */
export function enqueuerOf(runtime: Runtime, db: Db): Enqueuer {
  const { config, clock, random, bells, log } = runtime
  return createEnqueuer({
    db,
    clock,
    random,
    maxQueued: config.maxQueuedPerTenant,
    checkMedia: createMediaCheck({ db, clock, allowPrivateTargets: config.allowPrivateTargets }),
    onQueued: bells.outbox.queued,
    report: runtime,
    traces: runtime.traces,
    onUnknownTemplate: createSyncRequests({ db, clock, log }),
  })
}
