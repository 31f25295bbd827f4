// What a webhook consists of, after parsing.
import { maxIdLength } from './delivery.ts'
import { type JsonObject, TooDeep } from './json.ts'

export interface Place {
  /** Where in the payload, for a person: `entry[0].changes[2].value.messages[1]`. */
  path: string
  wabaId: string | undefined
  phoneNumberId: string | undefined
  /** The item as it stood in the payload. */
  raw: unknown
}

/** Somebody as a payload names them. */
export interface Person {
  waId: string | undefined
  userId: string | undefined
  name: string | undefined
  username: string | undefined
}

/** What a message does to an earlier one. */
export type MessageChange =
  | { kind: 'reaction'; target: string; emoji: string | undefined }
  | { kind: 'edit'; target: string; content: JsonObject }
  | { kind: 'revoke'; target: string }

export interface MessageItem extends Place {
  kind: 'message'
  wamid: string
  type: string
  direction: 'inbound' | 'outbound'
  /** `live`: just written. `echo`: sent from the business's own phone. `history`: from before the number was connected. */
  origin: 'live' | 'echo' | 'history'
  /** The contact; undefined when Meta names nobody. */
  contact: Person | undefined
  groupId: string | undefined
  timestamp: unknown
  /** How far a message from the past got, in our words. */
  pastStatus: string | undefined
  replyTo: string | undefined
  change: MessageChange | undefined
  /** Who the sender was before, when the message says that this changed. */
  newIdentity: Person | undefined
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

/** Something Meta says about an account, a template, a number or a person, apart from messages. */
export interface NoticeItem extends Place {
  kind: 'notice'
  field: string
  /** The field's own word for what happened. */
  event: string | undefined
  /** Names the number where the payload has no phone_number_id. */
  displayPhoneNumber: string | undefined
  contact: Person | undefined
  newIdentity: Person | undefined
  /** A call opens the service window like a message does. */
  opensWindow: boolean
  timestamp: unknown
  content: JsonObject
}

export interface MalformedItem extends Place {
  kind: 'malformed'
  reason: string
}

export type WebhookItem = MessageItem | StatusItem | NoticeItem | MalformedItem

export function malformed(place: Place, reason: string): MalformedItem {
  return { kind: 'malformed', ...place, reason }
}

/** An id as text; undefined when it is missing, too long, or not something Postgres can store. */
export function idText(value: unknown): string | undefined {
  // A number past 2^53 has lost digits: two ids would look like one.
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || text.length === 0 || text.length > maxIdLength) return undefined
  return text.isWellFormed() && !text.includes('\u0000') ? text : undefined
}

/** The phone-number id without the `+` that some fields write. */
export function waIdText(value: unknown): string | undefined {
  return idText(value)?.replace(/^\+/, '') || undefined
}

/** Nesting that would overflow a stack is one malformed item, not a failure of the delivery. */
export function guarded(place: Place, parse: () => WebhookItem[]): WebhookItem[] {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TooDeep) return [malformed(place, error.message)]
    throw error
  }
}

/** Each element of a list on its own; what stands where a list should be is one malformed item. */
export function listed(
  list: unknown,
  path: string,
  place: Place,
  parse: (element: unknown, at: Place) => WebhookItem[],
): WebhookItem[] {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    const name = path.slice(path.lastIndexOf('.') + 1)
    return [malformed({ ...place, path, raw: list }, `${name} is not an array`)]
  }
  return list.flatMap((element, index) => {
    const at = { ...place, path: `${path}[${index}]`, raw: element }
    return guarded(at, () => parse(element, at))
  })
}
