// Everything that flows: what is accepted, what becomes of it, which webhooks tell of it, which
// faults strike on the way, and the ledger of all that.
import type { Background } from './background.ts'
import { createFaultEngine, type FaultEngine } from './faults/engine.ts'
import { createLimits, type Limits } from './faults/limits.ts'
import { createTemplatePauses, type TemplatePauses } from './faults/template-pauses.ts'
import type { Feed } from './feed.ts'
import { createLedger, type Ledger, type LedgerOptions } from './ledger.ts'
import { createLifecycle, type Lifecycle } from './lifecycle.ts'
import type { Numbers } from './numbers.ts'
import type { Presence } from './phone/presence.ts'
import { createScenarioRunner, type ScenarioRunner } from './scenario-runner.ts'
import type { Templates } from './templates.ts'
import { type Clock, type Random, seededRandom } from './time-and-chance.ts'
import { type Courier, createCourier, type WebhookTarget } from './webhooks/courier.ts'
import { createEventSender, type EventSender } from './webhooks/events.ts'
import { createNotifier, type Notifier } from './webhooks/notifier.ts'
import type { LadderStatus } from './webhooks/payloads.ts'
import type { Update } from './webhooks/updates.ts'

export interface TrafficOptions {
  clock: Clock
  random: Random
  feed: Feed
  numbers: Numbers
  presence: Presence
  target: WebhookTarget
  statusDelaysMs: Record<LadderStatus, number>
  deliveryTimeoutMs: number
  ledger?: LedgerOptions
  background: Background
  templates: Pick<Templates, 'of' | 'decide'>
  /**
   * Where webhooks about an account go: an override, null for the app's own URL, undefined when the
   * app is not subscribed to it.
   */
  callbackFor(about: CallbackSubject): string | null | undefined
  /** The portfolio that an account belongs to. */
  businessIdOf(wabaId: string): string | undefined
  ownAppId(): string
  /** Stores files that customers send and completes what is said of them. */
  receiveContent(phoneNumberId: string, type: string, content: unknown): unknown
}

export interface CallbackSubject {
  field: string
  wabaId: string | null
  phoneNumberId: string | null
}

/** A webhook about a business account rather than a message. */
export interface Announcement {
  field: string
  value: Record<string, unknown>
  wabaId: string
  phoneNumberId?: string
}

export interface Traffic {
  clock: Clock
  numbers: Numbers
  target: WebhookTarget
  ledger: Ledger
  background: Background
  courier: Courier
  notifier: Notifier
  faults: FaultEngine
  limits: Limits
  pauses: TemplatePauses
  events: EventSender
  lifecycle: Lifecycle
  scenarios: ScenarioRunner
  announce(announcement: Announcement): void
  end(): Promise<void>
}

export function createTraffic(options: TrafficOptions): Traffic {
  const { clock, random, feed, background, numbers, target } = options
  // Faults and events have dice of their own: how often they throw changes no message id.
  const seed = random.bytes(16).toString('hex')
  const ledger = createLedger(options.ledger)
  const timeoutMs = options.deliveryTimeoutMs
  const courier = createCourier({ clock, ledger, feed, background, target, timeoutMs })
  const faults = createFaultEngine({ clock, feed, ledger, seed })
  const notifier = createNotifier({
    background,
    courier,
    faults,
    target,
    urlOf({ field, waba_id: wabaId, item }) {
      const { phone_number_id: phoneNumberId } = item
      const callback = options.callbackFor({ field, wabaId, phoneNumberId })
      return callback === null ? target.url : callback
    },
  })
  const events = createEventSender({
    clock,
    random: seededRandom(`${seed}:events`),
    numbers,
    notifier,
    businessIdOf: (wabaId) => options.businessIdOf(wabaId) ?? `9${wabaId.slice(1)}`,
    ownAppId: options.ownAppId,
  })
  const limits = createLimits(clock)
  const endListening = feed.subscribe((event) => {
    if (event.type === 'customer_message') limits.countInbound(event.phone_number_id)
  })
  const lifecycle = createLifecycle({ ...options, notifier, events, faults })
  const parts = { clock, numbers, target, ledger, background, courier, notifier, faults, events }
  return {
    ...parts,
    limits,
    lifecycle,
    pauses: createTemplatePauses(options),
    scenarios: createScenarioRunner({ clock, background, faults, events, target }),
    announce: (announcement) => void notifier.notify(announced(announcement, clock)),
    async end() {
      endListening()
      background.cancelWaits()
      await courier.close()
      await background.settled()
    },
  }
}

function announced({ field, value, wabaId, phoneNumberId }: Announcement, clock: Clock): Update {
  return {
    entryId: wabaId,
    time: Math.floor(clock.now().getTime() / 1000),
    field,
    value,
    item: {
      kind: 'event',
      field,
      phone_number_id: phoneNumberId ?? null,
      wamid: null,
      status: null,
    },
    waba_id: wabaId,
    recipient: null,
  }
}
