// The rules of every kind of message but interactive ones and templates.
import { isMediaKind, type MediaKind } from '../media-types.ts'
import { invalidParameter, missingParameter } from '../whatsapp-errors.ts'
import { checkArray, checkObject, checkText, refuseKeys } from './checks.ts'
import { type Fields, isFields } from './fields.ts'
import { checkInteractive } from './interactive-checks.ts'
import { checkMediaReference, type MediaLookup } from './media-reference.ts'

const maxTextLength = 4096
const maxCaptionLength = 1024
const maxContacts = 257

export const messageTypes = [
  'text',
  'image',
  'audio',
  'video',
  'document',
  'sticker',
  'location',
  'contacts',
  'reaction',
  'interactive',
  'template',
] as const

export type MessageType = (typeof messageTypes)[number]

/** Returns false when Meta would accept the message and only then find its file unusable. */
export function checkContent(type: MessageType, body: Fields, lookup: MediaLookup): boolean {
  if (type === 'contacts') {
    checkContacts(body)
    return true
  }
  const content = checkObject(body, type, type)
  if (isMediaKind(type)) return checkMedia(type, content, lookup)
  if (type === 'text') checkTextMessage(content)
  else if (type === 'location') checkLocation(content, 'location')
  else if (type === 'reaction') checkReaction(content)
  else if (type === 'interactive') return checkInteractive(content, lookup)
  return true
}

function checkTextMessage(content: Fields): void {
  checkText(content, 'body', 'text.body', { max: maxTextLength })
  if (content.preview_url !== undefined && typeof content.preview_url !== 'boolean') {
    throw invalidParameter('text.preview_url must be a boolean.')
  }
}

/** What belongs to one kind of file only. */
const foreignKeys: Record<MediaKind, string[]> = {
  image: ['filename', 'voice'],
  video: ['filename', 'voice'],
  document: ['voice'],
  audio: ['caption', 'filename'],
  sticker: ['caption', 'filename', 'voice'],
}

function checkMedia(kind: MediaKind, content: Fields, lookup: MediaLookup): boolean {
  refuseKeys(content, foreignKeys[kind], kind)
  checkText(content, 'caption', `${kind}.caption`, { max: maxCaptionLength, optional: true })
  checkText(content, 'filename', `${kind}.filename`, { max: 240, optional: true })
  if (content.voice !== undefined && typeof content.voice !== 'boolean') {
    throw invalidParameter('audio.voice must be a boolean.')
  }
  return checkMediaReference(content, kind, kind, lookup)
}

export function checkLocation(content: Fields, path: string): void {
  checkCoordinate(content, 'latitude', path, 90)
  checkCoordinate(content, 'longitude', path, 180)
  checkText(content, 'name', `${path}.name`, { max: 1000, optional: true })
  checkText(content, 'address', `${path}.address`, { max: 1000, optional: true })
}

function checkCoordinate(content: Fields, key: string, path: string, limit: number): void {
  const value = content[key]
  if (value === undefined) throw missingParameter(`${path}.${key}`)
  // Meta's own examples have them as strings.
  const degrees = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof degrees !== 'number' || !(Math.abs(degrees) <= limit)) {
    throw invalidParameter(`${path}.${key} must be a number from -${limit} to ${limit}.`)
  }
}

function checkContacts(body: Fields): void {
  const contacts = checkArray(body, 'contacts', 'contacts', [1, maxContacts])
  for (const [index, contact] of contacts.entries()) {
    const path = `contacts[${index}]`
    const name = checkObject(contact, 'name', `${path}.name`)
    checkText(name, 'formatted_name', `${path}.name.formatted_name`)
    for (const list of ['phones', 'emails', 'addresses', 'urls']) {
      const value = contact[list]
      if (value !== undefined && !(Array.isArray(value) && value.every(isFields))) {
        throw invalidParameter(`${path}.${list} must be an array of objects.`)
      }
    }
  }
}

function checkReaction(content: Fields): void {
  checkText(content, 'message_id', 'reaction.message_id')
  const { emoji } = content
  if (emoji === undefined) throw missingParameter('reaction.emoji')
  // An empty one takes the reaction back.
  if (typeof emoji !== 'string' || (emoji !== '' && !/^\p{Emoji}[^\s\w]{0,30}$/u.test(emoji))) {
    throw invalidParameter('reaction.emoji must be one emoji, or empty.')
  }
}
