// The pretended Meta itself, without HTTP: which numbers exist, what was accepted, what is due.
// The Graph API and the control API are two doors to it.
import { z } from 'zod'
import { createBackground } from './background.ts'
import {
  type CustomerMessage,
  completeContent,
  readCustomer,
  readCustomerMessage,
} from './customers.ts'
import { digitsOf, makeWamid } from './identifiers.ts'
import { type AcceptedSend, createLedger, type Delivery, type LedgerView } from './ledger.ts'
import { type BusinessNumber, businessNumberSchema, createNumbers } from './numbers.ts'
import { inboundPayload, type LadderStatus, statusLadder, statusPayload } from './payloads.ts'
import { parseInput, RequestError } from './request-error.ts'
import type { SendRequest } from './send-request.ts'
import { serializeLikeMeta } from './signing.ts'
import { type Clock, type Random, unixSeconds } from './time-and-chance.ts'
import { createCourier, type Handshake, type WebhookTarget } from './webhooks.ts'

export interface SimulationOptions {
  clock: Clock
  random: Random
  webhook: WebhookTarget
  /** The wait before each status, counted from the one before. */
  statusDelaysMs: Record<LadderStatus, number>
  retryDelaysMs: readonly number[]
  deliveryTimeoutMs: number
}

const webhookSettingsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).optional(),
  verify_token: z.string().min(1).optional(),
  app_secret: z.string().min(1).optional(),
})

const rawDeliverySchema = z
  .object({
    /** Exact text to send. */
    body: z.string().optional(),
    /** Exact bytes to send, for what is not UTF-8. */
    body_base64: z.base64().optional(),
    /** Any JSON value, serialised the way Meta does it. */
    payload: z.unknown().optional(),
    signature: z.enum(['right', 'wrong', 'missing']).default('right'),
    /** Whoever sends raw bytes wants to see one answer, unless they say otherwise. */
    retry: z.boolean().default(false),
  })
  .refine(
    ({ body, body_base64, payload }) =>
      [body, body_base64, payload].filter((source) => source !== undefined).length === 1,
    'give exactly one of body, body_base64, payload',
  )

export type WebhookSettings = z.input<typeof webhookSettingsSchema>
export type RawDelivery = z.input<typeof rawDeliverySchema>

/** What people and tests can do; the control API offers the same over HTTP. */
export interface Controls {
  registerNumber(number: BusinessNumber): BusinessNumber
  numbers(): BusinessNumber[]
  setWebhook(settings: WebhookSettings): void
  webhook(): { url: string | null; verify_token: string }
  verifyWebhook(): Promise<Handshake>
  /** `from` is a phone number or a business-scoped user id. Returns the wamid at once. */
  customerWrites(from: string, message: CustomerMessage): string
  /** Resolves after the first attempt. */
  deliverRaw(delivery: RawDelivery): Promise<Delivery>
  ledger(phoneNumberId?: string): LedgerView
  /** Resolves once every status due and every webhook delivery, retries included, is over. */
  settled(): Promise<void>
  /**
   * Back to a fresh start: no numbers, an empty ledger, nothing under way, the first webhook
   * settings. Randomness goes on, so that no message id comes twice.
   */
  reset(): Promise<void>
}

export interface Simulation extends Controls {
  acceptSend(
    number: BusinessNumber,
    request: Extract<SendRequest, { kind: 'message' }>,
  ): AcceptedSend
  markRead(number: BusinessNumber, request: Extract<SendRequest, { kind: 'read' }>): void
  stop(): Promise<void>
}

/** Everything a reset forgets. */
function createWorld(options: SimulationOptions) {
  const { clock, retryDelaysMs, deliveryTimeoutMs: timeoutMs } = options
  const ledger = createLedger()
  const background = createBackground(clock)
  const target = { ...options.webhook }
  const courier = createCourier({ clock, ledger, background, target, retryDelaysMs, timeoutMs })
  return {
    numbers: createNumbers(),
    ledger,
    background,
    target,
    courier,
    async end() {
      background.cancelWaits()
      await courier.close()
      await background.settled()
    },
  }
}

type World = ReturnType<typeof createWorld>

export function createSimulation(options: SimulationOptions): Simulation {
  const { clock, random } = options
  let world = createWorld(options)

  return {
    registerNumber(input) {
      const number = parseInput(businessNumberSchema, input)
      world.numbers.register(number)
      return number
    },
    numbers: () => world.numbers.all(),
    setWebhook(input) {
      const { url, verify_token, app_secret } = parseInput(webhookSettingsSchema, input)
      world.target.url = url ?? world.target.url
      world.target.verifyToken = verify_token ?? world.target.verifyToken
      world.target.appSecret = app_secret ?? world.target.appSecret
    },
    webhook: () => ({ url: world.target.url ?? null, verify_token: world.target.verifyToken }),
    verifyWebhook: () => world.courier.verify(random),
    customerWrites: (from, message) => writeAsCustomer(world, options, from, message),
    deliverRaw: (delivery) => deliverRaw(world, delivery),
    acceptSend(number, request) {
      const send = recordSend(world, options, number, request)
      if (!send.dropped) world.background.run(climbLadder(world, options, number, send))
      return send
    },
    markRead(number, request) {
      world.ledger.recordRead({
        phone_number_id: number.phone_number_id,
        message_id: request.messageId,
        typing_indicator: request.typingIndicator,
        at: clock.now().toISOString(),
      })
    },
    ledger: (phoneNumberId) => world.ledger.view(phoneNumberId),
    settled: () => world.background.settled(),
    async reset() {
      const old = world
      world = createWorld(options)
      await old.end()
    },
    stop: () => world.end(),
  }
}

function recordSend(
  world: World,
  { clock, random }: SimulationOptions,
  number: BusinessNumber,
  request: Extract<SendRequest, { kind: 'message' }>,
): AcceptedSend {
  const { recipient, callbackData } = request
  const send: AcceptedSend = {
    wamid: makeWamid('outbound', phoneInside(recipient.wa_id ?? recipient.input), random),
    phone_number_id: number.phone_number_id,
    accepted_at: clock.now().toISOString(),
    recipient,
    type: request.type,
    ...(callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData }),
    dropped: recipient.wa_id === undefined && recipient.user_id === undefined,
    request: request.body,
  }
  world.ledger.recordSend(send)
  return send
}

/**
 * Each status leaves once the one before has had its first answer, so that a healthy receiver sees
 * them in order. A status that has to be retried is overtaken by the next, as with Meta.
 */
async function climbLadder(
  world: World,
  { clock, statusDelaysMs }: SimulationOptions,
  number: BusinessNumber,
  send: AcceptedSend,
): Promise<void> {
  for (const status of statusLadder) {
    if (!(await world.background.wait(statusDelaysMs[status]))) return
    const { phone_number_id } = number
    const { firstAttempt } = world.courier.deliver({
      body: serializeLikeMeta(statusPayload(number, send, status, unixSeconds(clock))),
      signature: 'right',
      retry: true,
      about: { kind: 'status', phone_number_id, wamid: send.wamid, status },
    })
    await firstAttempt
  }
}

function writeAsCustomer(
  world: World,
  { clock, random }: SimulationOptions,
  from: string,
  input: CustomerMessage,
): string {
  const message = readCustomerMessage(input)
  const customer = readCustomer(from, message)
  const { phone_number_id, context, type } = message
  const number = world.numbers.find(phone_number_id)
  if (number === undefined) {
    throw new RequestError(
      404,
      'NUMBER_NOT_FOUND',
      `phone_number_id: ${phone_number_id} is not registered; POST /simulator/numbers first`,
    )
  }
  const wamid = makeWamid('inbound', phoneInside(customer.wa_id ?? from), random)
  const ownNumber = digitsOf(number.display_phone_number)
  const payload = inboundPayload(number, customer, {
    wamid,
    timestamp: unixSeconds(clock),
    type,
    content: completeContent(message, random),
    ...(context ? { context: { from: context.from ?? ownNumber, id: context.id } } : {}),
  })
  world.courier.deliver({
    body: serializeLikeMeta(payload),
    signature: 'right',
    retry: true,
    about: { kind: 'message', phone_number_id, wamid, status: null },
  })
  return wamid
}

async function deliverRaw(world: World, input: RawDelivery): Promise<Delivery> {
  const { body, body_base64, payload, signature, retry } = parseInput(rawDeliverySchema, input)
  const { delivery, firstAttempt } = world.courier.deliver({
    body:
      body !== undefined
        ? Buffer.from(body, 'utf8')
        : body_base64 !== undefined
          ? Buffer.from(body_base64, 'base64')
          : serializeLikeMeta(payload),
    signature,
    retry,
    about: { kind: 'raw', phone_number_id: null, wamid: null, status: null },
  })
  await firstAttempt
  return structuredClone(delivery)
}

/** A person known only by user id has a phone too, but not one we know: its digits stand in. */
function phoneInside(id: string): string {
  return digitsOf(id).slice(0, 15)
}
