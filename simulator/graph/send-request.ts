// Reads the body of POST /{phone-number-id}/messages: whom it is for, what it is, and everything
// that Meta refuses at once. What Meta only finds out later is in foresee.ts.
import { digitsOf, isBusinessScopedUserId } from '../identifiers.ts'
import type { Recipient } from '../ledger.ts'
import { reachedBy } from '../phone-numbers.ts'
import { invalidParameter, missingParameter, refusal } from '../whatsapp-errors.ts'
import { checkObject, checkText } from './checks.ts'
import { checkContent, type MessageType, messageTypes } from './content-checks.ts'
import { invalidRequest } from './errors.ts'
import { type Fields, isFields } from './fields.ts'
import type { MediaLookup } from './media-reference.ts'

export type SendRequest = ReadRequest | MessageRequest

export interface ReadRequest {
  kind: 'read'
  messageId: string
  typingIndicator: boolean
}

export interface MessageRequest {
  kind: 'message'
  type: MessageType
  recipient: Recipient
  callbackData?: string
  /** False: a file in it cannot be sent this way, which Meta notices after accepting. */
  hasUsableMedia: boolean
  body: Fields
}

const maxCallbackDataLength = 512

export function readSendRequest(input: unknown, lookup: MediaLookup): SendRequest {
  const body = isFields(input) ? input : {}
  if (body.messaging_product !== 'whatsapp') {
    throw invalidRequest('The parameter messaging_product is required.')
  }
  if (body.status !== undefined) return readMarkAsRead(body)
  const recipient = readRecipient(body, lookup.number.display_phone_number)
  const type = readType(body)
  const hasUsableMedia = checkContent(type, body, lookup)
  if (body.context !== undefined) {
    checkText(checkObject(body, 'context', 'context'), 'message_id', 'context.message_id')
  }
  const callbackData = readCallbackData(body)
  return { kind: 'message', type, recipient, ...callbackData, hasUsableMedia, body }
}

function readMarkAsRead(body: Fields): ReadRequest {
  if (body.status !== 'read') throw invalidParameter('status must be "read".')
  const messageId = checkText(body, 'message_id', 'message_id')
  const typing = body.typing_indicator
  if (typing !== undefined && !(isFields(typing) && typing.type === 'text')) {
    throw invalidParameter('typing_indicator.type must be "text".')
  }
  return { kind: 'read', messageId, typingIndicator: typing !== undefined }
}

function readRecipient(body: Fields, businessNumber: string): Recipient {
  const { to, recipient, recipient_type: type = 'individual' } = body
  if (type !== 'individual' && type !== 'group') {
    throw invalidParameter('recipient_type must be "individual" or "group".')
  }
  // Nobody makes groups here, so no id can be the id of one.
  if (type === 'group') throw refusal(131041)
  // When both are given the phone number wins.
  if (to !== undefined) {
    if (typeof to !== 'string') throw invalidParameter('to must be a string.')
    // A user id belongs in `recipient`. In `to` Meta accepts it and then drops the message, so this
    // recipient gets neither wa_id nor user_id.
    if (isBusinessScopedUserId(to)) return { input: to }
    if (!/^\+?[\d\s().-]+$/.test(to) || !/^\d{5,20}$/.test(digitsOf(to))) {
      throw invalidParameter('to is not a valid phone number.')
    }
    const digits = reachedBy(to, businessNumber)
    if (digits === digitsOf(businessNumber)) throw refusal(131021)
    return { input: to, wa_id: digits }
  }
  if (recipient === undefined) throw missingParameter('to')
  if (typeof recipient !== 'string' || !isBusinessScopedUserId(recipient)) {
    throw invalidParameter('recipient is not a valid business-scoped user ID.')
  }
  return { input: recipient, user_id: recipient }
}

function readType({ type }: Fields): MessageType {
  if (type === undefined) throw missingParameter('type')
  const known = messageTypes.find((each) => each === type)
  if (known === undefined) {
    throw refusal(131051, `Message type is not supported: type must be one of ${messageTypes}.`)
  }
  return known
}

function readCallbackData({ biz_opaque_callback_data: data }: Fields): { callbackData?: string } {
  if (data === undefined) return {}
  if (typeof data !== 'string' || data.length > maxCallbackDataLength) {
    throw invalidParameter(
      `biz_opaque_callback_data must be a string of at most ${maxCallbackDataLength} characters.`,
    )
  }
  return { callbackData: data }
}
