// The 24-hour customer service windows: for each business number and customer, when the customer
// last wrote. Inside, anything may be sent; outside, only templates.
import type { FeedEvent } from './feed.ts'
import { customerKey } from './phone/presence.ts'
import type { Clock } from './time-and-chance.ts'

export interface ServiceWindows {
  /** Listens for customers who write. */
  apply(event: FeedEvent): void
  /** `at` is when the customer wrote. */
  open(phoneNumberId: string, customer: string, at?: Date): void
  close(phoneNumberId: string, customer: string): void
  isOpen(phoneNumberId: string, customer: string): boolean
  /** When it closes, or undefined if it is closed already. */
  openUntil(phoneNumberId: string, customer: string): Date | undefined
  /** Whether a user id belongs to somebody who wrote to one of these numbers, or to nobody known. */
  mayKnow(userId: string, phoneNumberIds: readonly string[]): boolean
}

const windowMs = 24 * 60 * 60 * 1000

/** Beyond this the windows opened first are forgotten: a load test has millions of customers. */
const maxWindows = 500_000

export function createServiceWindows(clock: Clock): ServiceWindows {
  const lastWrote = new Map<string, Date>()
  /** User id → the numbers that heard from it. */
  const heardBy = new Map<string, Set<string>>()

  function open(phoneNumberId: string, customer: string, at = clock.now()): void {
    const key = keyOf(phoneNumberId, customer)
    // Taken out first, so that whoever wrote last is at the end.
    lastWrote.delete(key)
    lastWrote.set(key, at)
    if (lastWrote.size > maxWindows) lastWrote.delete(lastWrote.keys().next().value ?? '')
  }

  function openUntil(phoneNumberId: string, customer: string): Date | undefined {
    const wrote = lastWrote.get(keyOf(phoneNumberId, customer))
    if (wrote === undefined) return undefined
    const until = new Date(wrote.getTime() + windowMs)
    return until > clock.now() ? until : undefined
  }

  return {
    apply(event) {
      if (event.type !== 'customer_message') return
      const { phone_number_id } = event
      const at = new Date(event.at)
      // Whichever name the business saw, the window is the person's.
      for (const { wa_id, user_id } of [event.customer, event.seen_as ?? event.customer]) {
        if (wa_id !== undefined) open(phone_number_id, wa_id, at)
        if (user_id === undefined) continue
        open(phone_number_id, user_id, at)
        const numbers = heardBy.get(user_id) ?? new Set()
        heardBy.set(user_id, numbers.add(phone_number_id))
        if (heardBy.size > maxWindows) heardBy.delete(heardBy.keys().next().value ?? '')
      }
    },
    open,
    close: (phoneNumberId, customer) => void lastWrote.delete(keyOf(phoneNumberId, customer)),
    isOpen: (phoneNumberId, customer) => openUntil(phoneNumberId, customer) !== undefined,
    openUntil,
    mayKnow(userId, phoneNumberIds) {
      const numbers = heardBy.get(userId)
      return numbers === undefined || phoneNumberIds.some((id) => numbers.has(id))
    },
  }
}

function keyOf(phoneNumberId: string, customer: string): string {
  return `${phoneNumberId} ${customerKey(customer)}`
}
