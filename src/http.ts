// The HTTP server: routes mounted from their declarations, every error in one shape, one log line per call.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Principal, parsePart, type Route } from './api/route.ts'
import { AppError } from './errors.ts'
import { isUuid } from './ids.ts'
import { errorFields, type Log } from './log.ts'
import type { Clock, Random } from './time-and-chance.ts'

export interface HttpOptions {
  log: Log
  clock: Clock
  random: Random
}

const apiBodyLimit = 256 * 1024

export function createHttpServer({ log, clock, random }: HttpOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: apiBodyLimit,
    genReqId: () => random.uuid(),
    // Ids that we make ourselves; a caller's header is never believed.
    requestIdHeader: false,
    // Long enough for a slow phone network, short enough that idle peers do not pile up.
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    // What is under way when we stop is finished, also on connections that are kept alive.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
  })
  const started = new WeakMap<FastifyRequest, number>()
  app.addHook('onRequest', async (request, reply) => {
    started.set(request, clock.monotonicMs())
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
  })
  app.addHook('onResponse', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/api/') || isWebhook(request)) return
    log.info('api_request', {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url,
      statusCode: reply.statusCode,
      duration_ms: Math.round(clock.monotonicMs() - (started.get(request) ?? 0)),
    })
  })
  app.setNotFoundHandler((request, reply) => {
    void sendError(
      reply,
      request.id,
      new AppError('NOT_FOUND', 404, 'There is nothing at this address.'),
    )
  })
  app.setErrorHandler((error, request, reply) => {
    const shown = toAppError(error)
    if (shown.status >= 500 && !isWebhook(request)) {
      log.error('api_request_failed', {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        statusCode: shown.status,
        ...errorFields(error),
      })
    }
    void sendError(reply, request.id, shown)
  })
  return app
}

function isWebhook(request: FastifyRequest): boolean {
  return request.routeOptions.config.isWebhook === true
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isWebhook?: boolean
  }
}

export function sendError(reply: FastifyReply, requestId: string, error: AppError): FastifyReply {
  return reply
    .code(error.status)
    .headers(error.headers)
    .send({
      error: {
        code: error.code,
        message: error.message,
        ...(error.details && { details: error.details }),
        request_id: requestId,
      },
    })
}

/** Whatever was thrown, without telling a caller about our insides. */
function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('PAYLOAD_TOO_LARGE', 413, 'The body is too large.')
  }
  if (statusCode === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 415, 'Send JSON (application/json).')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError(
      'INVALID_REQUEST',
      statusCode,
      'The body is not valid JSON, or the request is malformed.',
    )
  }
  if ((error as Error).name === 'DatabaseUnavailable') {
    return new AppError('UNAVAILABLE', 503, 'The database is unavailable. Try again.', {
      headers: { 'retry-after': '1' },
    })
  }
  return new AppError('INTERNAL', 500, 'Something went wrong on our side.')
}

export interface MountOptions {
  /** Who the bearer of this header is; throws 401 when nobody. */
  authenticate(authorization: string | undefined): Promise<Principal>
  /** Counts a call of this caller; throws 429 when there were too many. */
  limit(caller: string): void
}

export function mountRoutes(app: FastifyInstance, routes: Route[], options: MountOptions): void {
  for (const one of routes) {
    app.route({
      method: one.method,
      url: one.path,
      handler: async (request, reply) => {
        const caller = await identify(one, request, options)
        const answer = await one.handle({
          ...caller,
          requestId: request.id,
          params: parsePart(one.params, request.params, 'path', 'INVALID_REQUEST'),
          query: parsePart(one.query, request.query, 'query', 'INVALID_REQUEST'),
          body: parsePart(one.body, request.body, 'body', one.invalidCode ?? 'INVALID_REQUEST'),
        })
        reply.code(one.status ?? 200)
        return one.status === 204 ? null : answer
      },
    })
  }
}

async function identify(
  one: Route,
  request: FastifyRequest,
  options: MountOptions,
): Promise<{ actor: string; tenantId: string }> {
  if (one.access === 'public') return { actor: 'nobody', tenantId: '' }
  const principal = await options.authenticate(request.headers.authorization)
  if (principal.kind === 'operator') {
    options.limit(`operator ${principal.name}`)
    return {
      actor: principal.name,
      tenantId: one.access === 'tenant' ? namedTenant(request) : '',
    }
  }
  options.limit(`key ${principal.keyId}`)
  if (one.access === 'operator') {
    throw new AppError('FORBIDDEN', 403, 'This needs an operator key.')
  }
  return { actor: principal.keyId, tenantId: principal.tenantId }
}

/** Operators may do everything a tenant may, but must say for whom. */
function namedTenant(request: FastifyRequest): string {
  const header = request.headers['x-tenant-id']
  if (typeof header === 'string' && isUuid(header)) return header
  throw new AppError(
    'TENANT_REQUIRED',
    400,
    'Name the tenant in the header X-Tenant-Id (its uuid).',
  )
}
