// @ts-check
// Whose phone it is, and its settings: online, read receipts, blocked.
import { byId, h, icon, initials, refocus } from './dom.js'
import { contactLine } from './format.js'

const head = byId('chat-head', HTMLElement)
let drawn = ''

/**
 * @param {import('./types.js').Customer} customer
 * @param {string} number
 * @param {{ back(): void, set(settings: object): void, block(blocked: boolean): void }} actions
 */
export function showHead(customer, number, actions) {
  const blocked = customer.blocked.includes(number)
  const text = JSON.stringify([
    customer.key,
    customer.name,
    customer.online,
    customer.read_receipts,
    blocked,
    number,
  ])
  if (text === drawn) return
  drawn = text
  const focused = document.activeElement?.getAttribute('data-setting')
  head.replaceChildren(
    h(
      'button',
      {
        type: 'button',
        class: 'iconbtn back',
        'aria-label': 'Back to the customers',
        onclick: actions.back,
      },
      icon('back'),
    ),
    h('span', { class: 'avatar', 'aria-hidden': 'true' }, initials(customer.name)),
    h(
      'div',
      { class: 'who' },
      h('h2', { class: 'cut' }, customer.name),
      h('p', { class: 'cut muted' }, contactLine(customer)),
    ),
    h(
      'div',
      { class: 'switches' },
      toggle('online', 'Online', customer.online, (on) => actions.set({ online: on })),
      toggle(
        'receipts',
        'Receipts',
        customer.read_receipts,
        (on) => actions.set({ read_receipts: on }),
        'Read receipts',
      ),
      toggle('blocked', 'Block', blocked, actions.block, 'Block the business'),
    ),
  )
  refocus(head, 'data-setting', focused)
}

export function hideHead() {
  drawn = ''
  head.replaceChildren(h('h2', {}, 'Chat'))
}

/**
 * @param {string} name
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} change
 * @param {string} [longLabel]
 */
function toggle(name, label, on, change, longLabel = label) {
  return h(
    'button',
    {
      type: 'button',
      role: 'switch',
      class: `switch ${name}`,
      'data-setting': name,
      'aria-checked': String(on),
      'aria-label': longLabel,
      title: longLabel,
      onclick: () => change(!on),
    },
    h('span', { class: 'knob', 'aria-hidden': 'true' }),
    label,
  )
}
