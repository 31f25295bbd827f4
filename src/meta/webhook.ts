// A webhook's bytes into items: one message, one status, one change of another kind, or one thing that is none of these.
// Unknown types, fields and statuses are items like any other: Meta adds them without notice.
import { maxIdLength } from './delivery.ts'
import { isObject, type JsonObject, parseJson, storable, TooDeep } from './json.ts'

interface Place {
  /** Where in the payload, for a person: `entry[0].changes[2].value.messages[1]`. */
  path: string
  wabaId: string | undefined
  phoneNumberId: string | undefined
  /** The item as it stood in the payload. */
  raw: unknown
}

export interface MessageItem extends Place {
  kind: 'message'
  wamid: string
  type: string
  /** The sender's phone-number id, where Meta gives it. */
  from: string | undefined
  /** The sender's business-scoped user id. */
  fromUserId: string | undefined
  senderName: string | undefined
  timestamp: unknown
  replyTo: string | undefined
  /** The message object without what stands in columns of its own. */
  content: JsonObject
}

export interface StatusItem extends Place {
  kind: 'status'
  wamid: string
  status: string
  /** Whose status in a group; '' otherwise. */
  participant: string
  timestamp: unknown
  details: JsonObject
}

/** A change that is neither messages nor statuses: it stays in its event. */
export interface OtherItem extends Place {
  kind: 'other'
  field: string
}

export interface MalformedItem extends Place {
  kind: 'malformed'
  reason: string
}

export type WebhookItem = MessageItem | StatusItem | OtherItem | MalformedItem

export type ParsedWebhook = { items: WebhookItem[] } | { malformed: string }

export function parseWebhook(raw: Buffer): ParsedWebhook {
  const parsed = parseJson(raw)
  if (!parsed) return { malformed: 'the body is not JSON in UTF-8' }
  const payload = parsed.value
  if (!isObject(payload)) return { malformed: 'the body is not a JSON object' }
  // Some of Meta's own samples leave `object` out.
  if (payload.object !== undefined && payload.object !== 'whatsapp_business_account') {
    return { malformed: 'object is not whatsapp_business_account' }
  }
  if (!Array.isArray(payload.entry)) return { malformed: 'entry is not an array' }
  return { items: payload.entry.flatMap((entry, index) => parseEntry(entry, `entry[${index}]`)) }
}

function parseEntry(entry: unknown, path: string): WebhookItem[] {
  const place: Place = { path, wabaId: undefined, phoneNumberId: undefined, raw: entry }
  if (!isObject(entry)) return [malformed(place, 'the entry is not an object')]
  if (!Array.isArray(entry.changes)) return [malformed(place, 'changes is not an array')]
  const wabaId = idText(entry.id)
  return entry.changes.flatMap((change, index) =>
    parseChange(change, { ...place, path: `${path}.changes[${index}]`, wabaId, raw: change }),
  )
}

function parseChange(change: unknown, place: Place): WebhookItem[] {
  if (!isObject(change)) return [malformed(place, 'the change is not an object')]
  const value = change.value
  if (!isObject(value)) return [malformed(place, 'value is not an object')]
  // One of Meta's samples has `field` inside `value`.
  const field = typeof change.field === 'string' ? change.field : value.field
  const numberPlace = {
    ...place,
    phoneNumberId: isObject(value.metadata) ? idText(value.metadata.phone_number_id) : undefined,
  }
  if (field !== 'messages') {
    return [{ kind: 'other', ...numberPlace, field: typeof field === 'string' ? field : 'unknown' }]
  }
  const contacts = Array.isArray(value.contacts) ? value.contacts.filter(isObject) : []
  const items = [
    ...parseList(value, 'messages', numberPlace, (item, at) => parseMessage(item, at, contacts)),
    ...parseList(value, 'statuses', numberPlace, parseStatus),
  ]
  return items.length > 0 ? items : [{ kind: 'other', ...numberPlace, field: 'messages' }]
}

function parseList(
  value: JsonObject,
  name: 'messages' | 'statuses',
  place: Place,
  parse: (item: unknown, place: Place) => WebhookItem,
): WebhookItem[] {
  const list = value[name]
  if (list === undefined || list === null) return []
  const path = `${place.path}.value.${name}`
  if (!Array.isArray(list))
    return [malformed({ ...place, path, raw: list }, `${name} is not an array`)]
  return list.map((item, index) => {
    const at = { ...place, path: `${path}[${index}]`, raw: item }
    try {
      return parse(item, at)
    } catch (error) {
      if (error instanceof TooDeep) return malformed(at, error.message)
      throw error
    }
  })
}

function parseMessage(message: unknown, place: Place, contacts: JsonObject[]): WebhookItem {
  if (!isObject(message)) return malformed(place, 'the message is not an object')
  const wamid = idText(message.id)
  if (!wamid) return malformed(place, 'the message has no usable id')
  const { id, from, from_user_id, timestamp, type, ...content } = storable(message) as JsonObject
  const contact = contacts.find(
    (candidate) =>
      (from !== undefined && candidate.wa_id === message.from) ||
      (from_user_id !== undefined && candidate.user_id === message.from_user_id),
  )
  const name = isObject(contact?.profile) ? contact.profile.name : undefined
  return {
    kind: 'message',
    ...place,
    wamid,
    type: typeof type === 'string' && type.length > 0 && type.length <= 64 ? type : 'unknown',
    from: idText(from),
    fromUserId: idText(from_user_id) ?? idText(contact?.user_id),
    senderName: typeof name === 'string' ? (storable(name) as string).slice(0, 512) : undefined,
    timestamp,
    replyTo: isObject(content.context) ? idText(content.context.id) : undefined,
    content,
  }
}

function parseStatus(status: unknown, place: Place): WebhookItem {
  if (!isObject(status)) return malformed(place, 'the status is not an object')
  const wamid = idText(status.id)
  if (!wamid) return malformed(place, 'the status has no usable id')
  const { id, status: value, timestamp, ...details } = storable(status) as JsonObject
  if (typeof value !== 'string' || value.length === 0 || value.length > 64) {
    return malformed(place, 'the status has no usable value')
  }
  return {
    kind: 'status',
    ...place,
    wamid,
    status: value,
    participant: idText(details.recipient_participant_id) ?? '',
    timestamp,
    details,
  }
}

/** An id as text; undefined when it is missing, too long, or not something Postgres can store. */
function idText(value: unknown): string | undefined {
  // A number past 2^53 has lost digits: two ids would look like one.
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || text.length === 0 || text.length > maxIdLength) return undefined
  return text.isWellFormed() && !text.includes('\u0000') ? text : undefined
}

function malformed(place: Place, reason: string): MalformedItem {
  return { kind: 'malformed', ...place, reason }
}

/** Before this nobody used WhatsApp. */
const earliest = Date.UTC(2009, 0, 1)
const allowedSkewMs = 10 * 60_000

/** Meta's time in seconds, or ours when theirs is absurd: not a number, before WhatsApp existed, or in the future. */
export function timeOf(timestamp: unknown, receivedAt: Date): Date {
  const seconds =
    typeof timestamp === 'string' && /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : timestamp
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return receivedAt
  const ms = seconds * 1000
  return ms >= earliest && ms <= receivedAt.getTime() + allowedSkewMs ? new Date(ms) : receivedAt
}
