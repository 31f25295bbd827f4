// @ts-check
// Times, names and WhatsApp's own text marks, for reading.
import { h } from './dom.js'

/** @param {string} at */
export function clockTime(at) {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

/** @param {string} at */
export function exactTime(at) {
  return new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })
}

/** @param {string} at */
export function dayKey(at) {
  return new Date(at).toDateString()
}

/** @param {string} at */
export function dayName(at) {
  const day = new Date(at)
  const daysAgo = Math.round((midnight(new Date()) - midnight(day)) / 86_400_000)
  if (daysAgo === 0) return 'Today'
  if (daysAgo === 1) return 'Yesterday'
  return day.toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' })
}

/** @param {Date} date */
function midnight(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}

/** @param {string} at */
export function shortWhen(at) {
  const name = dayName(at)
  return name === 'Today' ? clockTime(at) : name
}

/** @param {{ wa_id?: string, user_id?: string, username?: string }} customer */
export function contactLine({ wa_id, user_id, username }) {
  const id = wa_id === undefined ? (user_id ?? '') : `+${wa_id}`
  return username === undefined ? id : `${id} · @${username.replace(/^@/, '')}`
}

/**
 * The marks people type in WhatsApp, and addresses as links.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function formatText(text) {
  const marks =
    /```([^`]+)```|`([^`\n]+)`|(?<!\w)\*(\S(?:[^*\n]*\S)?)\*(?!\w)|(?<!\w)_(\S(?:[^_\n]*\S)?)_(?!\w)|(?<!\w)~(\S(?:[^~\n]*\S)?)~(?!\w)|(https?:\/\/[^\s<>"']+)/g
  /** @type {(Node | string)[]} */
  const nodes = []
  let end = 0
  for (const match of text.matchAll(marks)) {
    nodes.push(text.slice(end, match.index))
    nodes.push(markedNode(match))
    end = match.index + match[0].length
  }
  nodes.push(text.slice(end))
  return nodes
}

/** @param {RegExpMatchArray} match */
function markedNode([, block, code, bold, italic, struck, url]) {
  if (block ?? code) return h('code', {}, block ?? code)
  if (bold) return h('strong', {}, bold)
  if (italic) return h('em', {}, italic)
  if (struck) return h('s', {}, struck)
  return outsideLink(url ?? '', url ?? '')
}

/**
 * A link that leaves the page; anything but http(s) stays plain text.
 * @param {string} url
 * @param {string} text
 */
export function outsideLink(url, text) {
  if (!/^https?:\/\//i.test(url)) return h('span', {}, text)
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, text)
}
