// What contacts and Meta say about consent → who gets nothing more. The latest word counts, by Meta's clock; what comes late
// or twice changes nothing. Whoever calls this then ends what waits for them (outbox/end-suppressed.ts), in the same
// transaction.
import type { Tx } from '../db/connect.ts'
import type { Suppressed, Word } from './model.ts'
import {
  liftWritten,
  mergeSuppressions,
  selectActiveOf,
  selectContactsOfMessages,
  selectContactsOfStatuses,
  upsertWords,
} from './queries.ts'
import { refusalNamed } from './refusals.ts'

/** Returns those who get nothing more from now on. */
export async function keepWords(
  tx: Tx,
  words: Word[],
  newId: () => string,
  now: Date,
): Promise<Suppressed[]> {
  const latest = latestOf(words)
  // Almost everybody who writes has never stopped anything: they need no row that says so.
  const written = latest.filter((word) => word.scope === 'everything' && !word.isActive)
  const kept = latest.filter((word) => word.scope === 'marketing' || word.isActive)
  if (written.length > 0) await liftWritten(tx, written, now)
  if (kept.length === 0) return []
  const rows = await upsertWords(
    tx,
    kept.map((word) => ({ ...word, rowId: newId() })),
    now,
  )
  return rows.filter((row) => row.isActive)
}

export interface RefusedMessage {
  tenantId: string
  messageId: string
  errorCode: string | null
  at: Date
  changeId: string
}

/** Meta refused these at once. */
export async function keepRefusals(
  tx: Tx,
  refused: RefusedMessage[],
  newId: () => string,
  now: Date,
): Promise<Suppressed[]> {
  const telling = refused.filter((one) => refusalNamed(one.errorCode))
  if (telling.length === 0) return []
  const contacts = await selectContactsOfMessages(tx, telling)
  const words = telling.flatMap(({ messageId, errorCode, at, changeId }): Word[] => {
    const refusal = refusalNamed(errorCode)
    const whom = contacts.get(messageId)
    return refusal && whom
      ? [{ ...whom, ...refusal, isActive: true, at, id: changeId, eventId: null }]
      : []
  })
  return keepWords(tx, words, newId, now)
}

export interface FailedStatus {
  tenantId: string
  phoneNumberId: string
  wamid: string
  waId: string | null
  userId: string | null
  errorCode: string | null
  at: Date
  changeId: string
  eventId: string
}

/** What statuses of messages that failed say about consent; the message itself need not be known yet. */
export async function wordsOfStatuses(tx: Tx, statuses: FailedStatus[]): Promise<Word[]> {
  const telling = statuses.filter((one) => refusalNamed(one.errorCode))
  if (telling.length === 0) return []
  const contacts = await selectContactsOfStatuses(tx, telling)
  return telling.flatMap((status, index): Word[] => {
    const { tenantId, phoneNumberId, errorCode, at, changeId, eventId } = status
    const refusal = refusalNamed(errorCode)
    const contactId = contacts.get(index)
    return refusal && contactId !== undefined
      ? [
          {
            tenantId,
            phoneNumberId,
            contactId,
            ...refusal,
            isActive: true,
            at,
            id: changeId,
            eventId,
          },
        ]
      : []
  })
}

/** Two contacts became one: so do their words, the latest of each kind counting. Returns what is in force for the one. */
export async function mergeConsent(
  tx: Tx,
  tenantId: string,
  winnerId: string,
  loserId: string,
  now: Date,
): Promise<Suppressed[]> {
  await mergeSuppressions(tx, tenantId, winnerId, loserId, now)
  return selectActiveOf(tx, tenantId, winnerId)
}

/** One per number, contact and kind. */
function latestOf(words: Word[]): Word[] {
  const latest = new Map<string, Word>()
  for (const word of words) {
    const key = `${word.tenantId} ${word.phoneNumberId} ${word.contactId} ${word.scope}`
    const before = latest.get(key)
    if (!before || isLater(word, before)) latest.set(key, word)
  }
  return [...latest.values()]
}

function isLater(word: Word, than: Word): boolean {
  const ms = word.at.getTime() - than.at.getTime()
  return ms === 0 ? word.id > than.id : ms > 0
}
