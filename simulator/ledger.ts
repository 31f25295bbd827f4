// What really happened, seen from Meta's side: the oracle that tests compare the gateway with.
// Entries have the shape the control API shows, because that is the only thing they are for.

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
  request: Record<string, unknown>
}

export interface MarkedRead {
  phone_number_id: string
  message_id: string
  typing_indicator: boolean
  at: string
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

export interface Delivery {
  id: string
  kind: 'message' | 'status' | 'raw'
  phone_number_id: string | null
  wamid: string | null
  status: string | null
  created_at: string
  body: string
  /** `dropped`: no webhook URL was set. `failed`: given up. */
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  attempts: DeliveryAttempt[]
}

export interface LedgerView {
  sends: AcceptedSend[]
  reads: MarkedRead[]
  deliveries: Delivery[]
  /** How many of the oldest entries were let go of to bound memory. */
  forgotten: number
}

export interface Ledger {
  recordSend(send: AcceptedSend): void
  recordRead(read: MarkedRead): void
  openDelivery(about: Omit<Delivery, 'id' | 'state' | 'attempts'>): Delivery
  view(phoneNumberId?: string): LedgerView
}

/** Entries of each kind. A laptop left running over a weekend must not run out of memory. */
const defaultCapacity = 100_000

export function createLedger(capacity = defaultCapacity): Ledger {
  const sends: AcceptedSend[] = []
  const reads: MarkedRead[] = []
  const deliveries: Delivery[] = []
  let deliveryCount = 0
  let forgotten = 0

  function keep<T>(entries: T[], entry: T): T {
    entries.push(entry)
    if (entries.length > capacity) {
      entries.shift()
      forgotten++
    }
    return entry
  }

  return {
    recordSend: (send) => void keep(sends, send),
    recordRead: (read) => void keep(reads, read),
    openDelivery(about) {
      deliveryCount++
      return keep(deliveries, {
        id: `delivery_${deliveryCount}`,
        ...about,
        state: 'pending',
        attempts: [],
      })
    },
    view(phoneNumberId) {
      const wanted = (entry: { phone_number_id: string | null }) =>
        phoneNumberId === undefined || entry.phone_number_id === phoneNumberId
      // Copies: a caller compares two moments, and deliveries change while they run.
      return structuredClone({
        sends: sends.filter(wanted),
        reads: reads.filter(wanted),
        deliveries: deliveries.filter(wanted),
        forgotten,
      })
    },
  }
}
