// @ts-check
// The messages of the open chat. Only what changed is drawn again, so focus and place stay.
import { bubble, contentKey, updateBubble } from './bubble.js'
import { byId, h } from './dom.js'
import { dayKey, dayName } from './format.js'

/** @typedef {import('./types.js').Chat} Chat */
/** @typedef {import('./types.js').Actions} Actions */

const thread = byId('thread', HTMLElement)
const fresh = byId('fresh', HTMLButtonElement)
const heard = byId('heard', HTMLElement)

/** @type {Map<string, { text: string, node: HTMLElement }>} */
let drawn = new Map()
let drawnChat = ''
let typingTimer = 0
let unseen = 0
/** Whether the person looks at the end of the chat, and wants to go on doing so. */
let atEnd = true

fresh.addEventListener('click', () => scrollToEnd())
thread.addEventListener('scroll', () => {
  atEnd = thread.scrollHeight - thread.scrollTop - thread.clientHeight < 48
  if (atEnd) showFresh(0)
})
// A picture that arrives and a keyboard that opens move the end; who was there stays there.
thread.addEventListener('load', keepEnd, true)
new ResizeObserver(keepEnd).observe(thread)

function keepEnd() {
  if (atEnd) scrollToEnd()
}

/**
 * @param {string} chatId
 * @param {Chat} chat
 * @param {Actions} actions
 */
export function showChat(chatId, chat, actions) {
  const sameChat = chatId === drawnChat
  const known = sameChat ? drawn : new Map()
  drawnChat = chatId
  /** @type {Node[]} */
  const nodes = []
  /** @type {typeof drawn} */
  const next = new Map()
  if (chat.forgotten > 0)
    nodes.push(h('p', { class: 'note' }, `${chat.forgotten} older messages are no longer kept`))
  let day = ''
  for (const message of chat.messages) {
    if (dayKey(message.at) !== day) {
      day = dayKey(message.at)
      nodes.push(h('h3', { class: 'day' }, dayName(message.at)))
    }
    const text = contentKey(message)
    const before = known.get(message.wamid)
    const node = before?.text === text ? before.node : bubble(message, actions)
    if (node === before?.node) updateBubble(node, message)
    next.set(message.wamid, { text, node })
    nodes.push(node)
  }
  drawn = next
  if (chat.messages.length === 0) nodes.push(emptyChat(chat))
  place(nodes, chat)
  if (sameChat) announce(chat, known)
  if (atEnd || !sameChat) scrollToEnd()
  else showFresh(unseen + chat.messages.filter(({ wamid }) => !known.has(wamid)).length)
}

/**
 * Moves only the nodes that are not in place already.
 * @param {Node[]} nodes
 * @param {Chat} chat
 */
function place(nodes, chat) {
  const typing = typingNode(chat)
  const wanted = typing === null ? nodes : [...nodes, typing]
  const kept = new Set(wanted)
  for (const child of [...thread.childNodes]) if (!kept.has(child)) child.remove()
  wanted.forEach((node, index) => {
    if (thread.childNodes[index] !== node)
      thread.insertBefore(node, thread.childNodes[index] ?? null)
  })
}

/** @param {Chat} chat */
function typingNode({ typing_until }) {
  clearTimeout(typingTimer)
  const leftMs = typing_until === null ? 0 : Date.parse(typing_until) - Date.now()
  if (leftMs <= 0) return null
  const dots = h(
    'p',
    { class: 'msg business typing', 'aria-label': 'The business is typing' },
    h('i'),
    h('i'),
    h('i'),
  )
  typingTimer = setTimeout(() => dots.remove(), leftMs)
  return dots
}

/** @param {Chat} chat */
function emptyChat(chat) {
  return h(
    'div',
    { class: 'empty' },
    h('b', {}, 'No messages yet'),
    h(
      'p',
      {},
      `Write as ${chat.customer.name}, and the gateway gets a webhook. What the business sends appears here.`,
    ),
  )
}

/**
 * @param {string} title
 * @param {string} words
 */
export function showNoChat(title, words) {
  drawnChat = ''
  drawn = new Map()
  thread.replaceChildren(h('div', { class: 'empty' }, h('b', {}, title), h('p', {}, words)))
  showFresh(0)
}

/**
 * Reads out what is new from the business, once; ticks that change are not worth a word.
 * @param {Chat} chat
 * @param {Map<string, unknown>} known
 */
function announce(chat, known) {
  const fromBusiness = chat.messages.filter(
    ({ from, wamid }) => from === 'business' && !known.has(wamid),
  )
  if (fromBusiness.length > 0 && chat.last?.from === 'business') heard.textContent = chat.last.text
}

export function scrollToEnd() {
  atEnd = true
  thread.scrollTop = thread.scrollHeight
  showFresh(0)
}

/** @param {number} count */
function showFresh(count) {
  unseen = count
  fresh.hidden = count === 0
  fresh.textContent = `${count} new`
}
