// What came in, as words about consent: stop words and whatever else contacts write, their preferences in WhatsApp, and
// messages that Meta did not deliver for that reason.
import { keepWords, wordsOfStatuses } from '../consent/keep-words.ts'
import type { Suppressed, Word } from '../consent/model.ts'
import { isStopWord, type StopWords, stopWordsOf } from '../consent/stop-words.ts'
import type { ContactRow, Identity } from '../contacts/model.ts'
import { identityKey } from '../contacts/resolve.ts'
import type { Tx } from '../db/connect.ts'
import { isObject } from '../meta/json.ts'
import { classifyStatusError } from '../meta/outcomes.ts'
import { spokenText } from '../meta/spoken-text.ts'
import { waIdText } from '../meta/webhook-item.ts'
import type { Random } from '../time-and-chance.ts'
import type { PlannedMessage, PlannedNotice, PlannedStatus } from './plan.ts'

interface Applied {
  messages: PlannedMessage[]
  notices: PlannedNotice[]
  statuses: PlannedStatus[]
}

interface Context {
  tx: Tx
  random: Random
  now: Date
  stopWords: StopWords
}

/** For what was applied just now, and so for nothing twice. Returns who gets nothing more from now on. */
export async function heedConsent(
  { messages, notices, statuses }: Applied,
  contacts: Map<string, ContactRow>,
  { tx, random, now, stopWords }: Context,
): Promise<Suppressed[]> {
  const find = (identity: Identity | undefined) => identity && contacts.get(identityKey(identity))
  const failed = statuses.filter(({ row }) => row.status === 'failed')
  const words = [
    ...messages.flatMap((one) => wordOfMessage(one, find(one.contact), stopWords) ?? []),
    ...notices.flatMap((one) => wordOfNotice(one, find(one.contact)) ?? []),
    ...(await wordsOfStatuses(
      tx,
      failed.map((one) => failureOf(one, random)),
    )),
  ]
  return words.length === 0 ? [] : keepWords(tx, words, random.uuid, now)
}

/** Changes to other messages and notices are not the contact writing. */
const silent = ['system', 'reaction', 'edit', 'revoke', 'request_welcome']

/** Of people who write to us now: neither echoes, nor history, nor groups, where nobody speaks for all. */
function wordOfMessage(
  { item, row, settings }: PlannedMessage,
  contact: ContactRow | undefined,
  stopWords: StopWords,
): Word | undefined {
  if (item.direction !== 'inbound' || item.origin !== 'live' || contact?.kind !== 'person') {
    return undefined
  }
  const words = settings.stopWords === null ? stopWords : stopWordsOf(settings.stopWords)
  const isStop = isStopWord(spokenText(item.type, item.content), words)
  if (!isStop && silent.includes(item.type)) return undefined
  return {
    tenantId: row.tenantId,
    phoneNumberId: row.phoneNumberId,
    contactId: contact.id,
    scope: 'everything',
    isActive: isStop,
    reason: isStop ? 'stop_word' : null,
    at: row.occurredAt,
    id: row.id,
    eventId: row.eventId,
  }
}

function wordOfNotice(
  { item, row, owner }: PlannedNotice,
  contact: ContactRow | undefined,
): Word | undefined {
  const { category, value } = item.content
  if (item.field !== 'user_preferences' || !contact) return undefined
  if (category !== undefined && category !== 'marketing_messages') return undefined
  if (value !== 'stop' && value !== 'resume') return undefined
  return {
    tenantId: row.tenantId,
    phoneNumberId: row.phoneNumberId ?? owner.phoneNumberId,
    contactId: contact.id,
    scope: 'marketing',
    isActive: value === 'stop',
    reason: value === 'stop' ? 'user_preferences' : null,
    at: row.occurredAt,
    id: row.id,
    eventId: row.eventId,
  }
}

function failureOf({ event, row }: PlannedStatus, random: Random) {
  const { details } = row
  const first: unknown = Array.isArray(details.errors) ? details.errors[0] : undefined
  const code = isObject(first) && typeof first.code === 'number' ? first.code : null
  return {
    tenantId: row.tenantId,
    phoneNumberId: row.phoneNumberId,
    wamid: row.wamid,
    waId: waIdText(details.recipient_id) ?? null,
    userId: typeof details.recipient_user_id === 'string' ? details.recipient_user_id : null,
    errorCode: classifyStatusError(code).errorCode,
    at: row.occurredAt,
    changeId: random.uuidWithin(event.id, 0),
    eventId: event.id,
  }
}
