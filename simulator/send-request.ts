// Reads the body of POST /{phone-number-id}/messages. Checks the basics that Meta refuses at once.
import { invalidParameter, invalidRequest, missingParameter } from './graph-errors.ts'
import { digitsOf, isBusinessScopedUserId } from './identifiers.ts'
import type { Recipient } from './ledger.ts'

export type SendRequest =
  | { kind: 'read'; messageId: string; typingIndicator: boolean }
  | { kind: 'message'; type: string; recipient: Recipient; callbackData?: string; body: Fields }

type Fields = Record<string, unknown>

const maxTextLength = 4096
const maxCallbackDataLength = 512

// The keys Meta insists on inside each type's object; media need one of two, checked apart.
const requiredKeys = new Map<string, readonly string[]>([
  ['text', ['body']],
  ['image', []],
  ['audio', []],
  ['video', []],
  ['document', []],
  ['sticker', []],
  ['location', ['latitude', 'longitude']],
  ['contacts', []],
  ['reaction', ['message_id']],
  ['interactive', ['type', 'action']],
  ['template', ['name', 'language']],
])

const mediaTypes = new Set(['image', 'audio', 'video', 'document', 'sticker'])

export function readSendRequest(input: unknown): SendRequest {
  const body = isFields(input) ? input : {}
  if (body.messaging_product !== 'whatsapp') {
    throw invalidRequest('The parameter messaging_product is required.')
  }
  if (body.status !== undefined) return readMarkAsRead(body)
  const recipient = readRecipient(body)
  const type = readType(body)
  checkContent(type, body[type])
  const callbackData = readCallbackData(body)
  return { kind: 'message', type, recipient, ...callbackData, body }
}

function readMarkAsRead(body: Fields): SendRequest {
  if (body.status !== 'read') throw invalidParameter('status must be "read".')
  if (typeof body.message_id !== 'string') throw missingParameter('message_id')
  const typing = body.typing_indicator
  if (typing !== undefined && !(isFields(typing) && typing.type === 'text')) {
    throw invalidParameter('typing_indicator.type must be "text".')
  }
  return { kind: 'read', messageId: body.message_id, typingIndicator: typing !== undefined }
}

function readRecipient({ to, recipient }: Fields): Recipient {
  // When both are given the phone number wins.
  if (to !== undefined) {
    if (typeof to !== 'string') throw invalidParameter('to must be a string.')
    // A user id belongs in `recipient`. In `to` Meta accepts it and then drops the message, so this
    // recipient gets neither wa_id nor user_id.
    if (isBusinessScopedUserId(to)) return { input: to }
    if (!/^\+?[\d\s().-]+$/.test(to) || !/^\d{5,20}$/.test(digitsOf(to))) {
      throw invalidParameter('to is not a valid phone number.')
    }
    return { input: to, wa_id: digitsOf(to) }
  }
  if (recipient === undefined) throw missingParameter('to')
  if (typeof recipient !== 'string' || !isBusinessScopedUserId(recipient)) {
    throw invalidParameter('recipient is not a valid business-scoped user ID.')
  }
  return { input: recipient, user_id: recipient }
}

function readType({ type }: Fields): string {
  if (type === undefined) throw missingParameter('type')
  if (typeof type !== 'string' || !requiredKeys.has(type)) {
    throw invalidParameter(`type must be one of ${[...requiredKeys.keys()].join(', ')}.`)
  }
  return type
}

function checkContent(type: string, content: unknown): void {
  if (content === undefined) throw missingParameter(type)
  if (type === 'contacts') {
    if (!Array.isArray(content) || content.length === 0) {
      throw invalidParameter('contacts must be a non-empty array.')
    }
    return
  }
  if (!isFields(content)) throw invalidParameter(`${type} must be an object.`)
  for (const key of requiredKeys.get(type) ?? []) {
    if (content[key] === undefined) throw missingParameter(`${type}.${key}`)
  }
  if (mediaTypes.has(type) && content.id === undefined && content.link === undefined) {
    throw missingParameter(`${type}.id`)
  }
  if (type === 'text') checkText(content.body)
}

function checkText(body: unknown): void {
  if (typeof body !== 'string' || body === '') {
    throw invalidParameter('text.body must be a non-empty string.')
  }
  if (body.length > maxTextLength) {
    throw invalidParameter(`text.body must be at most ${maxTextLength} characters long.`)
  }
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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
