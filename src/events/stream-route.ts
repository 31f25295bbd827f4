// GET /api/whatsapp/events: the stream over HTTP, as server-sent events. Outside the route list, because its answer never
// ends; api/plain-operations.ts describes it.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { eventTypes } from '../api/contract-events.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { identify, type MountOptions } from '../http.ts'
import { uuidOf } from '../ids.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import type { EventStreams } from './stream.ts'
import { selectIsWhole, selectPosition } from './stream-queries.ts'
import { frame, placeIn, type Sink } from './stream-reader.ts'

export interface StreamRouteOptions {
  db: Db
  clock: Clock
  streams: EventStreams
}

export function mountEventStream(
  app: FastifyInstance,
  { db, clock, streams }: StreamRouteOptions,
  access: MountOptions,
): void {
  app.get('/api/whatsapp/events', { exposeHeadRoute: false }, async (request, reply) => {
    const { tenantId } = await identify({ access: 'agent' }, request, access)
    const query = request.query as Record<string, unknown>
    const types = typesIn(query.types)
    const lastId = request.headers['last-event-id'] ?? query.last_event_id
    const place = await placeOf(db, tenantId, lastId)
    const response = reply.raw
    let isStarted = false
    const start = () => {
      if (isStarted) return
      isStarted = true
      reply.hijack()
      response.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      response.write('retry: 3000\n\n')
      if (place.isReset) {
        response.write(frame('stream.reset', { reason: 'unknown_last_event_id' }))
      }
    }
    const close = await streams.open({
      tenantId,
      types,
      after: place.after,
      sink: sinkOf(response, clock, start),
      isAllowed: async () => {
        try {
          await access.authenticate(request, true)
          return true
        } catch (error) {
          // A database that is away revokes nobody.
          return !(error instanceof AppError && error.status === 401)
        }
      },
    })
    response.once('close', close)
    start()
    // Somebody who left while we looked.
    if (response.destroyed) close()
    return reply
  })
}

/** After which place to read on. An id that is not kept any more: from the oldest that is, and the reader is told. */
async function placeOf(
  db: Db,
  tenantId: string,
  lastId: unknown,
): Promise<{ after: number | null; isReset: boolean }> {
  if (typeof lastId !== 'string' || lastId === '') return { after: null, isReset: false }
  const after = await db.tenantTransaction(tenantId, async (tx) => {
    const place = placeIn(lastId)
    if (place !== undefined) return (await selectIsWhole(tx, tenantId, place)) ? place : undefined
    const id = uuidOf('evt', lastId)
    return id === undefined ? undefined : selectPosition(tx, tenantId, id)
  })
  return { after: after ?? 0, isReset: after === undefined }
}

function typesIn(given: unknown): ReadonlySet<string> | null {
  if (given === undefined || given === '') return null
  const types = String(given).split(',')
  const unknown = types.find((type) => !eventTypes.some((known) => known === type))
  if (unknown === undefined) return new Set(types)
  const problem = `a comma list of ${eventTypes.join(', ')}`
  throw new AppError('INVALID_REQUEST', 400, `types: ${problem}`, {
    details: { fields: [{ field: 'types', problem }] },
  })
}

const farewellMs = 1_000

function sinkOf(response: ServerResponse, clock: Clock, start: () => void): Sink {
  return {
    write(text) {
      start()
      return response.write(text)
    },
    async drained(withinMs) {
      const done = new AbortController()
      const onDone = () => done.abort()
      response.once('drain', onDone)
      response.once('close', onDone)
      if (response.writableNeedDrain && !response.destroyed) {
        await sleep(clock, withinMs, done.signal)
      }
      response.off('drain', onDone)
      response.off('close', onDone)
      return !response.writableNeedDrain || response.destroyed
    },
    end(lastText) {
      start()
      response.end(lastText)
      // Whoever does not read would never let us go.
      const cancel = clock.after(farewellMs, () => response.destroy())
      response.once('close', cancel)
    },
    destroy: () => response.destroy(),
  }
}
