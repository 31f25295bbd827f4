import { z } from 'zod'
import { listOf, listQuery } from '../api/contract.ts'
import {
  deliveriesQuery,
  eventDelivery,
  eventDeliveryWithAttempts,
  eventEndpoint,
  eventEndpointChange,
  eventEndpointWithSecret,
  eventReplay,
  newEventEndpoint,
  replayedEvents,
  secretRotation,
  testedEndpoint,
} from '../api/contract-events.ts'
import { type Route, route } from '../api/route.ts'
import { inspectDelivery, listDeliveries, listEndpoints } from './list.ts'
import {
  changeEndpoint,
  createEndpoint,
  type EndpointManager,
  findEndpoint,
  removeEndpoint,
  replayEvents,
  rotateSecret,
  testEndpoint,
} from './manage.ts'
import { showEndpoint } from './show.ts'

const base = '/api/whatsapp/event-endpoints'
const withId = z.object({ id: z.string() })

export interface EventRoutesOptions extends EndpointManager {
  /** Called after a commit that recorded an event or made deliveries. */
  onRecorded: () => Promise<void>
}

export function eventRoutes(options: EventRoutesOptions): Route[] {
  return [...endpointRoutes(options), ...actRoutes(options), ...deliveryRoutes(options)]
}

function endpointRoutes(options: EventRoutesOptions): Route[] {
  const { db } = options
  return [
    route({
      operationId: 'eventEndpoints.create',
      method: 'POST',
      path: base,
      summary: 'Have events posted to your application, signed; the secret is shown once',
      description: 'Delivery is at least once, in order per conversation: docs/event-webhooks.md.',
      access: 'tenant',
      body: newEventEndpoint,
      answer: eventEndpointWithSecret,
      status: 201,
      errors: ['ACCOUNT_NOT_FOUND', 'TOO_MANY_ENDPOINTS'],
      handle: async ({ tenantId, actor, body }) => {
        const { row, secret } = await createEndpoint(options, { tenantId, actor }, body)
        return { ...showEndpoint(row), secret }
      },
    }),
    route({
      operationId: 'eventEndpoints.list',
      method: 'GET',
      path: base,
      summary: 'List your event endpoints',
      access: 'tenant',
      query: listQuery,
      answer: listOf(eventEndpoint),
      handle: ({ tenantId, query }) =>
        db.tenantTransaction(tenantId, (tx) => listEndpoints(tx, tenantId, query)),
    }),
    route({
      operationId: 'eventEndpoints.get',
      method: 'GET',
      path: `${base}/:id`,
      summary: 'An event endpoint, and how it fares',
      access: 'tenant',
      params: withId,
      answer: eventEndpoint,
      errors: ['EVENT_ENDPOINT_NOT_FOUND'],
      handle: async ({ tenantId, params }) =>
        showEndpoint(
          await db.tenantTransaction(tenantId, (tx) => findEndpoint(tx, tenantId, params.id)),
        ),
    }),
    route({
      operationId: 'eventEndpoints.update',
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Change, pause or resume an event endpoint',
      access: 'tenant',
      params: withId,
      body: eventEndpointChange,
      answer: eventEndpoint,
      errors: ['EVENT_ENDPOINT_NOT_FOUND', 'ACCOUNT_NOT_FOUND'],
      handle: async ({ tenantId, actor, params, body }) =>
        showEndpoint(await changeEndpoint(options, { tenantId, actor }, params.id, body)),
    }),
    route({
      operationId: 'eventEndpoints.delete',
      method: 'DELETE',
      path: `${base}/:id`,
      summary: 'Delete an event endpoint, with what waits for it',
      access: 'tenant',
      params: withId,
      answer: z.null(),
      status: 204,
      errors: ['EVENT_ENDPOINT_NOT_FOUND'],
      handle: async ({ tenantId, actor, params }) => {
        await removeEndpoint(options, { tenantId, actor }, params.id)
        return null
      },
    }),
  ]
}

function actRoutes(options: EventRoutesOptions): Route[] {
  return [
    route({
      operationId: 'eventEndpoints.rotateSecret',
      method: 'POST',
      path: `${base}/:id/rotate-secret`,
      summary: 'A new secret, shown once; the old one signs too for a while',
      access: 'tenant',
      params: withId,
      query: secretRotation,
      answer: eventEndpointWithSecret,
      errors: ['EVENT_ENDPOINT_NOT_FOUND'],
      handle: async ({ tenantId, actor, params, query }) => {
        const by = { tenantId, actor }
        const { row, secret } = await rotateSecret(options, by, params.id, query.overlap_hours)
        return { ...showEndpoint(row), secret }
      },
    }),
    route({
      operationId: 'eventEndpoints.test',
      method: 'POST',
      path: `${base}/:id/test`,
      summary: 'Deliver a test event to this endpoint',
      access: 'tenant',
      params: withId,
      answer: testedEndpoint,
      status: 202,
      errors: ['EVENT_ENDPOINT_NOT_FOUND', 'EVENT_ENDPOINT_NOT_ACTIVE'],
      handle: async ({ tenantId, actor, params }) => {
        const event_id = await testEndpoint(options, { tenantId, actor }, params.id)
        await options.onRecorded()
        return { event_id }
      },
    }),
    route({
      operationId: 'eventEndpoints.replay',
      method: 'POST',
      path: `${base}/:id/replay`,
      summary: 'Deliver events again, by time or id, in their old order',
      access: 'tenant',
      params: withId,
      body: eventReplay,
      answer: replayedEvents,
      status: 202,
      errors: ['EVENT_ENDPOINT_NOT_FOUND', 'EVENT_ENDPOINT_NOT_ACTIVE', 'INVALID_CURSOR'],
      handle: async ({ tenantId, actor, params, body }) => {
        const answer = await replayEvents(options, { tenantId, actor }, params.id, body)
        if (!body.dry_run) await options.onRecorded()
        return answer
      },
    }),
  ]
}

function deliveryRoutes({ db }: EventRoutesOptions): Route[] {
  return [
    route({
      operationId: 'eventEndpoints.deliveries',
      method: 'GET',
      path: `${base}/:id/deliveries`,
      summary: 'What was and is to be delivered to an endpoint, the latest event first',
      access: 'tenant',
      params: withId,
      query: deliveriesQuery,
      answer: listOf(eventDelivery),
      errors: ['EVENT_ENDPOINT_NOT_FOUND'],
      handle: ({ tenantId, params, query }) =>
        db.tenantTransaction(tenantId, (tx) => listDeliveries(tx, tenantId, params.id, query)),
    }),
    route({
      operationId: 'eventEndpoints.delivery',
      method: 'GET',
      path: `${base}/:id/deliveries/:eventId`,
      summary: 'One delivery, with its body and every attempt',
      access: 'tenant',
      params: withId.extend({ eventId: z.string() }),
      answer: eventDeliveryWithAttempts,
      errors: ['EVENT_ENDPOINT_NOT_FOUND', 'EVENT_DELIVERY_NOT_FOUND'],
      handle: ({ tenantId, params }) =>
        db.tenantTransaction(tenantId, (tx) =>
          inspectDelivery(tx, tenantId, params.id, params.eventId),
        ),
    }),
  ]
}
