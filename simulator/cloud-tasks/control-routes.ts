// Cloud Tasks' strings behind the stage over HTTP: queues, tasks, faults, the ledger, the public keys.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { parseInput, RequestError } from '../request-error.ts'
import type { CloudTasksControls } from './controls.ts'
import { type TaskFaultInput, taskFaultNames } from './faults.ts'

const listQuery = z.object({
  queue: z.string().optional(),
  task: z.string().optional(),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})
const runBody = z
  .strictObject({ queue: z.string().optional(), task: z.string().optional() })
  .default({})
const newQueue = z.strictObject({
  name: z.string(),
  max_dispatches_per_second: z.number().optional(),
  max_concurrent_dispatches: z.number().optional(),
  max_attempts: z.number().optional(),
  max_retry_duration_ms: z.number().optional(),
  min_backoff_ms: z.number().optional(),
  max_backoff_ms: z.number().optional(),
  max_doublings: z.number().optional(),
})

export function mountCloudTasksRoutes(app: FastifyInstance, controls: CloudTasksControls): void {
  app.get('/cloud-tasks/queues', async () => ({ data: controls.queues() }))
  app.put('/cloud-tasks/queues', async (request) => {
    const { name, ...settings } = parseInput(newQueue, request.body)
    return controls.setQueue(name, camelCased(settings))
  })
  for (const act of ['pause', 'resume', 'purge'] as const) {
    app.post<{ Params: { queue: string } }>(`/cloud-tasks/queues/:queue/${act}`, ({ params }) => {
      if (!controls[act](params.queue)) {
        throw new RequestError(404, 'QUEUE_NOT_FOUND', `queue: there is no queue ${params.queue}`)
      }
      return controls.queues()
    })
  }

  for (const list of ['tasks', 'dispatches', 'creations'] as const) {
    app.get(`/cloud-tasks/${list}`, async (request) => {
      const { offset, limit, ...wanted } = parseInput(listQuery, request.query)
      const found = controls[list](wanted)
      return { data: found.slice(offset, offset + limit), total: found.length }
    })
  }
  app.post('/cloud-tasks/tasks/run', async (request) => ({
    run: controls.runNow(parseInput(runBody, request.body)),
  }))
  app.get('/cloud-tasks/idle', async () => {
    await controls.idle()
    return { idle: true }
  })

  app.get('/cloud-tasks/faults', async () => ({ data: controls.faults(), known: taskFaultNames }))
  app.post<{ Body: TaskFaultInput }>('/cloud-tasks/faults', async (request, reply) =>
    reply.code(201).send(controls.fault(request.body)),
  )
  app.delete<{ Params: { id: string } }>('/cloud-tasks/faults/:id', async ({ params }) => {
    if (!controls.removeFault(params.id)) {
      throw new RequestError(404, 'FAULT_NOT_FOUND', `id: there is no fault ${params.id}`)
    }
    return { removed: params.id }
  })
  app.delete('/cloud-tasks/faults', async () => ({ removed: controls.clearFaults() }))

  app.get('/cloud-tasks/certs', async () => controls.jwks())
}

const camelCased = (values: Record<string, number | undefined>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
