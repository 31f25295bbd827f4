import type { FastifyInstance } from 'fastify'
import { health } from '../api/contract.ts'
import { type Principal, type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { readHealth } from './health.ts'
import type { Readiness } from './readiness.ts'

export function healthRoutes({ db, clock }: { db: Db; clock: Clock }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/whatsapp/health',
      summary: 'Backlog, failures and latency, in total and per tenant',
      access: 'operator',
      answer: health,
      handle: () => readHealth(db, clock.now()),
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
  authenticate: (authorization: string | undefined) => Promise<Principal>,
): void {
  app.get('/metrics', async (request, reply) => {
    const principal = await authenticate(request.headers.authorization)
    if (principal.kind !== 'operator')
      throw new AppError('FORBIDDEN', 403, 'This needs an operator key.')
    reply.type(metrics.registry.contentType)
    return metrics.registry.metrics()
  })
}
