// Replies that the gateway makes by itself, into conversation and outbox, in the transaction that records what they answer.
import type { ConversationContact } from '../conversations/model.ts'
import { queueMessages } from '../conversations/queue-message.ts'
import type { Tx } from '../db/connect.ts'
import type { Random } from '../time-and-chance.ts'
import { describeContent, type SendRequest, sendRequest, toMeta } from './message.ts'
import type { NewSend } from './model.ts'
import { enqueueSends } from './queue-queries.ts'

export interface Answer {
  tenantId: string
  phoneNumberId: string
  contact: ConversationContact
  body: string
  /** The wamid of what it answers. Quoted, so that a machine at the other end can tell it from a message of a person. */
  to: string
  correlationId: string
}

/** To be called last in its transaction: it locks the tenants' queues until the commit. Returns those that were queued. */
export async function queueAnswers<One extends Answer>(
  tx: Tx,
  answers: One[],
  random: Random,
  now: Date,
): Promise<(One & { messageId: string })[]> {
  const queued = answers.flatMap((answer) => {
    const request = requestOf(answer)
    return request ? [{ ...answer, request, messageId: random.uuid() }] : []
  })
  if (queued.length === 0) return []
  const conversations = await queueMessages(
    tx,
    queued.map(({ request, messageId, tenantId, phoneNumberId, contact, correlationId }) => {
      const { type, content, replyTo } = describeContent(request)
      return {
        tenantId,
        phoneNumberId,
        contact,
        correlationId,
        id: messageId,
        type,
        content,
        replyTo,
        clientReference: null,
        automatic: true,
      }
    }),
    () => random.uuid(),
    now,
  )
  await enqueueSends(
    tx,
    queued.map(({ request, ...answer }): NewSend => {
      const conversationId = conversations.get(answer.messageId) ?? ''
      return {
        tenantId: answer.tenantId,
        phoneNumberId: answer.phoneNumberId,
        messageId: answer.messageId,
        conversationId,
        lane: conversationId,
        sendAt: null,
        payload: toMeta(request),
        fallbackTemplate: null,
        callbackData: null,
        delivery: request.delivery,
        expiresAt: null,
        correlationId: answer.correlationId,
        parentId: null,
      }
    }),
  )
  return queued
}

/** Undefined when it is nothing that Meta would take: an answer is no reason to lose the message that it is for. */
function requestOf({ contact, body, to }: Answer): SendRequest | undefined {
  const checked = sendRequest.safeParse({
    ...(contact.waId === null ? { recipient: contact.userId } : { to: contact.waId }),
    type: 'text',
    text: { body },
    context: { message_id: to },
  })
  return checked.data
}
