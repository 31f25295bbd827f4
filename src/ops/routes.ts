import type { FastifyInstance } from 'fastify'
import {
  health,
  history,
  historyQuery,
  tenantHealth,
  tenantHistory,
} from '../api/contract-health.ts'
import type { Credentials } from '../api/credentials.ts'
import { type Principal, type Route, route, tenantOf } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import type { Dedupe } from '../dedupe/dedupe.ts'
import { AppError } from '../errors.ts'
import type { Clock } from '../time-and-chance.ts'
import { type HealthTerms, readHealth, readTenantHealth } from './health.ts'
import { readHistory, readTenantHistory } from './history.ts'
import type { LatencySharing } from './latency.ts'
import type { Readiness } from './readiness.ts'
import type { Scrape } from './scrape.ts'

export interface HealthOptions extends Omit<HealthTerms, 'blockers'> {
  db: Db
  dedupe: Dedupe
  clock: Clock
  /** This process's own latencies; the others' are at most two seconds old. */
  latencies?: LatencySharing | undefined
  /** BACKLOG_ALERT_SECONDS. */
  backlogAlertSeconds: number
}

export function healthRoutes(options: HealthOptions): Route[] {
  const { db, dedupe, clock, latencies, deadLetterThreshold, backlogAlertSeconds } = options
  const terms = async () => ({ ...options, blockers: await dedupe.problems() })
  const limits = { oldest_pending_seconds: backlogAlertSeconds, dlq_count: deadLetterThreshold }
  return [
    route({
      operationId: 'admin.health.get',
      method: 'GET',
      path: '/api/admin/whatsapp/health',
      summary: 'Backlog, failures and latency, in total and per tenant',
      access: 'operator',
      answer: health,
      handle: async () => {
        await latencies?.share()
        return readHealth(db, clock.now(), await terms())
      },
    }),
    route({
      operationId: 'admin.health.history',
      method: 'GET',
      path: '/api/admin/whatsapp/history',
      summary: 'Backlog, failures and latency over time; and the last hour per tenant',
      access: 'operator',
      query: historyQuery,
      answer: history,
      handle: async ({ query: { range } }) => ({
        ...(await readHistory(db, range, clock.now())),
        limits,
      }),
    }),
    route({
      operationId: 'health.get',
      method: 'GET',
      path: '/api/whatsapp/health',
      summary: 'Your backlog, failures and latency',
      access: 'tenant',
      answer: tenantHealth,
      handle: async ({ tenantId }) => {
        await latencies?.shareTenants()
        const { blockers, ...rest } = await terms()
        // What it is made of is the operator's business.
        const said = blockers.length > 0 ? ['the gateway cannot work at the moment'] : []
        return readTenantHealth(db, tenantId, clock.now(), { ...rest, blockers: said })
      },
    }),
    route({
      operationId: 'health.history',
      method: 'GET',
      path: '/api/whatsapp/history',
      summary: 'Your backlog, failures and latency over time',
      access: 'tenant',
      query: historyQuery,
      answer: tenantHistory,
      handle: async ({ tenantId, query: { range } }) => ({
        ...(await readTenantHistory(db, tenantId, range, clock.now())),
        limits,
      }),
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

/** Prometheus text, in every role, for each process counts for itself; operators only, like all that tells about the whole. */
export function mountMetrics(
  app: FastifyInstance,
  scrape: Scrape,
  authenticate: (credentials: Credentials) => Promise<Principal>,
): void {
  app.get('/metrics', async (request, reply) => {
    const principal = await authenticate(request)
    if (tenantOf(principal) !== null)
      throw new AppError('FORBIDDEN', 403, 'This needs an operator.')
    reply.type(scrape.contentType)
    return scrape.text()
  })
}
