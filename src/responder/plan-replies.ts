// Which messages are answered by the number itself, and with what. Pure.
//
// Why there is no loop. Every reply is caused by one message that just came in, and a message that is not answered causes
// nothing; so a loop is a chain of messages, each of them answered, that does not end. It would have to run
//   between two numbers of this gateway: whoever writes from a connected number is never answered. Length 0.
//   with another gateway like this one: replies quote what they answer, and what quotes a reply of ours is never answered.
//     The other's first reply quotes nothing of ours that was automatic, its second one does. Length 2.
//   with any machine, under auto_reply: at most one reply an hour, and the answer to it comes within the hour. Length 1; a
//     machine that takes longer than an hour to answer cannot be told from a person.
//   with any machine, under echo: after so many replies without an hour's rest there are none for an hour; nothing is left to
//     answer, so the chain is over. Length 200.
import { spokenText } from '../meta/spoken-text.ts'

export interface Candidate {
  messageId: string
  responder: 'off' | 'echo' | 'auto_reply'
  autoReplyText: string | null
  type: string
  content: Record<string, unknown>
  occurredAt: Date
  conversation: Conversation
  isGroup: boolean
  /** The contact wants nothing from us. */
  isSuppressed: boolean
  /** It quotes a reply of ours. */
  answersAutomatic: boolean
  /** It was written from a number that is connected to this gateway. */
  isConnectedHere: boolean
}

export interface Conversation {
  id: string
  /** When it last got a reply of this kind. */
  automaticAt: Date | null
  /** How many, without an hour's rest between two of them. */
  automaticStreak: number
}

export interface Reply {
  messageId: string
  body: string
}

export interface Plan {
  replies: Reply[]
  /** As they are afterwards; only those that got a reply. */
  conversations: Map<string, Conversation>
}

/** What is older was delayed, requeued or replayed: whoever wrote it no longer waits for a machine to answer. */
export const answerableMs = 15 * 60 * 1000
export const restMs = 60 * 60 * 1000
export const maxStreak = 200

/** Meta's limit for a text. */
const maxBody = 4096

/** What people write; what WhatsApp reports about them, and what we cannot read, is not answered. */
const answered = new Set([
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'button',
  'order',
])

/** In the order in which they came: the earlier reply counts when the later is considered. */
export function planReplies(candidates: Candidate[], now: Date): Plan {
  const plan: Plan = { replies: [], conversations: new Map() }
  for (const candidate of candidates) {
    const { messageId } = candidate
    const conversation = plan.conversations.get(candidate.conversation.id) ?? candidate.conversation
    const body = bodyFor(candidate, isRested(conversation, now), now)
    if (body === undefined) continue
    const automaticStreak = isRested(conversation, now) ? 1 : conversation.automaticStreak + 1
    if (automaticStreak > maxStreak) continue
    plan.replies.push({ messageId, body })
    plan.conversations.set(conversation.id, { ...conversation, automaticAt: now, automaticStreak })
  }
  return plan
}

function isRested({ automaticAt }: Conversation, now: Date): boolean {
  return automaticAt === null || now.getTime() - automaticAt.getTime() >= restMs
}

function bodyFor(candidate: Candidate, isFirst: boolean, now: Date): string | undefined {
  const { responder, type, content, occurredAt, autoReplyText } = candidate
  if (candidate.isGroup || candidate.isSuppressed) return undefined
  if (candidate.answersAutomatic || candidate.isConnectedHere) return undefined
  if (!answered.has(type) || now.getTime() - occurredAt.getTime() > answerableMs) return undefined
  if (responder === 'auto_reply') return isFirst ? (autoReplyText ?? undefined) : undefined
  return responder === 'echo' ? echoOf(spokenText(type, content)) : undefined
}

/** Pictures and the like have no words to repeat. */
function echoOf(said: string | undefined): string | undefined {
  if (said === undefined || said.trim() === '') return undefined
  return said.length <= maxBody ? said : said.slice(0, maxBody).toWellFormed()
}
