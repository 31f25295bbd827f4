// One message of a chat, as the phone shows it.
import type { StatusError } from '../status-error.ts'
import type { RenderedTemplate } from './render-template.ts'

/** `pending`: still on the customer's phone. `accepted`: with Meta, no status yet. */
export type TickState = 'pending' | 'accepted' | 'sent' | 'delivered' | 'read' | 'played' | 'failed'

export type Side = 'business' | 'customer'

export interface ChatMessage {
  wamid: string
  from: Side
  at: string
  type: string
  content: unknown
  state: TickState
  error?: StatusError
  /** Only for templates that are known. */
  rendered?: RenderedTemplate
  context?: Record<string, unknown>
  reactions: { business?: string; customer?: string }
  edited: boolean
  deleted: boolean
}
