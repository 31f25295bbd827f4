// The table of contents: Runtime + roles → listeners and loops. Stops last in, first out.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { doctorRoutes } from './accounts/doctor/routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { signupPlaces } from './accounts/signup/places.ts'
import { mountSignup, type SignupRoutesOptions, signupRoutes } from './accounts/signup/routes.ts'
import { startTokenWatch } from './accounts/watch-tokens.ts'
import { createRateLimit } from './api/rate-limit.ts'
import type { Route } from './api/route.ts'
import { auditRoutes } from './audit/routes.ts'
import { suppressionRoutes } from './consent/routes.ts'
import { stopWordsOf } from './consent/stop-words.ts'
import { lastInboundAt } from './conversations/last-inbound.ts'
import { messageRoutes } from './conversations/message-routes.ts'
import { conversationRoutes } from './conversations/routes.ts'
import type { Db, Tx } from './db/connect.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { type Polling, startPolling } from './dispatch/postgres.ts'
import type { Queue } from './dispatch/queue.ts'
import { reconsiderEvents } from './events/release.ts'
import { createResponder } from './events/respond.ts'
import { eventRoutes } from './events/routes.ts'
import { createEventStreams } from './events/stream.ts'
import { mountEventStream } from './events/stream-route.ts'
import {
  createDeliveryWorker,
  createEventRouter,
  type DeliveryWorkerOptions,
} from './events/worker.ts'
import { createHttpServer, type MountOptions, mountRoutes } from './http.ts'
import { type Inbox, inboxDefaults } from './inbox/inbox.ts'
import { createInboxQueue } from './inbox/process.ts'
import { createReceiver } from './inbox/receive.ts'
import { mountWebhooks } from './inbox/routes.ts'
import { startInboxWatch } from './inbox/watch.ts'
import { createMediaCheck } from './media/check.ts'
import { createPreparer } from './media/prepare.ts'
import { createMediaQueue } from './media/queue.ts'
import { mediaRoutes } from './media/routes.ts'
import { startMediaSweep } from './media/sweep.ts'
import { createGraphAccounts } from './meta/graph-accounts.ts'
import { opsRoutes } from './ops/admin-routes.ts'
import { startSampling } from './ops/backlog.ts'
import { mountDocs } from './ops/docs.ts'
import { closeWithFarewell } from './ops/farewell.ts'
import { readHealth } from './ops/health.ts'
import { type LatencySharing, startLatencySharing } from './ops/latency.ts'
import { watchReadiness } from './ops/readiness.ts'
import { startRetention } from './ops/retention.ts'
import { healthRoutes, mountMetrics, mountProbes } from './ops/routes.ts'
import { createEnqueuer, type Enqueuer } from './outbox/enqueue.ts'
import { holdAccount, reconsiderTenant, releaseAccount } from './outbox/release.ts'
import { outboxRoutes } from './outbox/routes.ts'
import { keepPace } from './outbox/throughput.ts'
import { createSendWorker, type SendWorkerOptions } from './outbox/worker.ts'
import type { Runtime } from './runtime.ts'
import { keepTemplatesSynced } from './templates/keep-synced.ts'
import { createSyncRequests } from './templates/request-sync.ts'
import { templateRoutes } from './templates/routes.ts'
import { createTemplateSync } from './templates/sync.ts'
import { createAuthenticate } from './tenants/keys.ts'
import { isTenant } from './tenants/resolve.ts'
import { tenantRoutes } from './tenants/routes.ts'

export interface Gateway {
  /** Where it listens, as a caller on this machine reaches it. */
  url: string
  stop(): Promise<void>
}

export interface GatewayOptions {
  /** How long callers on kept-alive connections get to leave by themselves when we stop. */
  farewellMs?: number
}

export async function startGateway(
  runtime: Runtime,
  { farewellMs = 0 }: GatewayOptions = {},
): Promise<Gateway> {
  const { config, log, clock, random, metrics, db } = runtime
  const stops: (() => Promise<unknown>)[] = [runtime.close]
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    const app = createHttpServer({ log, clock, random })
    closeWithFarewell(app, clock, farewellMs)
    const readiness = watchReadiness({
      db: db.api,
      clock,
      log,
      metrics,
      allowUnsafe: config.allowUnsafeDb,
    })
    stops.push(readiness.stop)
    mountProbes(app, readiness)
    const latencies = startLatencySharing({ ...runtime, db: db.api, recent: metrics.recent })
    stops.push(latencies.stop)

    let polling: Polling | undefined
    // Together: nothing more is claimed while callers take their leave, so that no claim is left behind.
    stops.push(() => Promise.all([app.close(), polling?.stop()]))
    if (config.roles.includes('worker')) {
      const inbox = createInboxQueue(inboxOptions(runtime))
      const outbox = createSendWorker(sendWorkerOptions(runtime))
      const deliveries = createDeliveryWorker(deliveryWorkerOptions(runtime))
      stops.push(outbox.stop, deliveries.stop)
      const media = createMediaQueue({ ...runtime, db: db.work })
      const { wake } = runtime.dispatch
      const router = createEventRouter({
        db: db.work,
        onRouted: () => {
          wake('deliveries')
          wake('stream')
        },
      })
      const onWorked = () => wake('events')
      polling = startPolling({
        queues: [telling(inbox, onWorked), telling(outbox, onWorked), media, router, deliveries],
        databaseUrl: runtime.databaseUrl,
        clock,
        random,
        log,
        concurrency: 2,
      })
      // Before the polling is: downloads are broken off and given back, not waited for.
      stops.push(media.stop)
      stops.push(startRetention({ db: db.work, clock, log, config }).stop)
      stops.push(startSampling({ db: db.work, clock, log }).stop)
      const retentionDays = config.mediaRetentionDays
      stops.push(startMediaSweep({ ...runtime, db: db.work, retentionDays }).stop)
      stops.push(keepTemplatesSynced({ ...runtime, db: db.work }).stop)
      const tokens = accountKeeping(runtime)
      const { app: metaApp } = tokens
      if (metaApp) stops.push(startTokenWatch({ ...tokens, db: db.work, app: metaApp }).stop)
    }
    if (config.roles.includes('api')) {
      stops.push(mountApi(app, runtime, latencies).stop)
      stops.push((await startInboxWatch({ db: db.api, clock, log })).stop)
    }

    await app.listen({ host: config.host, port: config.port })
    const url = urlOf(app)
    log.info('started', {
      url,
      pid: process.pid,
      version: runtime.version,
      role: config.roles.join(','),
    })
    return {
      url,
      stop: async () => {
        log.info('stopping', { pid: process.pid })
        await stop()
        log.info('stopped', { pid: process.pid })
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What a sender needs of a runtime. */
export function sendWorkerOptions({ config, db, ...runtime }: Runtime): SendWorkerOptions {
  return {
    ...runtime,
    db: db.work,
    prepare: createPreparer({ ...runtime, db: db.work }),
    defaultCap: config.maxConcurrencyPerTenant,
    defaultPolicy: config.retryPolicy,
    reconcileSeconds: config.reconcileSeconds,
    circuit: config.circuit,
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

/** What sign-up, doctor and token checks have in common. */
export function accountKeeping(runtime: Runtime): SignupRoutesOptions & {
  lastInboundAt: typeof lastInboundAt
  keepPace: typeof keepPace
} {
  const { config, clock, random, log, metrics, vault, db, dispatch } = runtime
  const { metaAppId: appId, metaAppSecrets, tokenCheckMinutes, tokenWarningDays } = config
  const [appSecret] = metaAppSecrets
  const limitStrangers = createRateLimit(strangersPerSecond, clock)
  return {
    db: db.api,
    clock,
    random,
    log,
    metrics,
    vault,
    meta: createGraphAccounts(runtime.graph),
    app: appId !== undefined && appSecret !== undefined ? { appId, appSecret } : null,
    configId: config.metaConfigId,
    places: signupPlaces(config),
    publicUrl: config.publicUrl,
    tokenCheckMinutes,
    tokenWarningDays,
    release: releaseAccount,
    hold: holdAccount,
    onReleased: () => dispatch.wake('outbox'),
    mayAuditStranger: () => {
      try {
        limitStrangers('nobody')
        return true
      } catch {
        return false
      }
    },
    lastInboundAt,
    keepPace,
  }
}

/** Forged sign-ups that are audited; more than that is somebody filling the log, and is only counted. */
const strangersPerSecond = 1

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

/** What accepts messages to send, whoever wrote them. */
function enqueuerOf(runtime: Runtime, db: Db): Enqueuer {
  const { config, clock, random, dispatch, log } = runtime
  return createEnqueuer({
    db,
    clock,
    random,
    checkMedia: createMediaCheck({ db, clock, allowPrivateTargets: config.allowPrivateTargets }),
    onQueued: () => dispatch.wake('outbox'),
    report: runtime,
    onUnknownTemplate: createSyncRequests({ db, clock, log }),
  })
}

/** Whatever a queue does may be an event: `onWorked` is called after it did something. */
function telling(queue: Queue, onWorked: () => void): Queue {
  return {
    ...queue,
    async runDue() {
      const taken = await queue.runDue()
      if (taken > 0) onWorked()
      return taken
    },
    ...(queue.onFreed && {
      onFreed: (listener: () => void) =>
        queue.onFreed?.(() => {
          onWorked()
          listener()
        }),
    }),
  }
}

/** Everything of the role `api`. */
export function mountApi(
  app: FastifyInstance,
  runtime: Runtime,
  latencies?: LatencySharing,
): { stop(): Promise<void> } {
  const { config, log, clock, random, metrics, db, dispatch } = runtime
  const receiver = createReceiver({
    db: db.receive,
    clock,
    random,
    appId: config.metaAppId ?? null,
    onStored: () => dispatch.wake('inbox'),
  })
  mountWebhooks(app, {
    receiver,
    appSecrets: config.metaAppSecrets,
    verifyToken: config.metaVerifyToken,
    log,
    metrics,
    clock,
  })
  const keeping = accountKeeping(runtime)
  const routes = apiRoutes(runtime, { keeping, latencies })
  const authenticate = createAuthenticate(db.api, config.operatorKeys)
  const access: MountOptions = {
    authenticate,
    isTenant: (id) => isTenant(db.api, id),
    limit: createRateLimit(config.apiRateLimitPerSecond, clock),
  }
  mountRoutes(app, routes, access)
  const streams = createEventStreams({
    db: db.api,
    databaseUrl: runtime.databaseUrl,
    clock,
    log,
    metrics,
    maxPerTenant: config.eventStreamsPerTenant,
  })
  mountSignup(app, keeping, { authenticate })
  mountEventStream(app, { db: db.api, clock, streams }, access)
  mountMetrics(app, metrics, () => readHealth(db.api, clock.now()), authenticate)
  mountDocs(app, routes, runtime.version)
  return { stop: streams.stop }
}

/** A tenant's cap or status changed: both queues look at it anew. */
async function reconsiderQueues(tx: Tx, tenantId: string): Promise<void> {
  await reconsiderTenant(tx, tenantId)
  await reconsiderEvents(tx, tenantId)
}

interface ApiParts {
  keeping?: ReturnType<typeof accountKeeping>
  latencies?: LatencySharing | undefined
}

/** Every route of the API, in the order of the documentation. */
export function apiRoutes(
  runtime: Runtime,
  { keeping = accountKeeping(runtime), latencies }: ApiParts = {},
): Route[] {
  const { db, clock, random, vault, config, dispatch } = runtime
  return [
    ...tenantRoutes({ db: db.api, clock, random, onChanged: reconsiderQueues }),
    ...accountRoutes({
      db: db.api,
      clock,
      random,
      vault,
      appId: config.metaAppId ?? null,
      onConnected: releaseAccount,
      // Nobody reconnects what is gone: what was parked for it ends, and can be decided on.
      onDisconnected: (tx, tenantId, number) => holdAccount(tx, tenantId, number, null),
      tokenWarningDays: config.tokenWarningDays,
    }),
    ...doctorRoutes(keeping),
    ...signupRoutes(keeping),
    ...conversationRoutes({ ...runtime, db: db.api }),
    ...outboxRoutes({ clock, db: db.api, enqueuer: enqueuerOf(runtime, db.api) }),
    ...suppressionRoutes({ ...runtime, db: db.api }),
    ...mediaRoutes({ ...runtime, db: db.api }),
    ...messageRoutes({ db: db.api }),
    ...templateRoutes({
      ...runtime,
      db: db.api,
      sync: createTemplateSync({ ...runtime, db: db.api }),
    }),
    ...deadLetterRoutes({ ...runtime, db: db.api }),
    ...eventRoutes({
      ...runtime,
      db: db.api,
      allowPrivateTargets: config.allowPrivateTargets,
      onRecorded: () => {
        dispatch.wake('events')
        dispatch.wake('deliveries')
      },
    }),
    ...auditRoutes({ db: db.api }),
    ...healthRoutes({ db: db.api, clock, latencies }),
    ...opsRoutes({ ...runtime, db: db.api }),
  ]
}

function urlOf(app: FastifyInstance): string {
  const { address, port } = app.server.address() as AddressInfo
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
