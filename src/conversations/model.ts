// The nouns of this folder, as they go into the database.

export interface MessageName {
  tenantId: string
  wamid: string
}

export interface NewMessage extends MessageName {
  id: string
  phoneNumberId: string
  direction: 'inbound' | 'outbound'
  origin: 'live' | 'echo' | 'history'
  type: string
  status: MessageStatus
  content: Record<string, unknown>
  replyTo: string | null
  /** Whose conversation it belongs to, a person's or a group's; null when Meta names nobody. */
  contact: ConversationContact | null
  /** Who wrote it, where that is not the conversation's contact: in groups. */
  senderContactId: string | null
  occurredAt: Date
  /** The contact wrote just now: the 24-hour window opens, the conversation too. */
  opensWindow: boolean
  eventId: string
  correlationId: string
}

export interface ConversationContact {
  id: string
  waId: string | null
  userId: string | null
  name: string | null
}

export interface ConversationTouch {
  id: string
  tenantId: string
  phoneNumberId: string
  contact: ConversationContact
  /** For a conversation that is new: one from the past does not ask for an answer. */
  initialStatus: 'open' | 'closed'
  lastMessageAt: Date
  /** Null when nothing that opens the window came. */
  lastInboundAt: Date | null
  unread: number
}

/** What we are to send. It has no wamid until Meta accepts it. */
export interface QueuedMessage {
  id: string
  tenantId: string
  phoneNumberId: string
  contact: ConversationContact
  type: string
  content: Record<string, unknown>
  replyTo: string | null
  clientReference: string | null
  correlationId: string
  /** Made by a responder. */
  automatic?: boolean
  /** The person who wrote it in the console. */
  sentBy?: string | null
}

export interface NewChange extends MessageName {
  targetWamid: string
  kind: 'reaction' | 'edit' | 'revoke'
  actor: string
  emoji: string | null
  content: Record<string, unknown> | null
  occurredAt: Date
  eventId: string
}

export interface NewStatus extends MessageName {
  status: string
  participant: string
  phoneNumberId: string
  occurredAt: Date
  receivedAt: Date
  details: Record<string, unknown>
  eventId: string
  correlationId: string
}

export type MessageStatus =
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'read'
  | 'played'
  | 'failed'
  | 'unknown'
  | 'cancelled'
  | 'received'

/** How long after a contact's last message anything may be sent to them. */
export const windowMs = 24 * 60 * 60 * 1000
