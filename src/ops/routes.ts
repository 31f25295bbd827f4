import type { FastifyInstance } from 'fastify'
import { health } from '../api/contract.ts'
import { type Principal, type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { type Health, readHealth } from './health.ts'
import type { LatencySharing } from './latency.ts'
import type { Readiness } from './readiness.ts'

export interface HealthOptions {
  db: Db
  clock: Clock
  /** This process's own latencies; the others' are at most two seconds old. */
  latencies?: LatencySharing | undefined
}

export function healthRoutes({ db, clock, latencies }: HealthOptions): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/whatsapp/health',
      summary: 'Backlog, failures and latency, in total and per tenant',
      access: 'operator',
      answer: health,
      handle: async () => {
        await latencies?.share()
        return readHealth(db, clock.now())
      },
    }),
  ]
}

/** Every role has these: a balancer must be able to ask any process. */
export function mountProbes(app: FastifyInstance, readiness: Readiness): void {
  app.get('/healthz', async () => ({ status: 'alive' }))
  app.get('/readyz', async (_request, reply) => {
    const problems = await readiness.problems()
    if (problems.length > 0) reply.code(503)
    return { status: problems.length > 0 ? 'not ready' : 'ready', problems }
  })
}

/** Prometheus text; operators only, like everything that tells about the whole. */
export function mountMetrics(
  app: FastifyInstance,
  metrics: Metrics,
  read: () => Promise<Health>,
  authenticate: (authorization: string | undefined) => Promise<Principal>,
): void {
  app.get('/metrics', async (request, reply) => {
    const principal = await authenticate(request.headers.authorization)
    if (principal.kind !== 'operator')
      throw new AppError('FORBIDDEN', 403, 'This needs an operator key.')
    setGauges(metrics, await read())
    reply.type(metrics.registry.contentType)
    return metrics.registry.metrics()
  })
}

/** What is read from the database, at the moment of asking: every process shows the same. */
function setGauges(metrics: Metrics, now: Health): void {
  metrics.eventsWaiting.set(now.webhook_events_pending_count)
  metrics.eventsOldestSeconds.set(now.oldest_webhook_seconds)
  metrics.sendsWaiting.reset()
  metrics.sendsOldestSeconds.reset()
  for (const [state, sends] of Object.entries(now.sends_by_state)) {
    metrics.sendsWaiting.set({ state }, sends.count)
    metrics.sendsOldestSeconds.set({ state }, sends.oldest_seconds)
  }
  metrics.deadLettersOpen.reset()
  for (const [kind, count] of Object.entries(now.dead_letters_by_kind)) {
    metrics.deadLettersOpen.set({ kind }, count)
  }
  for (const scope of ['number', 'host'] as const) {
    metrics.circuitsOpen.set(
      { scope },
      now.circuits_open.filter((one) => one.scope === scope).length,
    )
  }
}
