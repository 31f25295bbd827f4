// A webhook's bytes into items: one message, one status, one notice of another kind, or one thing that is none of these.
// Unknown types, fields and statuses are items like any other: Meta adds them without notice.
import { isObject, type JsonObject, parseJson } from './json.ts'
import { parseEcho, parseHistory, parseMessage, parseStatus } from './messages.ts'
import { parseNotices } from './notices.ts'
import { guarded, idText, listed, malformed, type Place, type WebhookItem } from './webhook-item.ts'

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
    parseChange(
      change,
      { ...place, path: `${path}.changes[${index}]`, wabaId, raw: change },
      entry.time,
    ),
  )
}

function parseChange(change: unknown, place: Place, entryTime: unknown): WebhookItem[] {
  if (!isObject(change)) return [malformed(place, 'the change is not an object')]
  const value = change.value
  if (!isObject(value)) return [malformed(place, 'value is not an object')]
  // One of Meta's samples has `field` inside `value`.
  const named = typeof change.field === 'string' ? change.field : value.field
  const field =
    typeof named === 'string' && named.length <= 64 ? (idText(named) ?? 'unknown') : 'unknown'
  const at = {
    ...place,
    phoneNumberId: isObject(value.metadata) ? idText(value.metadata.phone_number_id) : undefined,
  }
  return guarded(at, () => parseField(field, value, at, entryTime))
}

function parseField(
  field: string,
  value: JsonObject,
  place: Place,
  entryTime: unknown,
): WebhookItem[] {
  const contacts = Array.isArray(value.contacts) ? value.contacts.filter(isObject) : []
  switch (field) {
    case 'messages': {
      const items = [
        ...parseList(value, 'messages', place, (item, at) => parseMessage(item, at, contacts)),
        ...parseList(value, 'statuses', place, parseStatus),
        ...(Array.isArray(value.errors) ? parseNotices('errors', value, place, entryTime) : []),
      ]
      return items.length > 0 ? items : parseNotices(field, value, place, entryTime)
    }
    case 'smb_message_echoes':
    case 'message_echoes': {
      const echoes = parseList(value, 'message_echoes', place, parseEcho)
      return echoes.length > 0 ? echoes : parseNotices(field, value, place, entryTime)
    }
    case 'history':
      return parseHistory(value, place, entryTime)
    default:
      return parseNotices(field, value, place, entryTime)
  }
}

function parseList(
  value: JsonObject,
  name: string,
  place: Place,
  parse: (item: unknown, place: Place) => WebhookItem,
): WebhookItem[] {
  return listed(value[name], `${place.path}.value.${name}`, place, (item, at) => [parse(item, at)])
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
