// @ts-check
// A small menu beside the button that opened it; arrows move, Escape closes.
import { h } from './dom.js'

/** @typedef {{ label: string, act(): unknown, hint?: string }} MenuEntry */

/**
 * @param {HTMLElement} anchor
 * @param {MenuEntry[]} entries
 * @param {MenuEntry[]} [quick] shown as one row of signs above the entries
 */
export function openMenu(anchor, entries, quick = []) {
  document.querySelector('.popmenu')?.remove()
  const menu = h(
    'div',
    { class: 'popmenu', role: 'menu', popover: 'auto' },
    quick.length === 0
      ? null
      : h('div', { class: 'quick' }, ...quick.map((entry) => item(entry, menuOf))),
    ...entries.map((entry) => item(entry, menuOf)),
  )
  function menuOf() {
    menu.hidePopover()
  }
  menu.addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState !== 'closed') return
    menu.remove()
    if (document.activeElement === document.body) anchor.focus()
  })
  menu.addEventListener('keydown', moveWithArrows)
  document.body.append(menu)
  menu.showPopover()
  placeBeside(menu, anchor)
  menu.querySelector('button')?.focus()
}

/**
 * @param {MenuEntry} entry
 * @param {() => void} close
 */
function item({ label, act, hint }, close) {
  return h(
    'button',
    {
      type: 'button',
      role: 'menuitem',
      'aria-label': hint,
      onclick: () => {
        close()
        act()
      },
    },
    label,
  )
}

/** @param {KeyboardEvent} event */
function moveWithArrows(event) {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
  if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll('button')]
  const index = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement))
  items[(index + step + items.length) % items.length]?.focus()
}

/**
 * @param {HTMLElement} menu
 * @param {HTMLElement} anchor
 */
function placeBeside(menu, anchor) {
  const from = anchor.getBoundingClientRect()
  const { width, height } = menu.getBoundingClientRect()
  const left = Math.min(Math.max(8, from.left), window.innerWidth - width - 8)
  const below = from.bottom + 4
  const top = below + height > window.innerHeight - 8 ? Math.max(8, from.top - height - 4) : below
  menu.style.left = `${left}px`
  menu.style.top = `${top}px`
}
