// @ts-check
// One message as a bubble: quote, content, time, ticks, reactions, and why it failed.
import { contentOf } from './content.js'
import { append, h, icon } from './dom.js'
import { clockTime, exactTime } from './format.js'

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Actions} Actions */

/** @type {Record<string, [Parameters<typeof icon>[0], string]>} */
const customerTicks = {
  pending: ['clock', 'Waits on the phone until it is online'],
  accepted: ['tick', 'Sent'],
  sent: ['tick', 'Sent; the gateway has not taken the webhook yet'],
  delivered: ['ticks', 'Delivered: the gateway took the webhook'],
  read: ['ticks', 'Read by the business'],
  failed: ['alert', 'Not delivered'],
}

/** @type {Record<string, [Parameters<typeof icon>[0], string]>} */
const businessTicks = {
  accepted: ['clock', 'Accepted by Meta, not sent yet'],
  sent: ['tick', 'Sent, not on the phone yet'],
  delivered: ['ticks', 'Delivered'],
  read: ['ticks', 'Read'],
  played: ['ticks', 'Played'],
  failed: ['alert', 'Failed'],
}

/**
 * @param {Message} message
 * @param {Actions} actions
 */
export function bubble(message, actions) {
  const content = contentOf(message, actions)
  return h(
    'article',
    {
      class: classesOf(message),
      'data-wamid': message.wamid,
      'aria-label': message.from === 'business' ? 'From the business' : 'From the customer',
    },
    forwardedMark(message),
    quoteOf(message),
    content.filter((node) => !isTaps(node)),
    meta(message),
    content.filter(isTaps),
    menuButton(message, actions),
    failure(message),
    reactionsOf(message),
  )
}

/**
 * Shows how far a message got without touching the rest of its bubble.
 * @param {HTMLElement} node
 * @param {Message} message
 */
export function updateBubble(node, message) {
  node.className = classesOf(message)
  node.querySelector(':scope > .meta')?.replaceWith(meta(message))
  for (const old of node.querySelectorAll(':scope > .why, :scope > .react')) old.remove()
  append(node, [failure(message), reactionsOf(message)])
}

/**
 * Equal for two states of a message that differ in nothing but what updateBubble shows.
 * @param {Message} message
 */
export function contentKey({ state: _state, error: _error, reactions: _reactions, ...rest }) {
  return JSON.stringify(rest)
}

/** @param {Message} message */
function classesOf({ from, state, type, reactions }) {
  const waiting = from === 'business' && (state === 'accepted' || state === 'sent')
  const reacted = reactions.business ?? reactions.customer
  return `msg ${from} ${state}${waiting ? ' waiting' : ''}${reacted ? ' has-react' : ''} type-${type}`
}

/**
 * What can be tapped stands below the time.
 * @param {Node | null} node
 */
function isTaps(node) {
  return node instanceof HTMLElement && node.classList.contains('taps')
}

/** @param {Message} message */
function forwardedMark({ context }) {
  if (!context?.forwarded && !context?.frequently_forwarded) return null
  return h('p', { class: 'tag' }, context.forwarded ? 'Forwarded' : 'Forwarded many times')
}

/** @param {Message} message */
function quoteOf({ quoted, context }) {
  if (quoted === undefined) {
    return context?.id
      ? h('blockquote', {}, h('span', { class: 'muted' }, 'A message that is not here'))
      : null
  }
  const who = quoted.from === 'business' ? 'Business' : 'Customer'
  return h('blockquote', {}, h('b', {}, who), h('span', {}, quoted.text))
}

/** @param {Message} message */
function meta(message) {
  const [sign, words] = (message.from === 'business' ? businessTicks : customerTicks)[
    message.state
  ] ?? ['clock', message.state]
  return h(
    'p',
    { class: 'meta' },
    message.edited && !message.deleted ? h('span', {}, 'Edited') : null,
    h('time', { datetime: message.at, title: exactTime(message.at) }, clockTime(message.at)),
    icon(sign, words),
  )
}

/** @param {Message} message */
function failure({ state, error }) {
  if (state !== 'failed') return null
  const code = error?.code ? `Code ${error.code}` : ''
  return h(
    'div',
    { class: 'why' },
    h('b', {}, 'Not delivered'),
    h('p', {}, error?.title ?? 'No reason was given.'),
    error?.details && plain(error.details) !== plain(error.title)
      ? h('p', {}, error.details)
      : null,
    code ? h('p', { class: 'muted num' }, code) : null,
  )
}

/**
 * Meta often says the same thing twice, with a full stop.
 * @param {string} words
 */
function plain(words) {
  return words.toLowerCase().replace(/\W+$/, '')
}

/** @param {Message} message */
function reactionsOf({ reactions }) {
  const shown = [reactions.business, reactions.customer].filter(Boolean)
  return shown.length === 0
    ? null
    : h('p', { class: 'react', 'aria-label': `Reactions: ${shown.join(' ')}` }, shown.join(''))
}

/**
 * @param {Message} message
 * @param {Actions} actions
 */
function menuButton(message, actions) {
  if (message.deleted || message.state === 'pending') return null
  const button = h(
    'button',
    {
      type: 'button',
      class: 'menu',
      'aria-label': 'Reply, react and more',
      'aria-haspopup': 'menu',
    },
    icon('more'),
  )
  button.addEventListener('click', () => actions.openMenu(message, button))
  return button
}
