// Sends any webhook field on demand: sensible defaults, and the caller's word over them.
import type { Numbers } from '../numbers.ts'
import { parseInput, RequestError } from '../request-error.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import {
  type EventBuilder,
  type EventContext,
  type EventInput,
  eventSchema,
} from './event-context.ts'
import { accountFields } from './fields-accounts.ts'
import { buildMessages } from './fields-messages.ts'
import { peopleFields } from './fields-people.ts'
import type { Notifier } from './notifier.ts'
import type { Person } from './payloads.ts'
import type { Update } from './updates.ts'

const builders: Record<string, EventBuilder> = {
  messages: buildMessages,
  ...accountFields,
  ...peopleFields,
}

export const knownFields: readonly string[] = Object.keys(builders)

export interface SentEvent {
  field: string
  entry_id: string
  wamid: string | null
  value: Record<string, unknown>
}

export interface EventSender {
  /** Checks and builds at once; the webhook then goes its way. */
  send(input: EventInput): SentEvent
  /** The same event for each registered number, unless it names one. */
  sendToAll(input: EventInput): SentEvent[]
}

export interface EventSenderOptions {
  clock: Clock
  random: Random
  numbers: Numbers
  notifier: Notifier
  /** The portfolio that an account belongs to. */
  businessIdOf(wabaId: string): string
  ownAppId(): string
}

export function createEventSender(options: EventSenderOptions): EventSender {
  const { numbers, notifier } = options

  function send(input: EventInput): SentEvent {
    const update = buildUpdate(options, input)
    void notifier.notify(update)
    const { field, entryId, value, item } = update
    return { field, entry_id: entryId, wamid: item.wamid, value: structuredClone(value) }
  }

  return {
    send,
    sendToAll: (input) =>
      input.phone_number_id !== undefined || input.waba_id !== undefined
        ? [send(input)]
        : numbers.all().map(({ phone_number_id }) => send({ ...input, phone_number_id })),
  }
}

function buildUpdate(options: EventSenderOptions, given: EventInput): Update {
  const context = contextOf(options, parseInput(eventSchema, given))
  const { input, wabaId, nowSeconds } = context
  const build = Object.hasOwn(builders, input.field) ? builders[input.field] : undefined
  if (build === undefined && input.value === undefined) {
    throw new RequestError(
      400,
      'INVALID_REQUEST',
      `field: ${input.field} is not one of ${knownFields.join(', ')}; give a value to send it anyway`,
    )
  }
  const built = build?.(context) ?? { value: {}, timed: true }
  return {
    entryId: input.entry_id ?? built.entryId ?? wabaId,
    ...(built.timed ? { time: nowSeconds } : {}),
    field: input.field,
    value: overlay(built.value, input.value ?? {}) as Record<string, unknown>,
    item: {
      kind: built.kind ?? 'event',
      field: input.field,
      phone_number_id: input.phone_number_id ?? null,
      wamid: built.wamid ?? null,
      status: built.status ?? null,
    },
    waba_id: wabaId,
    recipient: context.person.wa_id ?? context.person.user_id ?? null,
  }
}

function contextOf(
  { clock, random, numbers, businessIdOf, ownAppId }: EventSenderOptions,
  given: EventContext['input'],
): EventContext {
  const all = numbers.all()
  const asked = given.phone_number_id
  const found =
    asked !== undefined
      ? numbers.find(asked)
      : given.waba_id !== undefined
        ? all.find(({ waba_id }) => waba_id === given.waba_id)
        : all.length === 1
          ? all[0]
          : undefined
  if (asked !== undefined && found === undefined) {
    throw new RequestError(
      404,
      'NUMBER_NOT_FOUND',
      `phone_number_id: ${asked} is not registered; POST /simulator/numbers first`,
    )
  }
  const wabaId = given.waba_id ?? found?.waba_id
  if (wabaId === undefined) {
    throw new RequestError(400, 'INVALID_REQUEST', 'phone_number_id: give it, or a waba_id')
  }
  return {
    input: found === undefined ? given : { ...given, phone_number_id: found.phone_number_id },
    wabaId,
    businessId: given.business_id ?? businessIdOf(wabaId),
    ownAppId: ownAppId(),
    number() {
      if (found !== undefined) return found
      throw new RequestError(
        404,
        'NUMBER_NOT_FOUND',
        `waba_id: ${wabaId} has no registered number, which ${given.field} is about`,
      )
    },
    person: personOf(given.customer),
    nowSeconds: Math.floor(clock.now().getTime() / 1000),
    random,
  }
}

const defaultCustomer = { wa_id: '16505550143', name: 'Mara Quint' }

function personOf(given: EventContext['input']['customer']): Person {
  if (given === undefined) return defaultCustomer
  const { wa_id, user_id, name = defaultCustomer.name, username } = given
  const isNamed = wa_id !== undefined || user_id !== undefined
  return {
    name,
    ...(isNamed ? {} : { wa_id: defaultCustomer.wa_id }),
    ...(wa_id === undefined ? {} : { wa_id }),
    ...(user_id === undefined ? {} : { user_id }),
    ...(username === undefined ? {} : { username }),
  }
}

/** Objects are merged key by key; everything else, lists too, is replaced. */
function overlay(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    Object.defineProperty(merged, key, {
      value: Object.hasOwn(base, key) ? overlay(base[key], value) : value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return merged
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
