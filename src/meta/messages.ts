// Messages and statuses: what contacts write, what the business wrote from its own phone, and what lies in the past.
import { isObject, type JsonObject, storable } from './json.ts'
import { parseNotices } from './notices.ts'
import { personFrom, personOf } from './persons.ts'
import {
  idText,
  listed,
  type MessageChange,
  type MessageItem,
  malformed,
  type Person,
  type Place,
  type StatusItem,
  type WebhookItem,
  waIdText,
} from './webhook-item.ts'

export function parseMessage(message: unknown, place: Place, contacts: JsonObject[]): WebhookItem {
  const base = messageBase(message, place)
  if (base.kind === 'malformed') return base
  const { from, from_user_id, group_id, ...content } = base.content
  const contact = personOf(waIdText(from), idText(from_user_id), contacts)
  return {
    ...base,
    content,
    contact: contact.waId === undefined && contact.userId === undefined ? undefined : contact,
    groupId: idText(group_id),
    newIdentity: base.type === 'system' ? newIdentityOf(content.system) : undefined,
  }
}

/** Written by the business on its own phone: outbound, and not to be answered. */
export function parseEcho(message: unknown, place: Place): WebhookItem {
  const base = messageBase(message, place)
  if (base.kind === 'malformed') return base
  const { from: _business, to, to_user_id, group_id, ...content } = base.content
  return {
    ...base,
    content,
    direction: 'outbound',
    origin: 'echo',
    contact: personFrom(waIdText(to), idText(to_user_id)),
    groupId: idText(group_id),
  }
}

/** Two shapes: threads of messages, or messages alone (the media that the threads only announced). */
export function parseHistory(value: JsonObject, place: Place, entryTime: unknown): WebhookItem[] {
  const business = isObject(value.metadata)
    ? waIdText(value.metadata.display_phone_number)
    : undefined
  const past = (list: unknown, path: string, thread: string | undefined): WebhookItem[] =>
    listed(list, path, place, (message, at) => [parsePast(message, at, business, thread)])
  const chunks = listed(value.history, `${place.path}.value.history`, place, (chunk, at) => {
    if (!isObject(chunk)) return [malformed(at, 'the chunk is not an object')]
    const threads = listed(chunk.threads, `${at.path}.threads`, place, (thread, threadAt) =>
      isObject(thread)
        ? past(thread.messages, `${threadAt.path}.messages`, waIdText(thread.id))
        : [malformed(threadAt, 'the thread is not an object')],
    )
    // The business did not share its history: that is news about the account.
    const refused = Array.isArray(chunk.errors)
      ? parseNotices('history', { ...value, history: undefined, ...chunk }, at, entryTime)
      : []
    return [...threads, ...refused]
  })
  const items = [...past(value.messages, `${place.path}.value.messages`, undefined), ...chunks]
  return items.length > 0 ? items : parseNotices('history', value, place, entryTime)
}

function parsePast(
  message: unknown,
  place: Place,
  business: string | undefined,
  thread: string | undefined,
): WebhookItem {
  const base = messageBase(message, place)
  if (base.kind === 'malformed') return base
  const { from, to, group_id, history_context, ...content } = base.content
  const isOurs = waIdText(from) === business && business !== undefined
  const status = isObject(history_context) ? history_context.status : undefined
  return {
    ...base,
    content,
    direction: isOurs ? 'outbound' : 'inbound',
    origin: 'history',
    contact: personFrom(thread ?? waIdText(isOurs ? to : from), undefined),
    groupId: idText(group_id),
    pastStatus: typeof status === 'string' ? status.toLowerCase() : undefined,
  }
}

export function parseStatus(status: unknown, place: Place): WebhookItem {
  if (!isObject(status)) return malformed(place, 'the status is not an object')
  const wamid = idText(status.id)
  if (!wamid) return malformed(place, 'the status has no usable id')
  const { id: _id, status: value, timestamp, ...details } = storable(status) as JsonObject
  if (typeof value !== 'string' || value.length === 0 || value.length > 64) {
    return malformed(place, 'the status has no usable value')
  }
  const item: StatusItem = {
    kind: 'status',
    ...place,
    wamid,
    status: value,
    participant: idText(details.recipient_participant_id) ?? '',
    timestamp,
    details,
  }
  return item
}

/** What every message has; `content` still holds who it is from. */
function messageBase(message: unknown, place: Place): MessageItem | ReturnType<typeof malformed> {
  if (!isObject(message)) return malformed(place, 'the message is not an object')
  const wamid = idText(message.id)
  if (!wamid) return malformed(place, 'the message has no usable id')
  const { id: _id, timestamp, type, ...content } = storable(message) as JsonObject
  const kind = typeof type === 'string' && type.length > 0 && type.length <= 64 ? type : 'unknown'
  return {
    kind: 'message',
    ...place,
    wamid,
    type: kind,
    direction: 'inbound',
    origin: 'live',
    contact: undefined,
    groupId: undefined,
    timestamp,
    pastStatus: undefined,
    replyTo: isObject(content.context) ? idText(content.context.id) : undefined,
    change: changeOf(kind, content),
    newIdentity: undefined,
    content,
  }
}

/** Reactions, edits and revocations act on the message they name. */
function changeOf(type: string, content: JsonObject): MessageChange | undefined {
  const body = content[type]
  if (!isObject(body)) return undefined
  if (type === 'reaction') {
    const target = idText(body.message_id)
    // Removed: the key is absent, or in some libraries' words the empty string.
    const emoji = typeof body.emoji === 'string' && body.emoji !== '' ? body.emoji : undefined
    return target === undefined ? undefined : { kind: 'reaction', target, emoji }
  }
  const target = idText(body.original_message_id)
  if (target === undefined) return undefined
  if (type === 'revoke') return { kind: 'revoke', target }
  if (type !== 'edit' || !isObject(body.message)) return undefined
  const { type: _type, ...edited } = body.message
  return { kind: 'edit', target, content: edited }
}

/** `from` is the sender's old id; this is the new one. Older payloads say new_wa_id. */
function newIdentityOf(system: unknown): Person | undefined {
  if (!isObject(system)) return undefined
  return personFrom(waIdText(system.wa_id) ?? waIdText(system.new_wa_id), idText(system.user_id))
}
