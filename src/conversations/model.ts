// The nouns of this folder, as they go into the database.

export interface MessageName {
  tenantId: string
  wamid: string
}

export interface NewInboundMessage {
  id: string
  tenantId: string
  phoneNumberId: string
  wamid: string
  type: string
  content: Record<string, unknown>
  replyTo: string | null
  /** The contact as the conversation knows it; null when Meta names no sender. */
  contactWaId: string | null
  contactUserId: string | null
  contactName: string | null
  occurredAt: Date
  opensWindow: boolean
  eventId: string
  correlationId: string
}

export interface ConversationTouch {
  id: string
  tenantId: string
  phoneNumberId: string
  contactWaId: string
  contactUserId: string | null
  contactName: string | null
  lastMessageAt: Date
  lastInboundAt: Date | null
}

export interface NewStatus {
  tenantId: string
  wamid: string
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
