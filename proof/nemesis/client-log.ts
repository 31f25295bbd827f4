// What those outside the system wrote down of what they did and what they were answered. Nobody inside is ever asked.

/** A message that an application wanted to send. */
export interface Intent {
  id: number
  firm: number
  phoneNumberId: string
  to: string
  /** Its place among all to this person from this number: the order in which they were accepted. */
  place: number
  delivery: 'at_least_once' | 'at_most_once'
  key: string
  /** Null while it has no 202. */
  messageId: string | null
}

export interface WrittenMessage {
  wamid: string
  firm: number
  phoneNumberId: string
  from: string
  text: string
}

/** A webhook that was made by hand: several tenants' messages in one, some with something in it that cannot be applied. */
export interface OwnDelivery {
  /** In Meta's ledger. */
  deliveryId: string
  messages: WrittenMessage[]
  /** Marks of the items that cannot be applied. */
  poison: string[]
}

export interface Decision {
  letterId: string
  state: 'requeued' | 'discarded' | 'resolved'
}

export interface ClientLog {
  intents: Intent[]
  /** What customers wrote through Meta: its ledger knows what was acknowledged. */
  written: WrittenMessage[]
  ownDeliveries: OwnDelivery[]
  /** `number person` of those who ever wrote a stop word. */
  stopped: Set<string>
  /** Sends that were refused for their sake. */
  refused: { count: number }
  /** Webhooks that were delivered again on purpose. */
  repeats: { count: number }
  /** What should not have been answered so. */
  complaints: string[]
  decisions: Decision[]
}

export function createClientLog(): ClientLog {
  return {
    intents: [],
    written: [],
    ownDeliveries: [],
    stopped: new Set(),
    refused: { count: 0 },
    repeats: { count: 0 },
    complaints: [],
    decisions: [],
  }
}

/** What every message says: the last number in it names the intent, so that those to one person end in growing numbers. */
export const intentText = (id: number, words: string) => `${words}, intent ${id}`
