// The nouns of sending, as they go through the queue.

/** What is accepted and goes into the outbox together with its message. */
export interface NewSend {
  tenantId: string
  phoneNumberId: string
  messageId: string
  conversationId: string
  /** Whose turn it is: the conversation, or a lane of its own. */
  lane: string
  /** When it is due; now, unless said. */
  sendAt: Date | null
  /** What is posted to Meta, without what names the attempt. */
  payload: Record<string, unknown>
  fallbackTemplate: Record<string, unknown> | null
  callbackData: string | null
  delivery: Delivery
  expiresAt: Date | null
  correlationId: string
  /** The dead row that this one takes up again. */
  parentId: string | null
}

export type Delivery = 'at_least_once' | 'at_most_once'

/** One row that is ours to send, and the attempt that was committed with the claim. */
export interface ClaimedSend {
  id: string
  attemptId: string
  tenantId: string
  phoneNumberId: string
  messageId: string
  /** Failed ones before this. */
  attempts: number
  payload: Record<string, unknown>
  fallbackTemplate: Record<string, unknown> | null
  callbackData: string | null
  delivery: Delivery
  expiresAt: Date | null
  correlationId: string
  retryPolicy: 'standard' | 'patient' | null
  lane: string
  createdAt: Date
  /** By the database's clock: its moment to be posted, null where nobody waits for that; and when it was claimed. */
  slotMs: number | null
  claimedMs: number
}

/** How an attempt ends for its row. */
export interface Settlement {
  send: ClaimedSend
  state: 'done' | 'failed' | 'pending'
  /** 1 when this attempt failed and counts. */
  failures: 0 | 1
  error: string | null
  /** When it is tried again; with `pending` only. */
  runAt: Date | null
}

const requeued = 'requeue:'

/** The lane of one that is sent again on somebody's word. */
export function requeuedLane(messageId: string, letterId: string): string {
  return `${requeued}${messageId}:${letterId}`
}

export function isRequeuedLane(lane: string): boolean {
  return lane.startsWith(requeued)
}
/** Its number was held, or its circuit opened, after the claim: it is given back, and no attempt is used up. */
export const numberHeld = 'NUMBER_HELD'
