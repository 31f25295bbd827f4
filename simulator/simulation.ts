// The pretended Meta itself, without HTTP: which numbers exist, what was accepted, what is due.
// The Graph API and the control API are two doors to it.
import { createBackground } from './background.ts'
import { type Business, type BusinessOptions, createBusiness } from './business.ts'
import { type BusinessControls, businessControls } from './business-controls.ts'
import { createFeed, type Feed } from './feed.ts'
import type { MessageRequest, ReadRequest } from './graph/send-request.ts'
import { makeWamid, phoneInside } from './identifiers.ts'
import type { AcceptedSend, LedgerOptions } from './ledger.ts'
import { type BusinessNumber, businessNumberSchema, createNumbers } from './numbers.ts'
import { createPresence, type Presence } from './phone/presence.ts'
import { parseInput } from './request-error.ts'
import type { Clock, Random } from './time-and-chance.ts'
import { createTraffic, type Traffic } from './traffic.ts'
import { type TrafficControls, trafficControls } from './traffic-controls.ts'
import type { Handshake, WebhookTarget } from './webhooks/courier.ts'
import type { LadderStatus } from './webhooks/payloads.ts'

export interface SimulationOptions {
  clock: Clock
  random: Random
  webhook: WebhookTarget
  /** The wait before each status, counted from the one before. */
  statusDelaysMs: Record<LadderStatus, number>
  deliveryTimeoutMs: number
  ledger?: LedgerOptions
  graph: Pick<BusinessOptions, 'appId' | 'review' | 'serviceWindow'>
}

/** What is certain about a send as soon as it is accepted. */
export type Fate = Pick<AcceptedSend, 'outcome' | 'message_status' | 'category'>

/** What people and tests can do; the control API offers the same over HTTP. */
export interface Controls extends TrafficControls, BusinessControls {
  registerNumber(number: BusinessNumber): BusinessNumber
  numbers(): BusinessNumber[]
  /**
   * Back to a fresh start: no numbers, an empty ledger, nothing under way, the first webhook
   * settings. Randomness goes on, so that no message id comes twice.
   */
  reset(): Promise<void>
}

export interface Simulation extends Controls {
  feed: Feed
  /** Of the world as it is now: a reset puts another in its place. */
  presence(): Presence
  traffic(): Traffic
  business(): Business
  /** The handshake with a URL that is to be called instead of the app's. */
  verifyCallback(url: string, verifyToken: string): Promise<Handshake>
  acceptSend(number: BusinessNumber, request: MessageRequest, fate: Fate): AcceptedSend
  markRead(number: BusinessNumber, request: ReadRequest): void
  stop(): Promise<void>
}

/** Everything a reset forgets. */
function createWorld(options: SimulationOptions, feed: Feed) {
  const { clock } = options
  const numbers = createNumbers()
  const presence = createPresence((customer) => feed.emit({ type: 'presence', customer }))
  const target = { ...options.webhook }
  const background = createBackground(clock)
  const business: Business = createBusiness({
    ...options,
    ...options.graph,
    background,
    numbers,
    appSecret: () => target.appSecret,
    announce: (announcement) => traffic.announce(announcement),
  })
  const traffic = createTraffic({
    ...options,
    feed,
    background,
    numbers,
    presence,
    target,
    templates: business.templates,
    callbackFor: business.callbackFor,
    businessIdOf: (wabaId) => business.accounts.find(wabaId)?.business_id,
    ownAppId: () => business.apps.own().app_id,
    receiveContent: business.receiveContent,
  })
  const listeners = [business.windows.apply, business.ages.apply]
  const subscriptions = listeners.map((listener) => feed.subscribe(listener))
  return {
    business,
    feed,
    presence,
    traffic,
    async end() {
      for (const unsubscribe of subscriptions) unsubscribe()
      await traffic.end()
    },
  }
}

type World = ReturnType<typeof createWorld>

export function createSimulation(options: SimulationOptions): Simulation {
  const { clock, random } = options
  // Outlives the worlds, so that whoever listens hears of a reset too.
  const feed = createFeed(clock)
  let world = createWorld(options, feed)

  return {
    feed,
    presence: () => world.presence,
    traffic: () => world.traffic,
    business: () => world.business,
    ...businessControls(() => world.business, clock),
    ...trafficControls(() => world.traffic, random),
    registerNumber(input) {
      const number = parseInput(businessNumberSchema, input)
      world.business.registerNumber(number)
      return number
    },
    numbers: () => world.business.numbers.all(),
    verifyCallback: (url, verifyToken) =>
      world.traffic.courier.verify(random, { url, verifyToken }),
    acceptSend(number, request, fate) {
      const send = recordSend(world, options, number, request, fate)
      world.traffic.lifecycle.begin(number, send)
      return send
    },
    markRead(number, request) {
      world.traffic.ledger.recordRead({
        phone_number_id: number.phone_number_id,
        message_id: request.messageId,
        typing_indicator: request.typingIndicator,
        at: clock.now().toISOString(),
      })
      const { phone_number_id } = number
      const wamid = request.messageId
      feed.emit({ type: 'marked_read', phone_number_id, wamid })
      if (request.typingIndicator) feed.emit({ type: 'typing', phone_number_id, wamid })
    },
    async reset() {
      const old = world
      world = createWorld(options, feed)
      await old.end()
      feed.emit({ type: 'reset' })
    },
    stop: () => world.end(),
  }
}

function recordSend(
  world: World,
  { clock, random }: SimulationOptions,
  number: BusinessNumber,
  request: MessageRequest,
  fate: Fate,
): AcceptedSend {
  const { callbackData } = request
  const recipient = world.traffic.lifecycle.resolve(number, request.recipient)
  const send: AcceptedSend = {
    wamid: makeWamid('outbound', phoneInside(recipient.wa_id ?? recipient.input), random),
    phone_number_id: number.phone_number_id,
    accepted_at: clock.now().toISOString(),
    recipient,
    type: request.type,
    ...(callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData }),
    dropped: recipient.wa_id === undefined && recipient.user_id === undefined,
    ...fate,
    request: request.body,
  }
  world.traffic.ledger.recordSend(send)
  const { phone_number_id, wamid } = send
  world.feed.emit({ type: 'send_accepted', phone_number_id, wamid, send })
  return send
}
