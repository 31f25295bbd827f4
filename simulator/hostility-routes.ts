// Faults, scenarios and events over HTTP: how a person or a test makes Meta misbehave.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type FaultInput, faultNames } from './faults/rules.ts'
import { parseInput, RequestError } from './request-error.ts'
import { listScenarios, loadNamedScenario, parseScenario } from './scenarios.ts'
import type { TrafficControls } from './traffic-controls.ts'
import type { EventInput } from './webhooks/event-context.ts'
import { knownFields } from './webhooks/events.ts'

const named = z.strictObject({ name: z.string().min(1) })

export function mountHostilityRoutes(app: FastifyInstance, controls: TrafficControls): void {
  readYamlBodies(app)

  app.get('/faults', async () => ({ data: controls.faults(), known: faultNames }))
  app.post<{ Body: FaultInput }>('/faults', async (request, reply) =>
    reply.code(201).send(controls.setFault(request.body)),
  )
  app.delete<{ Params: { id: string } }>('/faults/:id', async ({ params }) => {
    if (!controls.removeFault(params.id)) {
      throw new RequestError(404, 'FAULT_NOT_FOUND', `id: there is no fault ${params.id}`)
    }
    return { removed: params.id }
  })
  app.delete('/faults', async () => {
    const removed = controls.faults().length
    controls.clearFaults()
    return { removed }
  })

  app.get('/scenarios', async () => ({ data: listScenarios() }))
  app.get('/scenario', async () => ({ scenario: controls.scenario() }))
  app.post('/scenario', async (request, reply) =>
    reply.code(201).send(controls.startScenario(scenarioIn(request.body))),
  )
  app.delete('/scenario', async () => {
    controls.stopScenario()
    return { scenario: null }
  })

  app.get('/events', async () => ({ fields: knownFields }))
  app.post<{ Body: EventInput }>('/events', async (request, reply) =>
    reply.code(201).send(controls.sendEvent(request.body)),
  )
}

/** `{"name": …}` starts one that comes with the simulator; YAML or `{"steps": …}` is one itself. */
function scenarioIn(body: unknown): object {
  if (typeof body === 'string') return parseScenario(body)
  if (typeof body === 'object' && body !== null && 'steps' in body) return body
  return loadNamedScenario(parseInput(named, body).name)
}

function readYamlBodies(app: FastifyInstance): void {
  const types = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml']
  app.addContentTypeParser(types, { parseAs: 'string' }, (_request, body, done) => done(null, body))
}
