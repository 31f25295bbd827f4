// What people and tests can do to the traffic and ask of it; the control API offers the same.
import { z } from 'zod'
import type { CustomerMessage } from './customers.ts'
import { durationSchema } from './faults/durations.ts'
import type { FaultView } from './faults/engine.ts'
import type { FaultInput } from './faults/rules.ts'
import type { Delivery, LedgerList, LedgerView } from './ledger.ts'
import { type LedgerPage, type PageRequest, pageOf } from './ledger-pages.ts'
import {
  type AbsenceKind,
  absent,
  acceptedTwice,
  orderPerRecipient,
  type RateSubject,
  ratePerSecond,
} from './ledger-questions.ts'
import { parseInput } from './request-error.ts'
import type { RunningScenario } from './scenario-runner.ts'
import { loadScenario, readScenario } from './scenarios.ts'
import type { Random } from './time-and-chance.ts'
import type { Traffic } from './traffic.ts'
import type { Handshake } from './webhooks/courier.ts'
import type { EventInput } from './webhooks/event-context.ts'
import type { SentEvent } from './webhooks/events.ts'
import { serializeLikeMeta } from './webhooks/signing.ts'

const webhookSettingsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).optional(),
  verify_token: z.string().min(1).optional(),
  app_secret: z.string().min(1).optional(),
  /** How long an update waits for others to share a POST with. */
  batch_window: durationSchema.optional(),
  /** The wait before each retry; as many retries as entries. */
  retry_delays: z.array(durationSchema).max(1000).optional(),
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

export interface ShownWebhook {
  url: string | null
  verify_token: string
  batch_window: number
  retry_delays: number[]
}

export interface TrafficControls {
  setWebhook(settings: WebhookSettings): void
  webhook(): ShownWebhook
  verifyWebhook(): Promise<Handshake>
  /** `from` is a phone number or a business-scoped user id. Returns the wamid at once. */
  customerWrites(from: string, message: CustomerMessage): string
  /** Resolves after the first attempt. */
  deliverRaw(delivery: RawDelivery): Promise<Delivery>
  /** Any webhook field, with sensible defaults. */
  sendEvent(event: EventInput): SentEvent
  setFault(rule: FaultInput): FaultView
  faults(): FaultView[]
  /** False when there is no such rule. */
  removeFault(id: string): boolean
  clearFaults(): void
  /** By name, by path to a file, or as an object of the same shape. */
  startScenario(scenario: string | object): RunningScenario
  scenario(): RunningScenario | null
  stopScenario(): void
  ledger(phoneNumberId?: string): LedgerView
  /** One list of it, oldest first, filtered and a page at a time. */
  ledgerPage(list: LedgerList, wanted: PageRequest): LedgerPage
  acceptedTwice(phoneNumberId?: string): ReturnType<typeof acceptedTwice>
  absent(known: Iterable<string>, kinds?: readonly AbsenceKind[]): ReturnType<typeof absent>
  orderPerRecipient(keyPath?: string): ReturnType<typeof orderPerRecipient>
  ratePerSecond(subject?: RateSubject): ReturnType<typeof ratePerSecond>
  /** The most calls ever open at once, by number. */
  mostInFlight(): Record<string, number>
  /** Webhooks that wait for their answer right now; with a clock of one's own, what to wait for. */
  webhooksInFlight(): number
  /** Resolves once every status due and every webhook delivery, retries included, is over. */
  settled(): Promise<void>
}

export function trafficControls(traffic: () => Traffic, random: Random): TrafficControls {
  const live = (phoneNumberId?: string) => traffic().ledger.live(phoneNumberId)
  return {
    setWebhook(input) {
      const given = parseInput(webhookSettingsSchema, input)
      const { target } = traffic()
      target.url = given.url ?? target.url
      target.verifyToken = given.verify_token ?? target.verifyToken
      target.appSecret = given.app_secret ?? target.appSecret
      target.batchWindowMs = given.batch_window ?? target.batchWindowMs
      target.retryDelaysMs = given.retry_delays ?? target.retryDelaysMs
    },
    webhook() {
      const { url, verifyToken, batchWindowMs, retryDelaysMs } = traffic().target
      return {
        url: url ?? null,
        verify_token: verifyToken,
        batch_window: batchWindowMs,
        retry_delays: [...retryDelaysMs],
      }
    },
    verifyWebhook: () => traffic().courier.verify(random),
    customerWrites: (from, message) => traffic().lifecycle.customerWrites(from, message),
    deliverRaw: (delivery) => deliverRaw(traffic(), delivery),
    sendEvent: (event) => traffic().events.send(event),
    setFault: (rule) => traffic().faults.set(rule),
    faults: () => traffic().faults.list(),
    removeFault: (id) => traffic().faults.remove(id),
    clearFaults: () => traffic().faults.clear(),
    startScenario: (scenario) =>
      traffic().scenarios.start(
        typeof scenario === 'string' ? loadScenario(scenario) : readScenario(scenario),
      ),
    scenario: () => traffic().scenarios.current(),
    stopScenario: () => traffic().scenarios.stop(),
    ledger: (phoneNumberId) => traffic().ledger.view(phoneNumberId),
    ledgerPage: (list, wanted) => pageOf(live(wanted.phone_number_id), list, wanted),
    acceptedTwice: (phoneNumberId) => acceptedTwice(live(phoneNumberId)),
    absent: (known, kinds) => absent(live(), known, kinds),
    orderPerRecipient: (keyPath) => orderPerRecipient(live(), keyPath),
    ratePerSecond: (subject) => ratePerSecond(live(), subject),
    mostInFlight: () => traffic().ledger.mostInFlight(),
    webhooksInFlight: () => traffic().courier.inFlight(),
    settled: () => traffic().background.settled(),
  }
}

async function deliverRaw({ courier, target }: Traffic, input: RawDelivery): Promise<Delivery> {
  const { body, body_base64, payload, signature, retry } = parseInput(rawDeliverySchema, input)
  const { delivery, firstAttempt } = courier.deliver({
    body:
      body !== undefined
        ? Buffer.from(body, 'utf8')
        : body_base64 !== undefined
          ? Buffer.from(body_base64, 'base64')
          : serializeLikeMeta(payload),
    signature,
    retry,
    url: () => target.url,
    items: [],
  })
  await firstAttempt
  return structuredClone(delivery)
}
