// What a customer writes, on its way to the business: with an identity of its own choosing, which
// may change on the way.
import {
  type CustomerMessage,
  completeContent,
  readCustomer,
  readCustomerMessage,
} from './customers.ts'
import type { FaultEngine, Struck } from './faults/engine.ts'
import type { Feed } from './feed.ts'
import { digitsOf, makeWamid, phoneInside } from './identifiers.ts'
import type { BusinessNumber, Numbers } from './numbers.ts'
import { RequestError } from './request-error.ts'
import { type Clock, type Random, unixSeconds } from './time-and-chance.ts'
import type { EventSender } from './webhooks/events.ts'
import { freshNumber, freshUserId, userIdOf } from './webhooks/identity.ts'
import type { Notifier } from './webhooks/notifier.ts'
import { inboundUpdate, type Person, webhookError } from './webhooks/payloads.ts'

export interface InboundOptions {
  clock: Clock
  random: Random
  numbers: Numbers
  notifier: Notifier
  events: EventSender
  faults: FaultEngine
  feed: Feed
  /** Stores files and completes what is said of them. */
  receiveContent(phoneNumberId: string, type: string, content: unknown): unknown
}

export function createInbound(options: InboundOptions) {
  const { clock, random, numbers, notifier, faults, feed, receiveContent } = options
  /** Who a customer has become, by account and by who they were. */
  const successors = new Map<string, Partial<Person>>()

  function identify(number: BusinessNumber, given: Person): Person {
    const { phone_number_id, waba_id } = number
    const recipient = given.wa_id ?? given.user_id ?? null
    const key = `${waba_id} ${recipient}`
    const chance = { phone_number_id, waba_id, recipient, kind: 'message' }
    const change = faults.strike(['identity_change'], chance)
    const known = { ...given, ...successors.get(key) }
    const person = change ? becomeAnother(options, number, known, change) : known
    if (change) successors.set(key, namesOf(person))
    if (person.wa_id === undefined || !faults.strike(['bsuid_only'], chance)) return person
    const { wa_id, ...hidden } = person
    return { ...hidden, user_id: person.user_id ?? userIdOf(wa_id, waba_id) }
  }

  return {
    customerWrites(from: string, input: CustomerMessage): string {
      const message = readCustomerMessage(input)
      const { phone_number_id, context, type } = message
      const given = readCustomer(from, message)
      const number = numbers.find(phone_number_id)
      if (number === undefined) {
        throw new RequestError(
          404,
          'NUMBER_NOT_FOUND',
          `phone_number_id: ${phone_number_id} is not registered; POST /simulator/numbers first`,
        )
      }
      const customer = identify(number, given)
      const wamid = makeWamid('inbound', phoneInside(customer.wa_id ?? from), random)
      const content = receiveContent(phone_number_id, type, completeContent(message, random))
      feed.emit({
        type: 'customer_message',
        phone_number_id,
        wamid,
        customer: given,
        ...(isSame(customer, given) ? {} : { seen_as: customer }),
        message_type: type,
        content,
        ...(context === undefined ? {} : { context }),
      })
      void notifier.notify(
        inboundUpdate(number, customer, {
          wamid,
          timestamp: unixSeconds(clock),
          ...(context === undefined ? {} : { context: quoted(number, context) }),
          ...reported(numbers, number, { type, content, extra: message.extra }),
        }),
      )
      return wamid
    },
  }
}

/** Only a number in coexistence is told what was edited or deleted; others hear that something was. */
function reported(
  numbers: Numbers,
  { phone_number_id }: BusinessNumber,
  message: { type: string; content: unknown; extra: object },
) {
  const { type, extra } = message
  const isChange = type === 'edit' || type === 'revoke'
  if (!isChange || numbers.profile(phone_number_id).coexistence) return message
  const errors = [
    webhookError({
      code: 131051,
      title: 'Message type unknown',
      details: 'Message type is currently not supported.',
    }),
  ]
  return { type: 'unsupported', content: { type }, extra: { ...extra, errors } }
}

function isSame(one: Person, other: Person): boolean {
  return one.wa_id === other.wa_id && one.user_id === other.user_id
}

/** A reply names who wrote the message replied to; usually that was the business. */
function quoted(
  number: BusinessNumber,
  context: { id?: string | undefined; from?: string | undefined },
): object {
  return context.id === undefined
    ? context
    : { ...context, from: context.from ?? digitsOf(number.display_phone_number) }
}

/** The business is told of the change before it hears from the changed person. */
function becomeAnother(
  { events }: InboundOptions,
  { phone_number_id, waba_id }: BusinessNumber,
  person: Person,
  { rule, dice }: Struck<'identity_change'>,
): Person {
  const { name, wa_id } = person
  const customer = { name, ...namesOf(person) }
  const tell = (what: object) =>
    events.send({ field: 'messages', phone_number_id, type: 'system', customer, ...what })
  if (rule.what === 'identity_key') {
    tell({ system: 'customer_identity_changed' })
    return person
  }
  if (rule.what === 'phone_number' && wa_id !== undefined) {
    const next = freshNumber(wa_id, dice)
    const body = `User ${name} changed from ${wa_id} to ${next}`
    tell({ system: 'user_changed_number', content: { body, wa_id: next } })
    return { ...person, wa_id: next }
  }
  const before = person.user_id ?? userIdOf(wa_id ?? '', waba_id)
  const next = freshUserId(before, dice)
  const body = `User ${name} changed from ${before} to ${next}`
  tell({ system: 'user_changed_user_id', content: { body, user_id: next } })
  events.send({
    field: 'user_id_update',
    phone_number_id,
    customer,
    user_id: { previous: before, current: next },
  })
  return { ...person, user_id: next }
}

function namesOf({ wa_id, user_id }: Person): Pick<Person, 'wa_id' | 'user_id'> {
  return {
    ...(wa_id === undefined ? {} : { wa_id }),
    ...(user_id === undefined ? {} : { user_id }),
  }
}
