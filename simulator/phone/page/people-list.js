// @ts-check
// The customers whose phone can be picked up, newest talk first.
import { byId, h, icon, initials, refocus } from './dom.js'
import { contactLine, exactTime, shortWhen } from './format.js'

/** @typedef {import('./types.js').Customer} Customer */

const list = byId('people', HTMLElement)
const maxRows = 200

/**
 * @param {Customer[]} customers
 * @param {{ number: string | undefined, customer: string | undefined }} chosen
 * @param {(customer: Customer) => void} choose
 */
export function showPeople(customers, { number, customer: current }, choose) {
  if (customers.length === 0) {
    list.replaceChildren(
      h(
        'div',
        { class: 'empty' },
        h('b', {}, 'No customers yet'),
        h('p', {}, 'They appear when they write or are written to. Or add one and write first.'),
      ),
    )
    return
  }
  const focused = document.activeElement?.getAttribute('data-customer')
  const rows = customers
    .map((customer) => ({
      customer,
      chat: customer.chats.find((chat) => chat.phone_number_id === number),
    }))
    .sort((a, b) => (b.chat?.last?.at ?? '').localeCompare(a.chat?.last?.at ?? ''))
  const shown = rows.slice(0, maxRows)
  list.replaceChildren(
    h(
      'ul',
      {},
      ...shown.map(({ customer, chat }) =>
        h('li', {}, row(customer, chat, customer.key === current, choose)),
      ),
    ),
    rows.length > maxRows ? h('p', { class: 'note' }, `and ${rows.length - maxRows} more`) : '',
  )
  refocus(list, 'data-customer', focused)
}

/**
 * @param {Customer} customer
 * @param {import('./types.js').Summary | undefined} chat
 * @param {boolean} current
 * @param {(customer: Customer) => void} choose
 */
function row(customer, chat, current, choose) {
  const last = chat?.last
  const unread = chat?.unread ?? 0
  const button = h(
    'button',
    {
      type: 'button',
      class: `conv${unread > 0 ? ' unread' : ''}`,
      'data-customer': customer.key,
      'aria-current': current ? 'true' : undefined,
      onclick: () => choose(customer),
    },
    h('span', { class: 'avatar', 'aria-hidden': 'true' }, initials(customer.name)),
    h(
      'span',
      { class: 'l1' },
      h('b', { class: 'cut' }, customer.name),
      last ? h('time', { datetime: last.at, title: exactTime(last.at) }, shortWhen(last.at)) : null,
    ),
    h(
      'span',
      { class: 'l2' },
      last?.state === 'failed' ? icon('alert', 'Failed') : null,
      h(
        'span',
        { class: 'cut' },
        last ? `${last.from === 'customer' ? 'You: ' : ''}${last.text}` : contactLine(customer),
      ),
      unread > 0
        ? h('span', { class: 'count', 'aria-label': `${unread} unread` }, String(unread))
        : null,
    ),
    customer.online ? null : h('span', { class: 'l3' }, 'Offline'),
  )
  return button
}
