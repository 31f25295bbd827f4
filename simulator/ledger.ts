// What really happened, seen from Meta's side: the oracle that tests compare the gateway with.
// Entries have the shape the control API shows, because that is the only thing they are for.

import { createShelf } from './ledger-shelf.ts'
import type { StatusError } from './status-error.ts'

export interface Recipient {
  /** What the request named, unchanged. */
  input: string
  wa_id?: string
  user_id?: string
}

export interface AcceptedSend {
  wamid: string
  phone_number_id: string
  accepted_at: string
  recipient: Recipient
  type: string
  biz_opaque_callback_data?: string
  /** True for what Meta accepts but never passes on; no status follows. */
  dropped: boolean
  /** What was already certain when Meta accepted it; the failed status comes later all the same. */
  outcome?: { status: 'failed'; error: StatusError }
  /** Templates only: what the answer said, e.g. `accepted`. */
  message_status?: string
  /** Templates only: what it is billed as, e.g. `utility`. */
  category?: string
  request: Record<string, unknown>
}

export interface MarkedRead {
  phone_number_id: string
  message_id: string
  typing_indicator: boolean
  at: string
}

/** One call to the Graph API, whatever came of it. The token is never written down. */
export interface GraphRequest {
  id: string
  method: string
  path: string
  /** The edge that was called, e.g. `messages`; `mark_read` apart from it. */
  endpoint: string
  phone_number_id: string | null
  waba_id: string | null
  /** Digits of the phone number, or the user id. */
  recipient: string | null
  arrived_at: string
  /** Null while open, and for ever when the caller got no whole answer. */
  answered_at: string | null
  status: number | null
  /** `cut`: the connection ended without a whole answer. */
  outcome: 'open' | 'answered' | 'cut'
  /** What the call made Meta accept, also when the answer was then lost. */
  wamid: string | null
  /** The rules that struck this call. */
  faults: string[]
  body: unknown
}

/** A fault that struck, and whom. */
export interface Strike {
  id: string
  at: string
  rule_id: string
  fault: string
  phone_number_id: string | null
  recipient: string | null
  endpoint: string | null
  request_id: string | null
  wamid: string | null
  status: string | null
}

export interface DeliveryAttempt {
  at: string
  url: string
  signature: string | null
  /** Null when there was no answer; `error` then says why. */
  response_status: number | null
  error: string | null
  duration_ms: number
}

/** One update inside a delivery: a message, a status or any other change. */
export interface DeliveredItem {
  kind: 'message' | 'status' | 'event'
  field: string
  phone_number_id: string | null
  wamid: string | null
  status: string | null
}

export interface Delivery {
  id: string
  /** `batch`: several updates in one POST; `items` names them. */
  kind: 'message' | 'status' | 'event' | 'batch' | 'raw'
  phone_number_id: string | null
  wamid: string | null
  status: string | null
  items: DeliveredItem[]
  /** The rules that made this delivery what it is. */
  faults: string[]
  created_at: string
  body: string
  /** `dropped`: no webhook URL was set. `failed`: given up. */
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  attempts: DeliveryAttempt[]
}

export interface LedgerView {
  requests: GraphRequest[]
  sends: AcceptedSend[]
  reads: MarkedRead[]
  deliveries: Delivery[]
  faults: Strike[]
  /** How many of the oldest entries were let go of to bound memory. */
  forgotten: number
}

export type LedgerList = Exclude<keyof LedgerView, 'forgotten'>

/** Hears of every entry when it is made and whenever it changes. */
export type LedgerWitness = (list: LedgerList, entry: object) => void

export interface Ledger {
  openRequest(
    about: Omit<GraphRequest, 'id' | 'answered_at' | 'status' | 'outcome' | 'wamid' | 'faults'>,
  ): GraphRequest
  closeRequest(request: GraphRequest): void
  recordSend(send: AcceptedSend): void
  recordRead(read: MarkedRead): void
  recordStrike(strike: Omit<Strike, 'id'>): Strike
  openDelivery(about: Omit<Delivery, 'id' | 'state' | 'attempts'>): Delivery
  /** To be called after every change of a delivery. */
  deliveryChanged(delivery: Delivery): void
  /** The most calls ever open at once, by number. */
  mostInFlight(): Record<string, number>
  /** The newest calls first, without copying the whole ledger. */
  latestRequests(count: number, phoneNumberId?: string): GraphRequest[]
  /** The entries themselves, for those who only look. */
  live(phoneNumberId?: string): LedgerView
  view(phoneNumberId?: string): LedgerView
}

/** Entries of each kind. A laptop left running over a weekend must not run out of memory. */
const defaultCapacity = 100_000

export interface LedgerOptions {
  capacity?: number
  witness?: LedgerWitness
}

export function createLedger({
  capacity = defaultCapacity,
  witness = () => {},
}: LedgerOptions = {}): Ledger {
  const shelf = <T extends { phone_number_id: string | null }>(prefix: string) =>
    createShelf<T>(prefix, capacity)
  const requests = shelf<GraphRequest>('request')
  const sends = shelf<AcceptedSend>('send')
  const reads = shelf<MarkedRead>('read')
  const deliveries = shelf<Delivery>('delivery')
  const faults = shelf<Strike>('strike')
  const inFlight = createPeaks()

  function live(phoneNumberId?: string): LedgerView {
    const wanted = (entry: { phone_number_id: string | null }) =>
      phoneNumberId === undefined || entry.phone_number_id === phoneNumberId
    const concerns = (delivery: Delivery) => wanted(delivery) || delivery.items.some(wanted)
    const lists = [requests, sends, reads, deliveries, faults]
    return {
      requests: requests.filter(wanted),
      sends: sends.filter(wanted),
      reads: reads.filter(wanted),
      deliveries: deliveries.filter(concerns),
      faults: faults.filter(wanted),
      forgotten: lists.reduce((sum, each) => sum + each.forgotten(), 0),
    }
  }

  return {
    openRequest(about) {
      inFlight.enter(about.phone_number_id)
      const request = requests.keep({
        id: requests.nextId(),
        ...about,
        answered_at: null,
        status: null,
        outcome: 'open',
        wamid: null,
        faults: [],
      })
      // At once: whoever dies before the answer still has to know of the call.
      witness('requests', request)
      return request
    },
    closeRequest(request) {
      inFlight.leave(request.phone_number_id)
      witness('requests', request)
    },
    recordSend(send) {
      witness('sends', sends.keep(send))
    },
    recordRead(read) {
      witness('reads', reads.keep(read))
    },
    recordStrike(strike) {
      const kept = faults.keep({ id: faults.nextId(), ...strike })
      witness('faults', kept)
      return kept
    },
    openDelivery: (about) =>
      deliveries.keep({ id: deliveries.nextId(), ...about, state: 'pending', attempts: [] }),
    deliveryChanged: (delivery) => witness('deliveries', delivery),
    mostInFlight: inFlight.peaks,
    latestRequests: (count, phoneNumberId) =>
      structuredClone(
        requests.newest(
          count,
          (each) => phoneNumberId === undefined || each.phone_number_id === phoneNumberId,
        ),
      ),
    live,
    // Copies: a caller compares two moments, and entries change while they are open.
    view: (phoneNumberId) => structuredClone(live(phoneNumberId)),
  }
}

/** Counts who is inside, and remembers the fullest moment. */
function createPeaks() {
  const now = new Map<string, number>()
  const most = new Map<string, number>()
  return {
    enter(key: string | null) {
      if (key === null) return
      const count = (now.get(key) ?? 0) + 1
      now.set(key, count)
      most.set(key, Math.max(count, most.get(key) ?? 0))
    },
    leave(key: string | null) {
      if (key !== null) now.set(key, (now.get(key) ?? 1) - 1)
    },
    peaks: () => Object.fromEntries(most),
  }
}
