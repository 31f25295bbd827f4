// A message that we are to send, into its conversation: `queued` from the start, so that it is seen where it belongs.
// Called by outbox/enqueue.ts in the transaction that also fills the outbox.
import type { Tx } from '../db/connect.ts'
import type { ConversationTouch, QueuedMessage } from './model.ts'
import { insertQueued, upsertConversations } from './queries.ts'

/** Returns the conversation of each message, by message id. */
export async function queueMessages(
  tx: Tx,
  messages: QueuedMessage[],
  newId: () => string,
  now: Date,
): Promise<Map<string, string>> {
  const touches = new Map<string, ConversationTouch>()
  for (const { tenantId, phoneNumberId, contact } of messages) {
    const key = `${tenantId} ${phoneNumberId} ${contact.id}`
    if (touches.has(key)) continue
    touches.set(key, {
      id: newId(),
      tenantId,
      phoneNumberId,
      contact,
      initialStatus: 'open',
      lastMessageAt: now,
      lastInboundAt: null,
      unread: 0,
    })
  }
  const sorted = [...touches].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, touch]) => touch)
  const conversations = await upsertConversations(tx, sorted, now)
  const placed = messages.map((message) => {
    const key = `${message.tenantId} ${message.phoneNumberId} ${message.contact.id}`
    const conversationId = conversations.get(key)
    if (conversationId === undefined) throw new Error('bug: a message without a conversation')
    return { ...message, conversationId }
  })
  await insertQueued(tx, placed, now)
  return new Map(placed.map(({ id, conversationId }) => [id, conversationId]))
}
