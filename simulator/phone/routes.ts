// What the phone page asks and does, as JSON under /simulator/phone, and the feed as a stream.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type CustomerMessage, readCustomerMessage } from '../customers.ts'
import { isBusinessScopedUserId } from '../identifiers.ts'
import { parseInput, RequestError } from '../request-error.ts'
import type { Simulation } from '../simulation.ts'
import type { Clock } from '../time-and-chance.ts'
import type { Chats } from './chats.ts'
import type { EventStream } from './event-stream.ts'
import { mountPhoneMedia } from './media-routes.ts'
import type { PhoneCustomer } from './people.ts'

export interface PhoneApi {
  simulation: Simulation
  chats: Chats
  stream: EventStream
  clock: Clock
}

const newCustomerSchema = z
  .object({
    wa_id: z
      .string()
      .regex(/^\+?[\d\s().-]{5,30}$/, 'must be a phone number')
      .optional(),
    user_id: z
      .string()
      .refine(isBusinessScopedUserId, 'must look like US.13491208655302')
      .optional(),
    name: z.string().trim().min(1).max(100).optional(),
    username: z.string().trim().min(1).max(60).optional(),
  })
  .refine(({ wa_id, user_id }) => (wa_id ?? user_id) !== undefined, {
    message: 'give a phone number or a user id',
    path: ['wa_id'],
  })

const settingsSchema = z.object({
  online: z.boolean().optional(),
  read_receipts: z.boolean().optional(),
})

const callsQuery = z.object({ phone_number_id: z.string().optional() })

/** As many as a person can take in. */
const shownCalls = 25

const blockedSchema = z.object({ blocked: z.boolean() })

interface ChatRoute {
  Params: { number: string; customer: string }
}

export function mountPhoneApi(app: FastifyInstance, api: PhoneApi): void {
  const { simulation, chats, stream } = api

  app.get<{ Querystring: { after?: string } }>('/feed', (request, reply) => {
    const lastSeen = request.headers['last-event-id'] ?? request.query.after
    reply.hijack()
    stream.open(reply.raw, Array.isArray(lastSeen) ? lastSeen[0] : lastSeen)
  })

  app.get('/phone/state', async () => ({
    cursor: stream.cursor(),
    numbers: simulation.numbers().map(({ phone_number_id, display_phone_number }) => ({
      phone_number_id,
      display_phone_number,
      verified_name: simulation.business().numbers.profile(phone_number_id).verified_name,
    })),
    customers: describeAll(api),
  }))

  app.post('/phone/customers', async (request, reply) => {
    const customer = chats.addCustomer(parseInput(newCustomerSchema, request.body))
    simulation.feed.emit({ type: 'presence', customer: customer.key })
    return reply.code(201).send(describe(api, customer))
  })

  app.patch<{ Params: { customer: string } }>('/phone/customers/:customer', async (request) => {
    const customer = findCustomer(chats, request.params.customer)
    const { online, read_receipts } = parseInput(settingsSchema, request.body)
    const presence = simulation.presence()
    if (read_receipts !== undefined) presence.setReadReceipts(customer.key, read_receipts)
    if (online !== undefined) presence.setOnline(customer.key, online)
    return describe(api, customer)
  })

  app.get('/phone/calls', async (request) => {
    const { phone_number_id } = parseInput(callsQuery, request.query)
    return {
      data: simulation
        .traffic()
        .ledger.latestRequests(shownCalls, phone_number_id)
        .map(({ body: _body, ...rest }) => rest),
    }
  })

  mountChatRoutes(app, api)
  mountPhoneMedia(app, () => simulation.business().media)
}

function mountChatRoutes(app: FastifyInstance, api: PhoneApi): void {
  const { simulation, chats, stream } = api

  app.get<ChatRoute>('/phone/chats/:number/:customer', async ({ params }) => {
    const customer = findCustomer(chats, params.customer)
    return {
      cursor: stream.cursor(),
      customer: describe(api, customer),
      ...chats.chat(params.number, customer.key),
    }
  })

  app.post<ChatRoute & { Body: Omit<CustomerMessage, 'phone_number_id'> }>(
    '/phone/chats/:number/:customer/messages',
    async ({ params, body }, reply) =>
      reply.code(201).send({ wamid: write(api, params.number, params.customer, body) }),
  )

  app.post<ChatRoute>('/phone/chats/:number/:customer/seen', async ({ params }) => {
    chats.seen(params.number, findCustomer(chats, params.customer).key)
    return { unread: 0 }
  })

  app.put<ChatRoute>('/phone/chats/:number/:customer/blocked', async ({ params, body }) => {
    const customer = findCustomer(chats, params.customer)
    const { blocked } = parseInput(blockedSchema, body)
    simulation.presence().setBlocked(customer.key, params.number, blocked)
    return describe(api, customer)
  })
}

function findCustomer(chats: Chats, id: string): PhoneCustomer {
  const customer = chats.customer(id)
  if (customer !== undefined) return customer
  throw new RequestError(
    404,
    'CUSTOMER_NOT_FOUND',
    `customer: ${id} is not known; POST /simulator/phone/customers first`,
  )
}

function describeAll(api: PhoneApi) {
  const summaries = api.chats.summaries()
  return api.chats.customers().map((customer) => describe(api, customer, summaries))
}

function describe(
  { simulation, chats }: PhoneApi,
  customer: PhoneCustomer,
  summaries = chats.summaries(),
) {
  const presence = simulation.presence()
  return {
    ...customer,
    online: presence.isOnline(customer.key),
    read_receipts: presence.readsReceipts(customer.key),
    blocked: simulation
      .numbers()
      .map((number) => number.phone_number_id)
      .filter((id) => presence.hasBlocked(customer.key, id)),
    chats: summaries.get(customer.key) ?? [],
  }
}

/** Who replies to a message of their own is named as its writer. */
function ownContext(chats: Chats, context: CustomerMessage['context'], waId: string | undefined) {
  const isOwn = context?.id !== undefined && chats.writer(context.id) === 'customer'
  return isOwn && waId !== undefined ? { context: { from: waId, ...context } } : {}
}

/** A phone without connection keeps what was written and sends it on coming back, in order. */
function write(
  { simulation, chats, clock }: PhoneApi,
  phoneNumberId: string,
  id: string,
  body: Omit<CustomerMessage, 'phone_number_id'>,
): string {
  const customer = findCustomer(chats, id)
  const { wa_id, user_id, name, username } = customer
  const message = {
    name,
    ...(wa_id !== undefined && user_id !== undefined ? { user_id } : {}),
    ...(username === undefined ? {} : { username }),
    ...body,
    ...ownContext(chats, body?.context as CustomerMessage['context'], wa_id),
    phone_number_id: phoneNumberId,
  } as CustomerMessage
  const presence = simulation.presence()
  if (presence.isOnline(customer.key)) return simulation.customerWrites(customer.key, message)

  // Now, because on coming back nobody is left to hear of a mistake.
  if (simulation.business().numbers.find(phoneNumberId) === undefined) {
    throw new RequestError(404, 'NUMBER_NOT_FOUND', `number: ${phoneNumberId} is not registered`)
  }
  const { type, content } = readCustomerMessage(message)
  const held = chats.hold(phoneNumberId, customer.key, {
    at: clock.now().toISOString(),
    type,
    content,
  })
  presence.whenOnline(customer.key, () => {
    held.release()
    simulation.customerWrites(customer.key, message)
  })
  return held.wamid
}
