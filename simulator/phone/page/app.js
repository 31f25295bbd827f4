// @ts-check
// The phone page: what is chosen, what is loaded, and what happens on a tap.
import { call, chatPath } from './api.js'
import { hideHead, showHead } from './chat-head.js'
import { aimAt, composeIn, shareLocation, startComposer } from './composer.js'
import { askCustomer, pickFromList } from './dialogs.js'
import { byId, h, released } from './dom.js'
import { openMenu } from './menu.js'
import { showPanel, startPanel } from './panel.js'
import { showPeople } from './people-list.js'
import { listen } from './stream.js'
import { scrollToEnd, showChat, showNoChat } from './thread.js'

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Chat} Chat */
/** @typedef {import('./types.js').Message} Message */

const frame = /** @type {HTMLElement} */ (document.querySelector('.frame'))
const numberPick = byId('number', HTMLSelectElement)
const live = byId('live', HTMLElement)
const trouble = byId('trouble', HTMLElement)

/** @type {{ state: State, chat: Chat | null, number?: string, customer?: string }} */
const model = { state: { cursor: '', numbers: [], customers: [] }, chat: null }

const chatId = () => (model.number && model.customer ? `${model.number}/${model.customer}` : '')

/** @type {import('./types.js').Actions} */
const actions = {
  write: (message) => void write(message),
  pickFromList,
  shareLocation,
  openMenu: openMessageMenu,
}

/** @param {object} message */
async function write(message) {
  const { number, customer } = model
  if (!number || !customer) return false
  try {
    await call('POST', `${chatPath(number, customer)}/messages`, message)
    complain('')
    scrollToEnd()
    void refresh()
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    complain(`Not sent, but kept: ${why}`)
    return false
  }
}

/**
 * @param {Message} message
 * @param {HTMLElement} button
 */
function openMessageMenu(message, button) {
  const react = (/** @type {string | undefined} */ emoji) =>
    write({
      type: 'reaction',
      reaction: { message_id: message.wamid, ...(emoji ? { emoji } : {}) },
    })
  const own = message.from === 'customer'
  const entries = [{ label: 'Reply', act: () => aimAt({ replyTo: message }) }]
  if (message.reactions.customer)
    entries.push({ label: 'Take the reaction back', act: () => void react(undefined) })
  if (own && message.type === 'text')
    entries.push({ label: 'Edit', act: () => aimAt({ editing: message }) })
  if (own)
    entries.push({
      label: 'Delete for everyone',
      act: () => void write({ type: 'revoke', revoke: { original_message_id: message.wamid } }),
    })
  entries.push({
    label: 'Copy the message id',
    act: () => void navigator.clipboard?.writeText(message.wamid),
  })
  const faces = ['👍', '❤️', '😂', '😮', '😢', '🙏']
  openMenu(
    button,
    entries,
    faces.map((face) => ({ label: face, hint: `React with ${face}`, act: () => void react(face) })),
  )
}

/** @param {string} words */
function complain(words) {
  trouble.textContent = words
  trouble.hidden = words === ''
}

/** @param {string} view */
function goTo(view) {
  frame.dataset.view = view
  for (const tab of document.querySelectorAll('[data-goto]')) {
    tab.toggleAttribute('aria-current', tab.getAttribute('data-goto') === view)
  }
}

/** One load at a time; news that comes meanwhile causes exactly one more. */
let loading = false
let stale = false
async function refresh() {
  stale = true
  if (loading) return
  loading = true
  try {
    while (stale) {
      stale = false
      await load()
      await released()
      draw()
      // A busy gateway makes many events a second; a person sees no more than a few.
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  } catch {
    setLive('reconnecting')
  } finally {
    loading = false
  }
}

async function load() {
  model.state = await call('GET', '/phone/state')
  const { numbers, customers } = model.state
  if (!numbers.some((number) => number.phone_number_id === model.number)) {
    model.number = numbers[0]?.phone_number_id
  }
  if (!customers.some((customer) => customer.key === model.customer)) delete model.customer
  const { number, customer } = model
  model.chat = number && customer ? await call('GET', chatPath(number, customer)) : null
  if (
    model.chat &&
    model.chat.unread > 0 &&
    document.visibilityState === 'visible' &&
    isChatShown()
  ) {
    await call('POST', `${chatPath(number ?? '', customer ?? '')}/seen`)
    model.chat.unread = 0
    const row = model.state.customers.find((each) => each.key === customer)
    for (const chat of row?.chats ?? []) if (chat.phone_number_id === number) chat.unread = 0
  }
}

function isChatShown() {
  return byId('thread', HTMLElement).offsetParent !== null
}

function draw() {
  const { state, chat, number } = model
  drawNumbers()
  showPeople(state.customers, { number, customer: model.customer }, (customer) =>
    choose(customer.key),
  )
  composeIn(chat ? chatId() : '', number ?? '')
  if (chat && number) {
    showHead(chat.customer, number, {
      back: () => goTo('people'),
      set: (settings) =>
        void change('PATCH', `/phone/customers/${encodeURIComponent(chat.customer.key)}`, settings),
      block: (blocked) =>
        void change('PUT', `${chatPath(number, chat.customer.key)}/blocked`, { blocked }),
    })
    showChat(chatId(), chat, actions)
  } else {
    hideHead()
    if (state.numbers.length === 0) {
      showNoChat(
        'No business number yet',
        'Register one at the simulator (POST /simulator/numbers), or connect one in the gateway.',
      )
    } else
      showNoChat('Whose phone?', 'Choose a customer, or add one, to see the chat from their side.')
  }
  showPanel(number)
  const unread = state.customers
    .flatMap((customer) => customer.chats)
    .reduce((sum, each) => sum + each.unread, 0)
  document.title = `${unread > 0 ? `(${unread}) ` : ''}${chat ? `${chat.customer.name} · ` : ''}Simulated phone`
}

function drawNumbers() {
  const { numbers } = model.state
  const text = JSON.stringify(numbers)
  if (numberPick.dataset.drawn !== text) {
    numberPick.dataset.drawn = text
    numberPick.replaceChildren(
      ...numbers.map(({ phone_number_id, display_phone_number, verified_name }) =>
        h(
          'option',
          { value: phone_number_id },
          verified_name ? `${display_phone_number} · ${verified_name}` : display_phone_number,
        ),
      ),
    )
    if (numbers.length === 0) numberPick.append(h('option', { value: '' }, 'none yet'))
    numberPick.disabled = numbers.length === 0
  }
  numberPick.value = model.number ?? ''
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} body
 */
async function change(method, path, body) {
  try {
    await call(method, path, body)
    complain('')
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
  }
  await refresh()
}

/** @param {string} customer */
function choose(customer) {
  model.customer = customer
  complain('')
  rememberChoice()
  goTo('chat')
  void refresh().then(() => byId('write', HTMLTextAreaElement).focus({ preventScroll: true }))
}

function rememberChoice() {
  const id = chatId()
  history.replaceState(null, '', id === '' ? location.pathname : `#/${id}`)
}

function recallChoice() {
  const [, number, customer] = decodeURIComponent(location.hash).split('/')
  if (number) model.number = number
  if (customer) model.customer = customer
}

/** @param {import('./stream.js').LiveState} state */
function setLive(state) {
  live.dataset.state = state
  live.textContent = { live: 'Live', reconnecting: 'Reconnecting', offline: 'No connection' }[state]
}

numberPick.addEventListener('change', () => {
  model.number = numberPick.value
  rememberChoice()
  void refresh()
})
byId('add-customer', HTMLButtonElement).addEventListener('click', () =>
  askCustomer(async (person) => {
    const { key } = await call('POST', '/phone/customers', person)
    choose(key)
  }),
)
for (const tab of document.querySelectorAll('[data-goto]')) {
  tab.addEventListener('click', () => {
    goTo(tab.getAttribute('data-goto') ?? 'people')
    void refresh()
  })
}
document.addEventListener('visibilitychange', () => void refresh())
window.addEventListener('hashchange', () => {
  recallChoice()
  void refresh()
})

startComposer(write, complain)
startPanel()
recallChoice()
goTo(location.hash === '#panel' ? 'panel' : model.customer ? 'chat' : 'people')
await refresh()
listen(model.state.cursor, {
  onEvent: () => void refresh(),
  onState(state) {
    setLive(state)
    if (state === 'live') void refresh()
  },
})
