// Built-in responders: messages that just came in → replies, in the transaction that records them. Either both are there
// after a crash, or neither, and then the event is processed again. What was recorded before is not answered again.
import { findAnswerPlaces, rememberAutomatic } from '../conversations/automatic.ts'
import type { Tx } from '../db/connect.ts'
import { queueAnswers } from '../outbox/answer.ts'
import { type Candidate, planReplies } from '../responder/plan-replies.ts'
import type { Random } from '../time-and-chance.ts'
import type { PlannedMessage } from './plan.ts'
import { spanOfReply } from './trace.ts'

interface Context {
  tx: Tx
  random: Random
  now: Date
  isTraced: boolean
}

/** To be called last in its transaction: it locks the tenants' queues until the commit. */
export async function replyToMessages(
  recorded: PlannedMessage[],
  { tx, random, now, isTraced }: Context,
): Promise<void> {
  const asking = recorded.filter(isAsking)
  if (asking.length === 0) return
  const places = await findAnswerPlaces(
    tx,
    asking.map(({ row }) => row),
  )
  const candidates = asking.flatMap(({ item, row, settings }): Candidate[] => {
    const place = places.get(row.id)
    if (!place) return []
    const { conversationId, automaticAt, automaticStreak, kind, ...more } = place
    return [
      {
        ...more,
        responder: settings.responder,
        autoReplyText: settings.autoReplyText,
        type: item.type,
        content: item.content,
        occurredAt: row.occurredAt,
        conversation: { id: conversationId, automaticAt, automaticStreak },
        isGroup: kind === 'group',
      },
    ]
  })
  const plan = planReplies(candidates, now)
  if (plan.replies.length === 0) return
  const byId = new Map(asking.map((one) => [one.row.id, one]))
  const answers = plan.replies.flatMap(({ messageId, body }) => {
    const asked = byId.get(messageId)
    const place = places.get(messageId)
    if (!asked || !place) return []
    asked.outcome.replies++
    const { tenantId, phoneNumberId, wamid, correlationId } = asked.row
    const { contactId: id, waId, userId, name } = place
    const contact = { id, waId, userId, name }
    return [{ tenantId, phoneNumberId, contact, body, to: wamid, correlationId, asked }]
  })
  await rememberAutomatic(
    tx,
    plan.replies.flatMap(({ messageId }) => {
      const tenantId = byId.get(messageId)?.row.tenantId
      const after = plan.conversations.get(places.get(messageId)?.conversationId ?? '')
      plan.conversations.delete(after?.id ?? '')
      return tenantId && after?.automaticAt
        ? [{ tenantId, ...after, automaticAt: after.automaticAt }]
        : []
    }),
  )
  const queued = await queueAnswers(tx, answers, random, now)
  if (!isTraced) return
  for (const { asked, messageId } of queued) {
    asked.outcome.spans.push(spanOfReply(asked, messageId))
  }
}

/** Neither echoes nor history; and as the API would refuse to send for a tenant or an account, so do we. */
function isAsking({ item, settings }: PlannedMessage): boolean {
  return (
    settings.responder !== 'off' &&
    settings.canSend &&
    item.direction === 'inbound' &&
    item.origin === 'live'
  )
}
