// The nouns of this folder: what is told, to whom, and how one attempt to tell it ends.

export interface EventRow {
  id: string
  tenantId: string
  type: string
  data: Record<string, unknown>
  createdAt: Date
}

/** One delivery that is ours to make, with everything it needs; what was removed meanwhile is null. */
export interface ClaimedDelivery {
  id: string
  attemptId: string
  tenantId: string
  endpointId: string
  eventId: string
  /** Failed ones before this. */
  attempts: number
  /** Whether messages in the answer are wanted. */
  asks: boolean
  url: string | null
  secret: string | null
  oldSecret: string | null
  oldSecretUntil: Date | null
  type: string | null
  data: Record<string, unknown> | null
  phoneNumberId: string | null
  createdAt: Date | null
  /** The story that the event belongs to; null for what a person did. */
  correlationId: string | null
}

/** How an attempt ends for its row. */
export interface DeliverySettlement {
  delivery: ClaimedDelivery
  state: 'done' | 'failed' | 'pending'
  failures: 0 | 1
  error: string | null
  runAt: Date | null
}

/** What the endpoint said, or why it said nothing. */
export interface PostOutcome {
  /** Null when no answer came. */
  statusCode: number | null
  /** Null when it was taken. */
  errorCode: string | null
  retryAfterSeconds: number | null
  /** The answer, where somebody wants to read it and it is small enough. */
  body: Buffer | null
}
