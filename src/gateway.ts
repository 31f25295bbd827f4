// The table of contents: Runtime + roles → listeners and loops. Stops last in, first out.
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { doctorRoutes } from './accounts/doctor/routes.ts'
import { accountRoutes, type Figures } from './accounts/routes.ts'
import { missingSettings, signupPlaces } from './accounts/signup/places.ts'
import { mountSignup, type SignupRoutesOptions, signupRoutes } from './accounts/signup/routes.ts'
import { againAndAgain } from './again-and-again.ts'
import { channelManagerOf } from './alerts/alerting.ts'
import { setAlertGauges } from './alerts/gauges.ts'
import { alertRoutes } from './alerts/routes.ts'
import { createRateLimit } from './api/rate-limit.ts'
import type { Route } from './api/route.ts'
import { auditRoutes } from './audit/routes.ts'
import { suppressionRoutes } from './consent/routes.ts'
import { lastInboundAt, lastInboundOf } from './conversations/last-inbound.ts'
import { messageRoutes } from './conversations/message-routes.ts'
import { conversationRoutes } from './conversations/routes.ts'
import type { Tx } from './db/connect.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { type Polling, startPolling } from './dispatch/postgres.ts'
import type { Queue } from './dispatch/queue.ts'
import { reconsiderEvents } from './events/release.ts'
import { eventRoutes } from './events/routes.ts'
import { createEventStreams } from './events/stream.ts'
import { mountEventStream } from './events/stream-route.ts'
import { createHttpServer, type MountOptions, mountRoutes } from './http.ts'
import { createReceiver } from './inbox/receive.ts'
import { mountWebhooks } from './inbox/routes.ts'
import { openFile } from './media/open.ts'
import { mediaRoutes } from './media/routes.ts'
import { createGraphAccounts } from './meta/graph-accounts.ts'
import { opsRoutes } from './ops/admin-routes.ts'
import { mountConsole, readConsoleFiles } from './ops/console.ts'
import { mountDocs } from './ops/docs.ts'
import { closeWithFarewell } from './ops/farewell.ts'
import { mountGuide } from './ops/guide.ts'
import { createLatencySharing, type LatencySharing } from './ops/latency.ts'
import { watchReadiness } from './ops/readiness.ts'
import { healthRoutes, mountMetrics, mountProbes } from './ops/routes.ts'
import { createScrape, type Scrape } from './ops/scrape.ts'
import { traceRoutes } from './ops/trace-routes.ts'
import { holdAccount, letGo, reconsiderTenant, releaseAccount } from './outbox/release.ts'
import { outboxRoutes } from './outbox/routes.ts'
import { keepPace } from './outbox/throughput.ts'
import { trafficOf } from './outbox/traffic.ts'
import { waitsOf } from './outbox/waits.ts'
import { createPasswords } from './people/passwords.ts'
import { peopleRoutes } from './people/routes.ts'
import { sessionRoutes } from './people/session-routes.ts'
import { createSessions, tokenIn } from './people/sessions.ts'
import { type ListedJob, periodicJobs } from './periodic.ts'
import { oidcOf, type Runtime } from './runtime.ts'
import { createAdmit } from './tasks/admit.ts'
import { taskRoutes } from './tasks/routes.ts'
import { createSweep, type Sweep } from './tasks/sweep.ts'
import { templateRoutes } from './templates/routes.ts'
import { createTemplateSync } from './templates/sync.ts'
import { createAuthenticate } from './tenants/keys.ts'
import { isTenant, nameOfTenant, ownStopWords } from './tenants/resolve.ts'
import { tenantRoutes } from './tenants/routes.ts'
import { createWorkers, enqueuerOf, type Workers } from './workers.ts'

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
  const { config, log, clock, random, metrics, db, dispatch } = runtime
  const stops: (() => Promise<unknown>)[] = [runtime.close]
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne()
  }
  try {
    await runtime.traces?.start()
    const app = createHttpServer({ log, clock, random, publicUrl: config.publicUrl })
    closeWithFarewell(app, clock, farewellMs)
    const readiness = watchReadiness({
      db: db.api,
      dedupe: runtime.dedupe,
      clock,
      log,
      metrics,
      allowUnsafe: config.allowUnsafeDb,
    })
    stops.push(readiness.stop)
    mountProbes(app, readiness)
    mountMetrics(app, scrapeOf(runtime), authenticateBy(runtime))
    const latencies = createLatencySharing({ ...runtime, db: db.api, recent: metrics.recent })
    const keeping = accountKeeping(runtime)
    const workers = createWorkers(runtime)
    const jobs = periodicJobs(runtime, { workers, latencies, tokens: tokenWatchOf(keeping) })

    let polling: Polling | undefined
    // Together: nothing more is claimed while callers take their leave, so that no claim is left behind.
    stops.push(() => Promise.all([app.close(), polling?.stop()]))
    stops.push(workers.outbox.stop, workers.deliveries.stop, workers.alerting.queue.stop)
    if (config.roles.includes('worker') && !dispatch.isPushed) {
      polling = pollAll(runtime, workers)
    }
    // Before the polling is: downloads are broken off and given back, not waited for.
    stops.push(workers.media.stop)
    if (config.roles.includes('api')) {
      const sweep = createSweep({ jobs, clock, log })
      stops.push(mountApi(app, runtime, { keeping, latencies, workers, sweep }).stop)
      // So that what is sent from here on has been watched from its beginning.
      await sweep(['inbox-watch']).catch(() => undefined)
    }
    if (config.roles.includes('console')) mountConsole(app, await readConsoleFiles())
    for (const { loops, ...job } of jobs) {
      if (isLoopedHere(loops, runtime)) stops.push(againAndAgain({ ...job, clock, log }).stop)
    }

    // Connected before the first webhook comes, where it can be; where it cannot, the gateway is up and not ready.
    await runtime.dedupe.problems()
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

function scrapeOf({ config, ...runtime }: Runtime): Scrape {
  return createScrape({
    ...runtime,
    deadLetterThreshold: config.dlqAlertThreshold,
    tokenWarningDays: config.tokenWarningDays,
    maxTenants: config.metricsTenants,
    setMore: (db, now) => setAlertGauges(db, runtime.metrics, now),
  })
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
  const places = signupPlaces(config)
  return {
    db: db.api,
    clock,
    random,
    log,
    metrics,
    vault,
    meta: createGraphAccounts(runtime.graph),
    app: appId !== undefined && appSecret !== undefined ? { appId, appSecret } : null,
    missing: missingSettings(places, { appId, appSecret, configId: config.metaConfigId }),
    configId: config.metaConfigId,
    places,
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

/** What goes on at these numbers, for those who look at their accounts. */
async function figuresOf(
  db: Tx,
  tenantId: string,
  numbers: string[],
): Promise<Map<string, Figures>> {
  const traffic = await trafficOf(db, tenantId, numbers)
  const inbound = await lastInboundOf(db, tenantId, numbers)
  return new Map(
    [...traffic].map(([number, figures]) => [
      number,
      { ...figures, last_inbound_at: inbound.get(number)?.toISOString() ?? null },
    ]),
  )
}

/** Forged sign-ups that are audited; more than that is somebody filling the log, and is only counted. */
const strangersPerSecond = 1

/** Where rows are called for one by one there are no loops but those about the process itself: the sweep does the rest. */
function isLoopedHere(loops: ListedJob['loops'], { config, dispatch }: Runtime): boolean {
  if (loops === 'every') return true
  return loops !== 'nobody' && config.roles.includes(loops) && !dispatch.isPushed
}

function pollAll(runtime: Runtime, workers: Workers): Polling {
  const { inbox, outbox, media, router, deliveries, alerting } = workers
  const onWorked = () => void runtime.dispatch.wake('events')
  return startPolling({
    ...runtime,
    queues: [
      ...[inbox, outbox].map((queue) => telling(queue, onWorked)),
      ...[media, router, deliveries, alerting.queue],
    ],
    concurrency: 2,
  })
}

/** Undefined where there is no app at Meta to ask as. */
function tokenWatchOf(keeping: ReturnType<typeof accountKeeping>) {
  const { app } = keeping
  return app ? { ...keeping, app } : undefined
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
  parts: ApiParts = {},
): { stop(): Promise<void> } {
  const { config, log, clock, random, metrics, db, dispatch, dedupe, bells } = runtime
  const { keeping = accountKeeping(runtime) } = parts
  const receiver = createReceiver({
    db: db.receive,
    dedupe,
    clock,
    random,
    appId: config.metaAppId ?? null,
    isRung: dispatch.isPushed,
    onStored: bells.inbox.stored,
  })
  mountWebhooks(app, {
    receiver,
    appSecrets: config.metaAppSecrets,
    verifyToken: config.metaVerifyToken,
    log,
    metrics,
    clock,
    traces: runtime.traces,
  })
  const routes = apiRoutes(runtime, { ...parts, keeping })
  const authenticate = authenticateBy(runtime)
  const access: MountOptions = {
    authenticate,
    isTenant: (id) => isTenant(db.api, id),
    limit: createRateLimit(config.apiRateLimitPerSecond, clock, () =>
      metrics.rateLimits.inc({ scope: 'api_key' }),
    ),
    // They cost a look at a password each: a fiftieth of what a key may.
    limitStrangers: createRateLimit(Math.ceil(config.apiRateLimitPerSecond / 50), clock),
    publicUrl: config.publicUrl,
    admitInternal: createAdmit({ tokens: config.internalTaskTokens, oidc: oidcOf(config), log }),
  }
  mountRoutes(app, routes, { ...access, clock })
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
  mountDocs(app, routes, runtime.version)
  mountGuide(app)
  return { stop: streams.stop }
}

function authenticateBy(runtime: Runtime) {
  const sessions = sessionsOf(runtime)
  return createAuthenticate(
    runtime.db.api,
    runtime.clock,
    runtime.config.operatorKeys,
    async (cookies, isIdle) => {
      const token = tokenIn(cookies)
      return token === undefined ? undefined : sessions.find(token, isIdle)
    },
  )
}

function sessionsOf({ config, db, clock, random }: Runtime) {
  const { sessionIdleMinutes: idleMinutes, sessionHours: absoluteHours } = config
  return createSessions({ db: db.api, clock, random, idleMinutes, absoluteHours })
}

/** A tenant's cap or status changed: both queues look at it anew. */
async function reconsiderQueues(tx: Tx, tenantId: string): Promise<void> {
  await reconsiderTenant(tx, tenantId)
  await reconsiderEvents(tx, tenantId)
}

/** What the API shares with the rest of the process; what is left out it makes for itself. */
interface ApiParts {
  keeping?: ReturnType<typeof accountKeeping>
  latencies?: LatencySharing
  workers?: Workers
  sweep?: Sweep
}

/** Every route of the API, in the order of the documentation. */
export function apiRoutes(
  runtime: Runtime,
  {
    keeping = accountKeeping(runtime),
    latencies,
    workers = createWorkers(runtime),
    sweep = createSweep({ ...runtime, jobs: [] }),
  }: ApiParts = {},
): Route[] {
  const { db, clock, random, vault, config, dispatch, log } = runtime
  return [
    ...tenantRoutes({ db: db.api, clock, random, onChanged: reconsiderQueues }),
    ...accountRoutes({
      db: db.api,
      clock,
      random,
      vault,
      appId: config.metaAppId ?? null,
      onConnected: releaseAccount,
      onDisconnected: letGo,
      tokenWarningDays: config.tokenWarningDays,
      figuresOf: (tenantId, numbers) => figuresOf(db.api, tenantId, numbers),
    }),
    ...peopleRoutes({
      db: db.api,
      clock,
      random,
      publicUrl: config.publicUrl,
      isTenant: (id) => isTenant(db.api, id),
    }),
    ...sessionRoutes({
      db: db.api,
      clock,
      passwords: createPasswords(random),
      sessions: sessionsOf(runtime),
      nameOfTenant: (id) => nameOfTenant(db.api, id),
      simulatorUrl: runtime.simulatorUrl,
    }),
    ...doctorRoutes(keeping),
    ...signupRoutes(keeping),
    ...conversationRoutes({ ...runtime, db: db.api }),
    ...outboxRoutes({ ...keeping, enqueuer: enqueuerOf(runtime, db.api) }),
    ...suppressionRoutes({
      ...runtime,
      db: db.api,
      usualStopWords: config.stopWords,
      ownStopWords: (id) => ownStopWords(db.api, id),
    }),
    ...mediaRoutes({ ...runtime, db: db.api }),
    ...messageRoutes({ db: db.api, waitsOf }),
    ...templateRoutes({
      ...runtime,
      db: db.api,
      metaAppId: config.metaAppId,
      openFile: (tenantId, mediaId) => openFile({ ...runtime, db: db.api }, tenantId, mediaId),
      sync: createTemplateSync({ ...runtime, db: db.api }),
    }),
    ...deadLetterRoutes({ ...runtime, db: db.api }),
    ...eventRoutes({
      ...runtime,
      db: db.api,
      allowPrivateTargets: config.allowPrivateTargets,
      onRecorded: async () => {
        await dispatch.wake('events')
        await dispatch.wake('deliveries')
      },
    }),
    ...alertRoutes(channelManagerOf({ ...runtime, db: db.api })),
    ...auditRoutes({ db: db.api }),
    ...healthRoutes({
      ...runtime,
      db: db.api,
      latencies,
      deadLetterThreshold: config.dlqAlertThreshold,
      backlogAlertSeconds: config.backlogAlertSeconds,
      circuitWindowSeconds: config.circuit.windowSeconds,
    }),
    ...opsRoutes({ ...runtime, db: db.api }),
    ...traceRoutes({ db: db.api }),
    ...taskRoutes({ ...workers, log, sweep }),
  ]
}

function urlOf(app: FastifyInstance): string {
  const { address, port } = app.server.address() as AddressInfo
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
