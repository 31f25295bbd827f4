// The life of one message or delivery, in the order of time, from the database alone.
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { isUuid, publicId, uuidOf } from '../ids.ts'
import { correlationIdOf } from '../tracing/span-ids.ts'
import { findHash, type HashSearch } from './find-hash.ts'
import { lifeOfEvents, lifeOfMessages, lifeOfStory, lifeOfWamid } from './life.ts'
import type { Moment } from './moment.ts'
import { selectMessageIdsBehind } from './send-queries.ts'
import {
  type MessageFacts,
  selectConversationsOf,
  selectEventIdsByCorrelation,
  selectEventIdsByName,
  selectEventIdsOfLetters,
  selectMessageById,
} from './trace-queries.ts'

export interface Trace {
  asked: string
  is: 'message' | 'delivery' | 'contact'
  /** What a hash stands for, or the Meta id of a message. */
  name: string | null
  life: Moment[]
  /** Where a collector of traces has the same story; each can be asked for, too. */
  trace_ids: string[]
  /** Of a contact: where to look next. */
  conversations: { conversation_id: string; tenant_id: string; message_ids: string[] }[]
  notes: string[]
}

/** `asked`: a message id (Meta's or ours), a dead letter's, an event's, a correlation or trace id, or a hash from a log line. */
export async function traceLife(db: Db, asked: string, keys: Buffer[]): Promise<Trace> {
  const hash = /^h_[0-9a-f]{16}/.exec(asked)?.[0]
  if (hash !== undefined) {
    const search = await findHash(db, hash, keys)
    if (!search.found) throw unknown(asked, tellSearch(search))
    const { name, is } = search.found
    const found = is === 'contact' ? await traceContact(db, asked, name) : await traceName(db, name)
    if (!found) throw unknown(asked, tellSearch(search))
    return { ...found, asked, name }
  }
  const found = await traceId(db, asked)
  if (!found) throw unknown(asked, '')
  return { ...found, asked }
}

async function traceId(db: Db, asked: string): Promise<Trace | undefined> {
  const messageId = uuidOf('msg', asked)
  if (messageId) {
    const [message] = await selectMessageById(db, messageId)
    if (!message) return undefined
    if (message.wamid !== null) return traceName(db, message.wamid)
    return message.event_id === null
      ? traceMessages(db, [message.id])
      : traceEvents(db, [message.event_id])
  }
  const letterId = uuidOf('dlq', asked)
  if (letterId) {
    const behind = await selectMessageIdsBehind(db, { letterId, correlationId: null })
    if (behind.length > 0) return traceMessages(db, behind)
    return traceEvents(db, await selectEventIdsOfLetters(db, letterId, null))
  }
  const correlationId = isUuid(asked) ? asked : correlationIdOf(asked)
  return correlationId ? traceStory(db, correlationId) : traceName(db, asked)
}

/** A delivery with what was sent in answer to it, or either alone. */
async function traceStory(db: Db, correlationId: string): Promise<Trace | undefined> {
  const sent = await selectMessageIdsBehind(db, { letterId: null, correlationId })
  const eventIds = await selectEventIdsByCorrelation(db, correlationId)
  if (sent.length === 0) return traceEvents(db, eventIds)
  if (eventIds.length === 0) return traceMessages(db, sent)
  const life = await lifeOfStory(db, eventIds, await messagesOf(db, sent))
  return { asked: '', is: 'delivery', name: null, conversations: [], ...life }
}

async function messagesOf(db: Db, ids: string[]): Promise<MessageFacts[]> {
  const messages: MessageFacts[] = []
  for (const id of ids) messages.push(...(await selectMessageById(db, id)))
  return messages
}

/** Meta's name for something: a message's id, or what a delivery is called after. */
async function traceName(db: Db, name: string): Promise<Trace | undefined> {
  const life = await lifeOfWamid(db, name)
  if (life) return { asked: name, is: 'message', name, conversations: [], ...life }
  const named = await selectEventIdsByName(db, [name])
  return traceEvents(db, named.length > 0 ? named : await selectEventIdsOfLetters(db, null, name))
}

/** With its statuses where Meta knows it. */
async function traceMessages(db: Db, ids: string[]): Promise<Trace | undefined> {
  const messages = await messagesOf(db, ids)
  const named = messages.find((message) => message.wamid !== null)
  if (named?.wamid) return traceName(db, named.wamid)
  if (messages.length === 0) return undefined
  const life = await lifeOfMessages(db, messages)
  return { asked: '', is: 'message', name: null, conversations: [], ...life }
}

async function traceEvents(db: Db, eventIds: string[]): Promise<Trace | undefined> {
  if (eventIds.length === 0) return undefined
  const life = await lifeOfEvents(db, eventIds)
  return { asked: '', is: 'delivery', name: null, conversations: [], ...life }
}

async function traceContact(db: Db, asked: string, name: string): Promise<Trace | undefined> {
  const rows = await selectConversationsOf(db, name)
  return {
    asked,
    is: 'contact',
    name,
    life: [],
    trace_ids: [],
    conversations: rows.map((row) => ({
      conversation_id: publicId('conv', row.conversation_id),
      tenant_id: row.tenant_id,
      message_ids: row.message_ids.map((id) => publicId('msg', id)),
    })),
    notes: ['A contact, not a message. Next: estafet trace <message id>'],
  }
}

function tellSearch({ looked }: HashSearch): string {
  const parts = looked.map(
    ({ kind, count, since }) =>
      `the last ${count} ${kind}${since ? ` (back to ${since.toISOString()})` : ''}`,
  )
  return ` It is none of ${parts.join(', ')}, under any key of ENCRYPTION_KEYS.`
}

function unknown(asked: string, more: string): AppError {
  return new AppError('NOTHING_FOUND', 404, `Nothing here is called ${asked.slice(0, 200)}.${more}`)
}
