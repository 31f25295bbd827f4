// The strings behind the stage, for people and tests: everything under /simulator.
import type { FastifyInstance } from 'fastify'
import type { CustomerMessage } from './customers.ts'
import { mountHostilityRoutes } from './hostility-routes.ts'
import { mountLedgerRoutes } from './ledger-routes.ts'
import type { BusinessNumber } from './numbers.ts'
import { parseJson } from './parse-json.ts'
import { RequestError } from './request-error.ts'
import type { Controls } from './simulation.ts'
import type { RawDelivery, WebhookSettings } from './traffic-controls.ts'

// The body types below are what callers should send; each control checks what they did send.
export function mountControlApi(app: FastifyInstance, controls: Controls): void {
  readAnyBodyAsJson(app)
  answerErrors(app)

  app.get('/numbers', async () => ({ data: controls.numbers() }))
  app.post<{ Body: BusinessNumber }>('/numbers', async (request, reply) =>
    reply.code(201).send(controls.registerNumber(request.body)),
  )

  app.get('/webhook', async () => controls.webhook())
  app.put<{ Body: WebhookSettings }>('/webhook', async (request) => {
    controls.setWebhook(request.body)
    return controls.webhook()
  })
  app.post('/webhook/verify', async () => controls.verifyWebhook())

  app.post<{ Params: { wa_id: string }; Body: CustomerMessage }>(
    '/customers/:wa_id/messages',
    async (request, reply) =>
      reply.code(201).send({ wamid: controls.customerWrites(request.params.wa_id, request.body) }),
  )

  app.post<{ Body: RawDelivery }>('/deliveries', async (request, reply) =>
    reply.code(201).send(await controls.deliverRaw(request.body)),
  )

  mountLedgerRoutes(app, controls)
  mountHostilityRoutes(app, controls)
  app.get('/settled', async () => {
    await controls.settled()
    return { settled: true }
  })
  app.post('/reset', async () => {
    await controls.reset()
    return { reset: true }
  })
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
