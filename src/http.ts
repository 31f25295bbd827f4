// The HTTP server: routes mounted from their declarations, every error in one shape, one log line per call.
import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import multipart from '@fastify/multipart'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
} from 'fastify'
import { type Credentials, mustComeFromOurPage, mustNotBeForged } from './api/credentials.ts'
import {
  type FileAnswer,
  type PersonPrincipal,
  type Principal,
  parsePart,
  type Route,
  tenantOf,
} from './api/route.ts'
import { DatabaseUnavailable, isContention } from './db/connect.ts'
import { AppError, notFound } from './errors.ts'
import { formLimitBytes, formLimits, formProblem, readParts } from './http-form.ts'
import { isUuid, publicId } from './ids.ts'
import { errorFields, type Log, type LogFields } from './log.ts'
import type { Clock, Random } from './time-and-chance.ts'

export interface HttpOptions {
  log: Log
  clock: Clock
  random: Random
  /** Where browsers reach us. */
  publicUrl?: string | undefined
}

const apiBodyLimit = 256 * 1024
/** Long enough for a slow phone network, short enough that idle peers do not pile up. */
const bodyTimeoutMs = 30_000

export function createHttpServer(options: HttpOptions): FastifyInstance {
  const { log, clock, random } = options
  const setHeaders = headerSetter(options.publicUrl)
  const app = Fastify({
    logger: false,
    bodyLimit: apiBodyLimit,
    genReqId: () => random.uuid(),
    // Ids that we make ourselves; a caller's header is never believed.
    requestIdHeader: false,
    // For the largest file over a slow line; everything else has `bodyTimeoutMs`.
    requestTimeout: 10 * 60_000,
    keepAliveTimeout: 65_000,
    // What is under way when we stop is finished, also on connections that are kept alive.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    // An address that cannot be decoded gets no route, and so none of the handlers below.
    frameworkErrors: (error, request, reply) => {
      void sendError(setHeaders(reply, request.id), request.id, toAppError(error))
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, random.uuid()),
  })
  app.server.headersTimeout = bodyTimeoutMs
  acceptJsonOnly(app)
  app.decorateRequest('startedMs', 0)
  app.decorateRequest('tenantId', '')
  app.decorateRequest('trouble')
  app.decorateRequest('isFailure', false)
  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = clock.monotonicMs()
    setHeaders(reply, request.id)
    if (request.routeOptions.config.isForm !== true) {
      limitBodyTime(request, clock)
      // Cloud Scheduler calls nothing at all `application/octet-stream`.
      if (request.headers['content-length'] === '0') delete request.headers['content-type']
    }
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    done()
    if (isWebhook(request)) return
    const { isFailure } = request
    if (!isFailure && !request.routeOptions.url?.startsWith('/api/')) return
    log[isFailure ? 'error' : 'info'](isFailure ? 'api_request_failed' : 'api_request', {
      request_id: request.id,
      tenant_id: request.tenantId,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      statusCode: reply.statusCode,
      duration_ms: Math.round(clock.monotonicMs() - request.startedMs),
      ...request.trouble,
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
    const isOurs = shown.status >= 500 && !shown.isExpected
    // Told in the request's one line. Why something was refused is in the answer; a failure of ours is only here.
    request.trouble = isOurs ? errorFields(error) : { error_code: shown.code }
    request.isFailure = isOurs
    void sendError(reply, request.id, shown)
  })
  return app
}

function headerSetter(publicUrl = '') {
  const always = {
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    // For this host alone: its neighbours may have reasons of their own.
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  }
  return (reply: FastifyReply, requestId: string) =>
    reply.headers({ 'x-request-id': requestId, ...always })
}

/** Who takes too long to send a body is told so and cut off. */
function limitBodyTime(request: FastifyRequest, clock: Clock): void {
  const { raw, headers } = request
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  const cancel = clock.after(bodyTimeoutMs, () => {
    if (raw.complete) return
    answerUnreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket, request.id)
  })
  raw.once('close', cancel)
}

/** Only JSON is read. An empty body is none: many clients name a type also when they send nothing. */
function acceptJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (body.length === 0) done(null, undefined)
      // Bytes that are not UTF-8 would become question marks, silently.
      else if (!isUtf8(body)) done(Object.assign(new Error('not UTF-8'), { statusCode: 400 }))
      else void parse(request, body.toString('utf8'), done)
    },
  )
}

/** What is not even HTTP never reaches Fastify; it is answered in the same shape, on the bare socket. */
function answerUnreadable(
  { code }: { code?: string },
  socket: Pick<Socket, 'end' | 'destroy' | 'writable'>,
  requestId: string,
): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const error =
    code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('HEADERS_TOO_LARGE', 431, 'The headers are too large.')
      : code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new AppError('REQUEST_TIMEOUT', 408, 'The request did not arrive in time.')
        : new AppError('INVALID_REQUEST', 400, 'This is not a valid HTTP request.')
  const body = JSON.stringify(errorBody(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

function isWebhook(request: FastifyRequest): boolean {
  return request.routeOptions.config.isWebhook === true
}

declare module 'fastify' {
  interface FastifyRequest {
    startedMs: number
    /** '' while, or where, no tenant is meant. */
    tenantId: string
    /** What its line says of the error it was answered with. */
    trouble: LogFields | undefined
    /** It went wrong on our side, and nobody expected it. */
    isFailure: boolean
  }
  interface FastifyContextConfig {
    isWebhook?: boolean
    isForm?: boolean
  }
}

export function sendError(reply: FastifyReply, requestId: string, error: AppError): FastifyReply {
  return reply.code(error.status).headers(error.headers).send(errorBody(error, requestId))
}

function errorBody(error: AppError, requestId: string) {
  return {
    error: {
      code: error.code,
      message: error.message,
      details: error.details ?? {},
      request_id: requestId,
    },
  }
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
  if (error instanceof DatabaseUnavailable || isContention(error)) {
    return new AppError('UNAVAILABLE', 503, 'The database is unavailable or busy. Try again.', {
      headers: { 'retry-after': '1' },
    })
  }
  return new AppError('INTERNAL', 500, 'Something went wrong on our side.')
}

export interface MountOptions {
  /** Who the bearer of this key or cookie is; throws 401 when nobody. `isIdle`: it is asked by ourselves, nobody did anything. */
  authenticate(credentials: Credentials, isIdle?: boolean): Promise<Principal>
  /** The same for callers whom nobody knows yet, by their address. */
  limitStrangers(address: string): void
  /** Where browsers reach us, if that is not what they call the host. */
  publicUrl?: string | undefined
  isTenant(id: string): Promise<boolean>
  /** Counts a call of this caller; throws 429 when there were too many. */
  limit(caller: string): void
  /** Throws 401 when these are not the headers of a task of ours. */
  admitInternal(headers: FastifyRequest['headers']): Promise<void>
}

export function mountRoutes(
  app: FastifyInstance,
  routes: Route[],
  options: MountOptions & { clock: Clock },
): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  for (const one of routes) {
    const declared: RouteOptions = {
      method: one.method,
      url: one.path,
      // Before the body is read: a stranger learns nothing from it and costs us nothing by it.
      onRequest: async (request) => {
        callers.set(request, await identify(one, request, options))
      },
      handler: async (request, reply) => {
        const caller = callers.get(request)
        if (!caller) throw new Error('bug: a request without a caller')
        const answer = await one.handle({
          ...caller,
          requestId: request.id,
          origin: `${request.protocol}://${request.host}`,
          params: parsePart(one.params, request.params, 'path', 'INVALID_REQUEST'),
          query: parsePart(one.query, request.query, 'query', 'INVALID_REQUEST'),
          headers: parsePart(one.headers, request.headers, 'headers', 'INVALID_REQUEST'),
          setHeader: (name, value) => void reply.header(name, value),
          body: parsePart(one.body, request.body, 'body', one.invalidCode ?? 'INVALID_REQUEST'),
          parts: () => readParts(request, options.clock),
        })
        if (one.givesFile) return sendFile(reply, answer as FileAnswer)
        reply.code(one.status ?? 200)
        return one.status === 204 ? null : answer
      },
    }
    if (one.form) mountForm(app, declared)
    else app.route(declared)
  }
}

/** In a scope of its own: elsewhere a form is as unknown as anything that is not JSON. */
function mountForm(app: FastifyInstance, declared: RouteOptions): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.register(multipart, { limits: formLimits })
    scope.setErrorHandler((error) => {
      throw formProblem(error)
    })
    scope.route({ ...declared, config: { isForm: true }, bodyLimit: formLimitBytes })
    done()
  })
}

function sendFile(reply: FastifyReply, { status, headers, content }: FileAnswer): FastifyReply {
  return reply.code(status).headers(headers).send(content)
}

export interface Caller {
  actor: string
  /** '' where no tenant is meant. */
  tenantId: string
  person: PersonPrincipal | undefined
}

/** Who is asking, for which tenant; counts the call. */
export async function identify(
  one: Pick<Route, 'access'>,
  request: FastifyRequest,
  options: MountOptions,
): Promise<Caller> {
  const caller = await callerOf(one, request, options)
  request.tenantId = caller.tenantId
  return caller
}

async function callerOf(
  one: Pick<Route, 'access'>,
  request: FastifyRequest,
  options: MountOptions,
): Promise<Caller> {
  const { access } = one
  if (access === 'page') {
    options.limitStrangers(request.ip)
    mustComeFromOurPage(request, options.publicUrl)
  }
  if (access === 'public' || access === 'page') {
    return { actor: 'nobody', tenantId: '', person: undefined }
  }
  if (access === 'internal') {
    await options.admitInternal(request.headers)
    return { actor: 'task', tenantId: '', person: undefined }
  }
  // What the console's page asks by itself keeps nobody signed in.
  const principal = await options.authenticate(request, request.headers['x-idle'] === '1')
  const person = principal.kind === 'person' ? principal : undefined
  if (person) mustNotBeForged(request, person, options.publicUrl)
  const actor = actorOf(principal)
  options.limit(`${principal.kind} ${actor}`)
  if (access === 'person') {
    if (!person) throw forbidden('This is for people who signed in to the console.')
    return { actor, tenantId: '', person }
  }
  const ownTenantId = tenantOf(principal)
  if (ownTenantId === null) {
    const tenantId = access === 'operator' ? '' : await namedTenant(request, options)
    return { actor, tenantId, person }
  }
  if (access === 'operator') throw forbidden('This needs an operator.')
  if (access === 'tenant' && person?.role === 'agent') {
    throw forbidden('This needs an admin of the tenant.')
  }
  return { actor, tenantId: ownTenantId, person }
}

function actorOf(principal: Principal): string {
  if (principal.kind === 'operator') return principal.name
  return principal.kind === 'tenant' ? principal.keyId : publicId('usr', principal.personId)
}

function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', 403, message)
}

/** Operators may do everything a tenant may, but must say for whom. */
async function namedTenant(request: FastifyRequest, { isTenant }: MountOptions): Promise<string> {
  const header = request.headers['x-tenant-id']
  const id = typeof header === 'string' ? header.toLowerCase() : ''
  if (!isUuid(id)) {
    throw new AppError(
      'TENANT_REQUIRED',
      400,
      'Name the tenant in the header X-Tenant-Id (its uuid).',
    )
  }
  if (!(await isTenant(id))) throw notFound('TENANT_NOT_FOUND', 'tenant')
  return id
}
