// @ts-check
// Building elements. Text always goes in as text, so nothing a person wrote can become markup.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [props] `class`, attributes, or `on…` listeners
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) setProp(element, name, value)
  append(element, children)
  return element
}

/**
 * @param {Element} element
 * @param {(Child | Child[])[]} children
 */
export function append(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child)
  }
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
function setProp(element, name, value) {
  if (value === undefined || value === null || value === false) return
  if (name.startsWith('on') && typeof value === 'function') {
    element.addEventListener(name.slice(2), /** @type {EventListener} */ (value))
  } else if (name === 'value' && 'value' in element) {
    element.value = value
  } else {
    element.setAttribute(name, value === true ? '' : String(value))
  }
}

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new (...args: never[]) => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`bug: no ${kind.name} with the id ${id}`)
  return element
}

/** Drawn in a box of 20 units with a stroke of 1.5. */
const shapes = {
  clock: ['M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12', 'M10 7v3l2 1.5'],
  tick: ['M4.5 10.5 8 14l7.5-8'],
  ticks: ['M2 10.5 5.5 14 13 6', 'M9.5 13.5l.5.5 7.5-8'],
  alert: ['M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13', 'M10 7v3.5', 'M10 13v.1'],
  back: ['M12 4.5 6.5 10l5.5 5.5'],
  more: ['M5 10h.1', 'M10 10h.1', 'M15 10h.1'],
  attach: [
    'M15.5 9.5 10 15a3.5 3.5 0 0 1-5-5l6-6a2.3 2.3 0 0 1 3.3 3.3l-5.8 5.8a1 1 0 0 1-1.5-1.5l5-5',
  ],
  send: ['M3.5 10 16.5 4l-4 12.5-3-5z', 'M9.5 11.5l7-7.5'],
  close: ['M5.5 5.5l9 9', 'M14.5 5.5l-9 9'],
  reply: ['M8 5 4 9l4 4', 'M4 9h7a5 5 0 0 1 5 5v1'],
  file: ['M5.5 3.5h6l3 3v10h-9z', 'M11.5 3.5v3h3'],
  pin: [
    'M10 17s5-4.6 5-8.5a5 5 0 0 0-10 0C5 12.4 10 17 10 17',
    'M10 10.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4',
  ],
  person: ['M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6', 'M4.5 16.5a5.5 5.5 0 0 1 11 0'],
  image: ['M3.5 4.5h13v11h-13z', 'M4 13.5l4-4 3 3 2-2 3.5 3.5'],
  play: ['M7 5l8 5-8 5z'],
  list: ['M7.5 6h8', 'M7.5 10h8', 'M7.5 14h8', 'M4.5 6h.1', 'M4.5 10h.1', 'M4.5 14h.1'],
  link: [
    'M8.5 11.5a3 3 0 0 0 4.2 0l2.3-2.3a3 3 0 0 0-4.2-4.2l-1 1',
    'M11.5 8.5a3 3 0 0 0-4.2 0L5 10.8A3 3 0 0 0 9.200 15l1-1',
  ],
  phone: [
    'M7 3.500h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1',
    'M9.500 14h1',
  ],
  gone: ['M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12', 'M6 14l8-8'],
}

/**
 * @param {keyof typeof shapes} name
 * @param {string} [label] read out; without one the icon is decoration
 */
export function icon(name, label) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('class', 'i')
  if (label === undefined) svg.setAttribute('aria-hidden', 'true')
  else {
    svg.setAttribute('role', 'img')
    svg.setAttribute('aria-label', label)
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title')
    title.textContent = label
    svg.append(title)
  }
  for (const shape of shapes[name]) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
    path.setAttribute('d', shape)
    svg.append(path)
  }
  return svg
}

/** @param {string} name */
export function initials(name) {
  const words = name
    .replace(/[^\p{L}\p{N} ]/gu, '')
    .split(/\s+/)
    .filter(Boolean)
  return (
    words
      .slice(0, 2)
      .map((word) => [...word][0]?.toUpperCase() ?? '')
      .join('') || '?'
  )
}

/**
 * Gives the focus back to what replaced the element that had it.
 * @param {Element} inside
 * @param {string} attribute
 * @param {string | null | undefined} value
 */
export function refocus(inside, attribute, value) {
  if (!value) return
  const element = inside.querySelector(`[${attribute}="${CSS.escape(value)}"]`)
  if (element instanceof HTMLElement) element.focus()
}

/** @type {Promise<void> | null} */
let press = null

/** Longer than any click; a press whose end was never heard must not stop the page. */
const longestPressMs = 2000

document.addEventListener(
  'pointerdown',
  () => {
    press = new Promise((resolve) => {
      const end = () => {
        press = null
        resolve()
      }
      // After the click that follows, which needs the element that was pressed.
      const up = () => setTimeout(end)
      document.addEventListener('pointerup', up, { once: true, capture: true })
      document.addEventListener('pointercancel', up, { once: true, capture: true })
      setTimeout(end, longestPressMs)
    })
  },
  true,
)

/** To be awaited before anything is drawn anew: what is being clicked must not be replaced. */
export async function released() {
  if (press !== null) await press
}
