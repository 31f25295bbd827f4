// The strings behind the stage, for people and tests: everything under /simulator.
import type { FastifyInstance } from 'fastify'
import { speakControlJson } from './control-form.ts'
import type { CustomerMessage } from './customers.ts'
import { mountHostilityRoutes } from './hostility-routes.ts'
import { mountLedgerRoutes } from './ledger-routes.ts'
import type { BusinessNumber } from './numbers.ts'
import type { Controls } from './simulation.ts'
import type { RawDelivery, WebhookSettings } from './traffic-controls.ts'

// The body types below are what callers should send; each control checks what they did send.
export function mountControlApi(app: FastifyInstance, controls: Controls): void {
  speakControlJson(app)

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
