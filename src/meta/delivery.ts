// What the receiver must know of a delivery before it is stored: its name, and whether it can be recognised when it
// comes again. Never decides whether it is accepted.
import { createHash } from 'node:crypto'
import { canonicalHash, isObject, type JsonObject, parseJson } from './json.ts'

export interface DeliveryDescription {
  /** First message id, else first status `id:status`, else a hash of the content. Names the delivery in traces and tasks. */
  inboundEventId: string
  /** With `inboundEventId` this names the item, when the delivery holds exactly one and nothing else: its number, or
   *  `number:participant` for a group's status. */
  singleItemOf: string | null
  /** The number of the first item, for counting. */
  phoneNumberId: string | null
  /** Whether Postgres will take the text as jsonb, as far as can be told cheaply. */
  isJsonb: boolean
}

/** Longer ids are nobody's: they would not fit in an index either. */
export const maxIdLength = 512

const escapedNul = /\\u0000/
const escapedHalfPair =
  /\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/

export function describeDelivery(raw: Buffer): DeliveryDescription {
  const parsed = parseJson(raw)
  if (!parsed) return opaque(raw, false)
  const isJsonb =
    !escapedNul.test(parsed.text) && !escapedHalfPair.test(parsed.text) && raw[0] !== 0xef
  if (!isObject(parsed.value)) return opaque(raw, isJsonb)
  const found = itemsOf(parsed.value)
  const first = found.items[0]
  return {
    inboundEventId: first?.key ?? contentHash(parsed.value, raw),
    singleItemOf:
      first?.number && found.items.length === 1 && !found.hasMore
        ? first.number + first.participant
        : null,
    phoneNumberId: found.number ?? null,
    isJsonb,
  }
}

function opaque(raw: Buffer, isJsonb: boolean): DeliveryDescription {
  return { inboundEventId: sha256(raw), singleItemOf: null, phoneNumberId: null, isJsonb }
}

interface FoundItem {
  number: string | undefined
  key: string
  /** `:participant` for a status of one of a group, else empty. */
  participant: string
}

/** Messages first, then statuses, in the order they stand; `hasMore` when there is anything that is neither. */
function itemsOf(payload: JsonObject): {
  items: FoundItem[]
  hasMore: boolean
  number: string | undefined
} {
  const messages: FoundItem[] = []
  const statuses: FoundItem[] = []
  let hasMore = payload.object !== undefined && payload.object !== 'whatsapp_business_account'
  let number: string | undefined
  for (const entry of arrayOf(payload.entry)) {
    if (!isObject(entry) || !Array.isArray(entry.changes)) hasMore = true
    for (const change of arrayOf(isObject(entry) ? entry.changes : undefined)) {
      const value = isObject(change) && isObject(change.value) ? change.value : {}
      const changeNumber = numberOf(value)
      number ??= changeNumber
      if (!isObject(change) || change.field !== 'messages' || !hasOnlyItems(value)) hasMore = true
      for (const message of arrayOf(value.messages)) {
        const key = idOf(message)
        if (key) messages.push({ number: changeNumber, key, participant: '' })
        else hasMore = true
      }
      for (const status of arrayOf(value.statuses)) {
        const names = statusNames(status)
        if (names) statuses.push({ number: changeNumber, ...names })
        else hasMore = true
      }
    }
  }
  return { items: [...messages, ...statuses], hasMore, number }
}

/** What stands where a list should be is put aside by the parser, so it is something more. */
function hasOnlyItems(value: JsonObject): boolean {
  const lists = [value.messages, value.statuses].filter(
    (list) => list !== undefined && list !== null,
  )
  return lists.length > 0 && lists.every(Array.isArray) && !Array.isArray(value.errors)
}

function numberOf(value: JsonObject): string | undefined {
  const number = isObject(value.metadata) ? value.metadata.phone_number_id : undefined
  return typeof number === 'string' &&
    number.length > 0 &&
    number.length <= maxIdLength &&
    isPlain(number)
    ? number
    : undefined
}

function idOf(item: unknown): string | undefined {
  const id = isObject(item) ? item.id : undefined
  return typeof id === 'string' && id.length > 0 && id.length <= maxIdLength && isPlain(id)
    ? id
    : undefined
}

function statusNames(status: unknown): { key: string; participant: string } | undefined {
  const id = idOf(status)
  if (!id || !isObject(status) || typeof status.status !== 'string') return undefined
  if (status.status.length > 64 || !isPlain(status.status)) return undefined
  const participant = status.recipient_participant_id
  const key = `${id}:${status.status}`
  if (participant === undefined) return { key, participant: '' }
  if (typeof participant !== 'string' || participant.length > maxIdLength || !isPlain(participant))
    return undefined
  return { key, participant: `:${participant}` }
}

/** Ids that Postgres could not store are not used as keys. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Without what changes from one delivery of the same thing to the next. */
function contentHash(payload: JsonObject, raw: Buffer): string {
  try {
    const entries = Array.isArray(payload.entry)
      ? payload.entry.map((entry) => (isObject(entry) ? { ...entry, time: undefined } : entry))
      : payload.entry
    return canonicalHash({ ...payload, entry: entries })
  } catch {
    // Nested too deeply to walk.
    return sha256(raw)
  }
}

function sha256(raw: Buffer): string {
  return createHash('sha256').update(raw).digest('hex')
}
