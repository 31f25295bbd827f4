// What everything in a thread may need to know: whose it is, and what can be done with its messages.
import { createContext, useContext } from 'react'
import type { Conversation, MessageInList } from '../../../api/types.ts'
import type { Sending } from '../composer/sending.ts'
import { plainName } from './text.ts'

/** What is shown of a message that is sent, and of one that is only on its way. */
export type Shown = Pick<
  MessageInList,
  | 'type'
  | 'content'
  | 'direction'
  | 'rendered'
  | 'media'
  | 'media_id'
  | 'media_error'
  | 'media_bytes'
>

export interface InThread {
  conversation: Conversation
  /** How the contact is called. */
  name: string
  firm: string
  sending: Sending
  /** Whether they can be answered with more than a template. */
  canWrite: boolean
  onSelect(messageId: string | undefined): void
  onReply(messageId: string | undefined): void
  /** Opens the choice of a template. */
  onTemplate(): void
  /** Opens what is known about a message. */
  onDetails(messageId: string): void
  jumpTo(messageId: string): void
  /** Ask for these messages again. */
  look(messageIds: string[]): void
}

export const InThreadContext = createContext<InThread | undefined>(undefined)

export function useThread(): InThread {
  const thread = useContext(InThreadContext)
  if (!thread) throw new Error('bug: no thread here')
  return thread
}

const longestName = 120

export function nameOf({ contact, contact_name, contact_wa_id }: Conversation): string {
  const name = contact.name ?? contact_name ?? contact.username
  const number = contact.wa_id ?? contact_wa_id
  return plainName(name || (/^\d+$/.test(number) ? `+${number}` : number)).slice(0, longestName)
}

/** Who wrote it, in a word: the contact, somebody in a group, or one of us. */
export function writerName(
  message: Pick<MessageInList, 'direction' | 'sender' | 'sent_by'>,
  { name, words, ownId }: { name: string; words: { you: string; operator: string }; ownId: string },
): string | undefined {
  if (message.direction === 'inbound') return message.sender ? senderName(message.sender) : name
  if (!message.sent_by) return undefined
  if (message.sent_by.id === ownId) return words.you
  return message.sent_by.name ?? words.operator
}

export function senderName({ name, wa_id, user_id }: NonNullable<MessageInList['sender']>): string {
  return plainName(name ?? (wa_id ? `+${wa_id}` : (user_id ?? ''))).slice(0, longestName)
}
