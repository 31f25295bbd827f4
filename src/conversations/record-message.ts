// Messages into their conversations: each once, the conversation reopened and its times moved forward only.
// Called by inbox/apply.ts in the transaction that also writes the dedupe keys.
import type { Tx } from '../db/connect.ts'
import type { ConversationTouch, MessageName, NewChange, NewMessage } from './model.ts'
import {
  existingWamids,
  insertChanges,
  insertMessages,
  selectMessageEvents,
  upsertConversations,
} from './queries.ts'

/** Applies the messages that are not there yet and returns their wamids as `tenant wamid`. */
export async function recordMessages(
  tx: Tx,
  messages: NewMessage[],
  newId: () => string,
  now: Date,
): Promise<Set<string>> {
  if (messages.length === 0) return new Set()
  // The dedupe key may have expired; the message itself never does. An old one must not reopen a conversation.
  const known = new Set(await existingWamids(tx, messages))
  const fresh = messages.filter((message) => !known.has(messageKey(message)))
  if (fresh.length === 0) return new Set()
  const conversations = await upsertConversations(tx, conversationsOf(fresh, newId), now)
  await insertMessages(
    tx,
    fresh.map((message) => ({
      ...message,
      conversationId:
        message.contact === null
          ? null
          : (conversations.get(conversationKey(message, message.contact.id)) ?? null),
    })),
    now,
  )
  return new Set(fresh.map(messageKey))
}

/** What messages did to earlier ones; the earlier ones need not be there yet. */
export async function recordChanges(tx: Tx, changes: NewChange[]): Promise<void> {
  if (changes.length > 0) await insertChanges(tx, changes)
}

/** Which event brought each of these, by `messageKey`. */
export async function eventsOfMessages(tx: Tx, names: MessageName[]): Promise<Map<string, string>> {
  return selectMessageEvents(tx, names)
}

export function messageKey(message: MessageName): string {
  return `${message.tenantId} ${message.wamid}`
}

function conversationKey(
  of: { tenantId: string; phoneNumberId: string },
  contactId: string,
): string {
  return `${of.tenantId} ${of.phoneNumberId} ${contactId}`
}

/** One touch per conversation, in key order: two workers that touch the same ones lock them in the same order. */
function conversationsOf(messages: NewMessage[], newId: () => string): ConversationTouch[] {
  const touches = new Map<string, ConversationTouch>()
  for (const message of messages) {
    if (message.contact === null) continue
    const key = conversationKey(message, message.contact.id)
    const touch = touches.get(key)
    touches.set(key, {
      id: touch?.id ?? newId(),
      tenantId: message.tenantId,
      phoneNumberId: message.phoneNumberId,
      contact: message.contact,
      initialStatus:
        message.origin === 'history' && touch?.initialStatus !== 'open' ? 'closed' : 'open',
      lastMessageAt: latest(touch?.lastMessageAt, message.occurredAt),
      lastInboundAt: message.opensWindow
        ? latest(touch?.lastInboundAt, message.occurredAt)
        : (touch?.lastInboundAt ?? null),
      unread: (touch?.unread ?? 0) + (isUnread(message) ? 1 : 0),
    })
  }
  return [...touches.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, touch]) => touch)
}

function isUnread(message: NewMessage): boolean {
  return message.opensWindow && !['reaction', 'edit', 'revoke'].includes(message.type)
}

function latest(a: Date | null | undefined, b: Date): Date {
  return a && a > b ? a : b
}
