// Inbound messages into their conversations: each once, the conversation reopened and its times moved forward only.
// Called by inbox/process.ts in the transaction that also writes the dedupe keys.
import type { Tx } from '../db/connect.ts'
import type { ConversationTouch, NewInboundMessage } from './model.ts'
import { existingWamids, insertMessages, upsertConversations } from './queries.ts'

/** Applies the messages that are not there yet and returns their wamids as `tenant wamid`. */
export async function recordInboundMessages(
  tx: Tx,
  messages: NewInboundMessage[],
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
        message.contactWaId === null ? null : (conversations.get(conversationKey(message)) ?? null),
    })),
    now,
  )
  return new Set(fresh.map(messageKey))
}

export function messageKey(message: { tenantId: string; wamid: string }): string {
  return `${message.tenantId} ${message.wamid}`
}

function conversationKey(of: {
  tenantId: string
  phoneNumberId: string
  contactWaId: string | null
}): string {
  return `${of.tenantId} ${of.phoneNumberId} ${of.contactWaId}`
}

/** One touch per conversation, in key order: two workers that touch the same ones lock them in the same order. */
function conversationsOf(messages: NewInboundMessage[], newId: () => string): ConversationTouch[] {
  const touches = new Map<string, ConversationTouch>()
  for (const message of messages) {
    if (message.contactWaId === null) continue
    const key = conversationKey(message)
    const touch = touches.get(key)
    touches.set(key, {
      id: touch?.id ?? newId(),
      tenantId: message.tenantId,
      phoneNumberId: message.phoneNumberId,
      contactWaId: message.contactWaId,
      contactUserId: message.contactUserId ?? touch?.contactUserId ?? null,
      contactName: message.contactName ?? touch?.contactName ?? null,
      lastMessageAt: latest(touch?.lastMessageAt, message.occurredAt),
      lastInboundAt: message.opensWindow
        ? latest(touch?.lastInboundAt, message.occurredAt)
        : (touch?.lastInboundAt ?? null),
    })
  }
  return [...touches.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, touch]) => touch)
}

function latest(a: Date | null | undefined, b: Date): Date {
  return a && a > b ? a : b
}
