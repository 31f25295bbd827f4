// The table of contents: Runtime + roles → listeners and loops. Stops last in, first out.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './accounts/routes.ts'
import { createRateLimit } from './api/rate-limit.ts'
import type { Route } from './api/route.ts'
import { auditRoutes } from './audit/routes.ts'
import { messageRoutes } from './conversations/message-routes.ts'
import { conversationRoutes } from './conversations/routes.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { type Polling, startPolling } from './dispatch/postgres.ts'
import { createHttpServer, mountRoutes } from './http.ts'
import { inboxDefaults } from './inbox/inbox.ts'
import { createInboxQueue } from './inbox/process.ts'
import { createReceiver } from './inbox/receive.ts'
import { mountWebhooks } from './inbox/routes.ts'
import { opsRoutes } from './ops/admin-routes.ts'
import { startSampling } from './ops/backlog.ts'
import { mountDocs } from './ops/docs.ts'
import { closeWithFarewell } from './ops/farewell.ts'
import { readHealth } from './ops/health.ts'
import { type LatencySharing, startLatencySharing } from './ops/latency.ts'
import { watchReadiness } from './ops/readiness.ts'
import { startRetention } from './ops/retention.ts'
import { healthRoutes, mountMetrics, mountProbes } from './ops/routes.ts'
import { createEnqueuer } from './outbox/enqueue.ts'
import { reconsiderTenant, releaseAccount } from './outbox/release.ts'
import { outboxRoutes } from './outbox/routes.ts'
import { createSendWorker, type SendWorkerOptions } from './outbox/worker.ts'
import type { Runtime } from './runtime.ts'
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
      const inbox = createInboxQueue({ ...inboxDefaults, db: db.work, clock, random, log, metrics })
      const outbox = createSendWorker(sendWorkerOptions(runtime))
      stops.push(outbox.stop)
      polling = startPolling({
        queues: [inbox, outbox],
        databaseUrl: runtime.databaseUrl,
        clock,
        random,
        log,
        concurrency: 2,
      })
      stops.push(startRetention({ db: db.work, clock, log, config }).stop)
      stops.push(startSampling({ db: db.work, clock, log }).stop)
    }
    if (config.roles.includes('api')) mountApi(app, runtime, latencies)

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
    defaultCap: config.maxConcurrencyPerTenant,
    defaultPolicy: config.retryPolicy,
    reconcileSeconds: config.reconcileSeconds,
  }
}

/** Everything of the role `api`. */
export function mountApi(app: FastifyInstance, runtime: Runtime, latencies?: LatencySharing): void {
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
  const routes = apiRoutes(runtime, latencies)
  const authenticate = createAuthenticate(db.api, config.operatorKeys)
  mountRoutes(app, routes, {
    authenticate,
    isTenant: (id) => isTenant(db.api, id),
    limit: createRateLimit(config.apiRateLimitPerSecond, clock),
  })
  mountMetrics(app, metrics, () => readHealth(db.api, clock.now()), authenticate)
  mountDocs(app, routes, runtime.version)
}

/** Every route of the API, in the order of the documentation. */
export function apiRoutes(runtime: Runtime, latencies?: LatencySharing): Route[] {
  const { db, clock, random, vault, config, dispatch } = runtime
  return [
    ...tenantRoutes({ db: db.api, clock, random, onChanged: reconsiderTenant }),
    ...accountRoutes({
      db: db.api,
      clock,
      random,
      vault,
      appId: config.metaAppId ?? null,
      onConnected: releaseAccount,
    }),
    ...conversationRoutes({ ...runtime, db: db.api }),
    ...outboxRoutes({
      clock,
      db: db.api,
      enqueuer: createEnqueuer({
        db: db.api,
        clock,
        random,
        onQueued: () => dispatch.wake('outbox'),
      }),
    }),
    ...messageRoutes({ db: db.api }),
    ...deadLetterRoutes({ ...runtime, db: db.api }),
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
