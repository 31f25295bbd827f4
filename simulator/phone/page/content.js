// @ts-check
// What is inside a bubble, by type of message.
import { h, icon } from './dom.js'
import { formatText, outsideLink } from './format.js'
import { mediaBlock } from './media.js'
import { interactiveParts, templateParts } from './tappable.js'

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Actions} Actions */

/**
 * @param {Message} message
 * @param {Actions} actions
 * @returns {(Node | null)[]}
 */
export function contentOf(message, actions) {
  if (message.deleted) {
    return [h('p', { class: 'gone' }, icon('gone'), ' This message was deleted')]
  }
  const content = message.content ?? {}
  switch (message.type) {
    case 'text':
      return [textBlock(content.body)]
    case 'button':
      return [textBlock(content.text)]
    case 'image':
    case 'sticker':
    case 'video':
    case 'audio':
    case 'document':
      return [mediaBlock(message.type, content), captionBlock(content.caption)]
    case 'location':
      return [locationBlock(content)]
    case 'contacts':
      return contactBlocks(message.content)
    case 'interactive':
      return interactiveParts(message, actions)
    case 'template':
      return templateParts(message, actions)
    default:
      return [unknownBlock(message)]
  }
}

/** @param {unknown} text */
export function textBlock(text) {
  return h('p', { class: 'words' }, formatText(typeof text === 'string' ? text : ''))
}

/** @param {unknown} caption */
function captionBlock(caption) {
  return typeof caption === 'string' && caption !== '' ? textBlock(caption) : null
}

/** @param {any} place */
function locationBlock(place) {
  const { latitude, longitude } = place
  const map = `https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}&zoom=15`
  return h(
    'div',
    { class: 'filebox' },
    h('span', { class: 'sign' }, icon('pin')),
    h(
      'span',
      {},
      h('b', {}, place.name ?? 'Location'),
      h('small', {}, place.address ?? ''),
      h('small', { class: 'num' }, outsideLink(map, `${Number(latitude)}, ${Number(longitude)}`)),
    ),
  )
}

/** @param {any} contacts */
function contactBlocks(contacts) {
  const list = Array.isArray(contacts) ? contacts : []
  return list.map((contact) =>
    h(
      'div',
      { class: 'filebox' },
      h('span', { class: 'sign' }, icon('person')),
      h(
        'span',
        {},
        h('b', {}, String(contact?.name?.formatted_name ?? 'Contact')),
        ...(contact?.phones ?? []).map((/** @type {any} */ phone) =>
          h('small', {}, String(phone?.phone ?? '')),
        ),
      ),
    ),
  )
}

/** @param {Message} message */
function unknownBlock(message) {
  return h(
    'details',
    { class: 'raw' },
    h('summary', {}, `Message of type ${message.type}`),
    h('pre', {}, JSON.stringify(message.content, null, 2)),
  )
}
