// What happens in the pretended Meta, told as it happens: the phone page and its chats listen.
import type { AcceptedSend } from './ledger.ts'
import type { StatusError } from './status-error.ts'
import type { Clock } from './time-and-chance.ts'
import type { Person } from './webhooks/payloads.ts'

/** Every kind of event with what it says besides its time. */
export type FeedNews =
  | { type: 'send_accepted'; phone_number_id: string; wamid: string; send: AcceptedSend }
  | {
      /** The state the message reached, whether or not a webhook about it ever arrives. */
      type: 'status'
      phone_number_id: string
      wamid: string
      status: string
      error?: StatusError
    }
  | {
      type: 'customer_message'
      phone_number_id: string
      wamid: string
      /** Who wrote it. */
      customer: Person
      /** As whom the business sees them, where that differs. */
      seen_as?: Person
      message_type: string
      content: unknown
      context?: object
    }
  /** The business read this message of the customer, and all before it. */
  | { type: 'marked_read'; phone_number_id: string; wamid: string }
  /** The business is writing an answer to this message. */
  | { type: 'typing'; phone_number_id: string; wamid: string }
  | {
      type: 'fault'
      /** The kind of fault, e.g. `throttle`. */
      fault: string
      rule_id: string
      phone_number_id: string | null
      wamid?: string
    }
  | {
      /** A webhook delivery was opened, or its state changed. */
      type: 'webhook'
      delivery_id: string
      kind: string
      phone_number_id: string | null
      wamid: string | null
      /** The customers' messages it tells of: one, several in a batch, or none. */
      messages: string[]
      state: string
      response_status?: number | null
    }
  /** A customer went offline or online, blocked a number, or changed the read receipts. */
  | { type: 'presence'; customer: string }
  /** Numbers, customers and messages are gone; whoever shows them starts again. */
  | { type: 'reset' }

export type FeedEvent = FeedNews & { at: string }
export type FeedListener = (event: FeedEvent) => void

export interface Feed {
  /** Tells every listener at once, in order of subscription. Never throws. */
  emit(news: FeedNews): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: FeedListener): () => void
}

export function createFeed(clock: Clock): Feed {
  const listeners = new Set<FeedListener>()
  return {
    emit(news) {
      const event: FeedEvent = { ...news, at: clock.now().toISOString() }
      for (const listener of [...listeners]) {
        try {
          listener(event)
        } catch {
          // A listener's mistake must not change what happens to the message it heard about.
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
