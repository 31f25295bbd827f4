// How every control route reads bodies and tells of mistakes.
import type { FastifyInstance } from 'fastify'
import { parseJson } from './parse-json.ts'
import { RequestError } from './request-error.ts'

export function speakControlJson(app: FastifyInstance): void {
  readAnyBodyAsJson(app)
  answerErrors(app)
}

/** `curl -d` sends a form's content type; a person at a terminal should not have to care. */
function readAnyBodyAsJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : parseJson(String(body)))
    } catch (error) {
      done(new RequestError(400, 'INVALID_JSON', `body: ${(error as Error).message}`))
    }
  })
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    const known = toRequestError(error)
    return reply.code(known.status).send({ error: { code: known.code, message: known.message } })
  })
  app.setNotFoundHandler((request) => {
    throw new RequestError(404, 'NOT_FOUND', `there is no ${request.method} ${request.url}`)
  })
}

function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error
  const message = error instanceof Error ? error.message : String(error)
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return status < 500
    ? new RequestError(status, 'INVALID_REQUEST', message)
    : new RequestError(500, 'INTERNAL_ERROR', message)
}
