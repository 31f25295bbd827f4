import type { FastifyInstance } from 'fastify'
import { health } from '../api/contract.ts'
import type { Credentials } from '../api/credentials.ts'
import { type Principal, type Route, route, tenantOf } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import type { Dedupe } from '../dedupe/dedupe.ts'
import { AppError } from '../errors.ts'
import type { Clock } from '../time-and-chance.ts'
import { type HealthTerms, readHealth } from './health.ts'
import type { LatencySharing } from './latency.ts'
import type { Readiness } from './readiness.ts'
import type { Scrape } from './scrape.ts'

export interface HealthOptions extends Omit<HealthTerms, 'blockers'> {
  db: Db
  dedupe: Dedupe
  clock: Clock
  /** This process's own latencies; the others' are at most two seconds old. */
  latencies?: LatencySharing | undefined
}

export function healthRoutes(options: HealthOptions): Route[] {
  const { db, dedupe, clock, latencies, deadLetterThreshold } = options
  return [
    route({
      method: 'GET',
      path: '/api/admin/whatsapp/health',
      summary: 'Backlog, failures and latency, in total and per tenant',
      access: 'operator',
      answer: health,
      handle: async () => {
        await latencies?.share()
        const blockers = await dedupe.problems()
        return readHealth(db, clock.now(), { deadLetterThreshold, blockers })
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
