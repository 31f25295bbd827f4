// Meta's Graph API: what all of its edges share (bodies, versions, headers, errors), and the edges.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { makeTraceId } from '../identifiers.ts'
import type { Simulation } from '../simulation.ts'
import { type Clock, type Random, seededRandom } from '../time-and-chance.ts'
import { mountAccounts } from './accounts.ts'
import {
  GraphError,
  internalError,
  invalidRequest,
  renderGraphError,
  unknownPath,
} from './errors.ts'
import type { Graph } from './graph.ts'
import { mountMedia } from './media.ts'
import { mountMessageTemplates } from './message-templates.ts'
import { mountMessages } from './messages.ts'
import { mountNodes } from './nodes.ts'
import { mountNumbers } from './numbers.ts'
import { mountOauth } from './oauth.ts'
import { readGraphBodies } from './request-body.ts'
import { mountUploads } from './uploads.ts'
import { oldestVersion, servedVersion } from './versions.ts'

export interface GraphApiOptions {
  simulation: Simulation
  clock: Clock
  random: Random
}

export function mountGraphApi(app: FastifyInstance, options: GraphApiOptions): void {
  const { simulation, clock } = options
  const graph: Graph = {
    simulation,
    clock,
    access: () => ({ business: simulation.business(), clock }),
  }
  // A source of their own: a call that is merely looked at must not change the ids of messages.
  const traces = seededRandom(options.random.bytes(16).toString('hex'))

  readGraphBodies(app)
  answerLikeMeta(app, clock, traces)
  mountMessages(app, graph)
  mountMedia(app, graph)
  mountMessageTemplates(app, graph)
  mountAccounts(app, graph)
  mountNumbers(app, graph)
  mountOauth(app, graph)
  mountNodes(app, graph)
  app.register((scope, _options, done) => {
    mountUploads(scope, graph)
    done()
  })
}

function answerLikeMeta(app: FastifyInstance, clock: Clock, traces: Random): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'x-fb-request-id': makeTraceId(traces),
      'x-fb-trace-id': makeTraceId(traces),
      'x-fb-rev': '1029384756',
    })
    const { version } = request.params as { version?: string }
    const served =
      version === undefined ? oldestVersion(clock.now()) : servedVersion(version, clock.now())
    if (served === undefined) throw unknownPath(pathOf(request))
    reply.header('facebook-api-version', served)
  })
  app.addHook('onSend', async (_request, reply) => {
    if (/^application\/json/.test(String(reply.getHeader('content-type')))) {
      reply.header('content-type', 'application/json; charset=UTF-8')
    }
  })
  app.setErrorHandler((error, _request, reply) => {
    const graphError = toGraphError(error)
    return reply
      .code(graphError.parts.status)
      .headers(graphError.parts.headers ?? {})
      .send(renderGraphError(graphError, makeTraceId(traces)))
  })
  app.setNotFoundHandler((request) => {
    throw unknownPath(pathOf(request))
  })
}

function toGraphError(error: unknown): GraphError {
  if (error instanceof GraphError) return error
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status < 500 ? invalidRequest((error as Error).message, status) : internalError()
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/'
}
