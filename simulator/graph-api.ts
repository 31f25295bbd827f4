// Meta's Graph API, as far as a gateway's sends go.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  GraphError,
  internalError,
  invalidRequest,
  invalidToken,
  renderGraphError,
  unknownObject,
  unknownPath,
} from './graph-errors.ts'
import { makeTraceId } from './identifiers.ts'
import type { AcceptedSend } from './ledger.ts'
import type { BusinessNumber } from './numbers.ts'
import { parseJson } from './parse-json.ts'
import { readSendRequest } from './send-request.ts'
import type { Simulation } from './simulation.ts'
import type { Random } from './time-and-chance.ts'

interface MessagesRoute {
  Params: { version: string; phoneNumberId: string }
}

export function mountGraphApi(app: FastifyInstance, simulation: Simulation, random: Random): void {
  // Meta does not refuse unreadable bodies as such; it then misses the first required parameter.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parseLeniently(String(body)))
  })

  app.setErrorHandler((error, _request, reply) => {
    const graphError = toGraphError(error)
    return reply
      .code(graphError.parts.status)
      .send(renderGraphError(graphError, makeTraceId(random)))
  })
  app.setNotFoundHandler((request) => {
    throw unknownPath(pathOf(request))
  })

  app.post<MessagesRoute>('/:version/:phoneNumberId/messages', async (request, reply) => {
    const { version, phoneNumberId } = request.params
    if (!/^v\d+\.\d+$/.test(version)) throw unknownPath(pathOf(request))
    reply.header('facebook-api-version', version)
    const number = authorize(simulation.numbers(), bearerToken(request), phoneNumberId)
    const send = readSendRequest(request.body)
    if (send.kind === 'read') {
      simulation.markRead(number, send)
      return { success: true }
    }
    return acceptedAnswer(simulation.acceptSend(number, send))
  })
}

/** The token is judged before the object, so a stranger never learns which numbers exist. */
function authorize(
  numbers: BusinessNumber[],
  token: string | undefined,
  phoneNumberId: string,
): BusinessNumber {
  const visible = numbers.filter((number) => number.access_token === token)
  if (visible.length === 0) throw invalidToken()
  const number = visible.find((candidate) => candidate.phone_number_id === phoneNumberId)
  if (number === undefined) throw unknownObject(phoneNumberId)
  return number
}

function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim()
}

function acceptedAnswer(send: AcceptedSend) {
  return {
    messaging_product: 'whatsapp',
    contacts: [send.recipient],
    messages: [
      {
        id: send.wamid,
        ...(send.type === 'template' ? { message_status: 'accepted' } : {}),
      },
    ],
  }
}

function toGraphError(error: unknown): GraphError {
  if (error instanceof GraphError) return error
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status < 500 ? invalidRequest((error as Error).message, status) : internalError()
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/'
}

function parseLeniently(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
