// @ts-check
// The dialog: lets a person choose, and tells the page that opened it what came of it.

/** @typedef {{ phone_number_id: string, display_phone_number: string, verified_name: string }} PhoneNumber */
/** @typedef {{ waba_id: string, business_id: string, name: string, numbers: PhoneNumber[] }} Account */

const query = new URLSearchParams(location.search)
const clientId = query.get('client_id') ?? ''
const redirectUri = query.get('redirect_uri')
const state = query.get('state')

const form = /** @type {HTMLFormElement} */ (element('form'))
const business = /** @type {HTMLSelectElement} */ (element('business'))
const account = /** @type {HTMLSelectElement} */ (element('account'))
const number = /** @type {HTMLSelectElement} */ (element('number'))

/** @type {Account[]} */
let accounts = []
let step = 'BUSINESS_SELECTION'

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`bug: no element ${id}`)
  return found
}

/** @param {string} words */
function complain(words) {
  const trouble = element('trouble')
  trouble.textContent = words
  trouble.hidden = words === ''
}

/**
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} options
 */
function offer(select, options) {
  const before = select.options.length === 0 ? undefined : select.value
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = document.createElement('option')
      option.value = value
      option.textContent = text
      return option
    }),
  )
  if (before !== undefined && options.some(([value]) => value === before)) select.value = before
}

function offerAll() {
  const portfolios = [...new Set(accounts.map((each) => each.business_id))]
  offer(business, [
    ...portfolios.map((id) => /** @type {[string, string]} */ ([id, portfolioName(id)])),
    ['', 'A new portfolio'],
  ])
  offerAccounts()
}

/**
 * Portfolios have no names of their own here; their accounts have.
 * @param {string} id
 */
function portfolioName(id) {
  const names = accounts.filter((each) => each.business_id === id).map((each) => each.name)
  return `${names.join(', ')} (${id})`
}

function offerAccounts() {
  const inside = accounts.filter((each) => each.business_id === business.value)
  offer(account, [
    ...inside.map(
      (each) => /** @type {[string, string]} */ ([each.waba_id, `${each.name} (${each.waba_id})`]),
    ),
    ['', 'A new account'],
  ])
  offerNumbers()
}

function offerNumbers() {
  const numbers = accounts.find((each) => each.waba_id === account.value)?.numbers ?? []
  offer(number, [
    ...numbers.map(
      (each) =>
        /** @type {[string, string]} */ ([
          each.phone_number_id,
          `${each.display_phone_number} · ${each.verified_name}`,
        ]),
    ),
    ['new', 'A new number'],
    ['none', 'No number yet'],
  ])
  showFields()
}

function showFields() {
  show('new-account', account.value === '')
  show('new-number', number.value === 'new')
  const newNumber = form.elements.namedItem('display_phone_number')
  if (newNumber instanceof HTMLInputElement) newNumber.required = number.value === 'new'
}

/**
 * @param {string} what
 * @param {boolean} visible
 */
function show(what, visible) {
  for (const field of document.querySelectorAll(`[data-for="${what}"]`)) {
    field.toggleAttribute('hidden', !visible)
  }
}

function choice() {
  const data = new FormData(form)
  const text = (/** @type {string} */ name) => {
    const value = String(data.get(name) ?? '').trim()
    return value === '' ? {} : { [name]: value }
  }
  const kind = number.value === 'new' || number.value === 'none' ? number.value : 'existing'
  return {
    client_id: clientId,
    ...(account.value === '' ? text('account_name') : { waba_id: account.value }),
    ...(business.value === '' ? {} : { business_id: business.value }),
    number: kind,
    ...(kind === 'existing' ? { phone_number_id: number.value } : {}),
    ...(kind === 'new' ? { ...text('display_phone_number'), ...text('verified_name') } : {}),
    coexistence: kind === 'new' && data.get('coexistence') === 'on',
    token_life: data.get('token_life'),
    ...(redirectUri === null ? {} : { redirect_uri: redirectUri }),
  }
}

/**
 * The session info event, a JSON text as Meta sends it.
 * @param {string} event
 * @param {object} data
 */
function tellOpener(event, data) {
  if (window.opener === null) return
  const message = JSON.stringify({ type: 'WA_EMBEDDED_SIGNUP', event, version: '3', data })
  window.opener.postMessage(
    message,
    query.get('origin') ?? originOf(redirectUri) ?? location.origin,
  )
}

/**
 * What the stand-in for the SDK waits for.
 * @param {string | null} code
 */
function tellSdk(code) {
  const origin = query.get('origin')
  if (window.opener !== null && origin !== null)
    window.opener.postMessage({ simulator: 'login', code }, origin)
}

/** @param {string | null} url */
function originOf(url) {
  return url !== null && URL.canParse(url) ? new URL(url).origin : undefined
}

/** @param {Record<string, string>} parameters */
function leave(parameters) {
  if (redirectUri !== null) {
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    if (state !== null) url.searchParams.set('state', state)
    location.assign(url)
    // The SDK closes the window once it has heard: that one is gone may be seen before its last words are heard.
  } else if (window.opener !== null && query.get('origin') === null) window.close()
}

const refusal = {
  error: 'access_denied',
  error_code: '200',
  error_description: 'Permissions error',
  error_reason: 'user_denied',
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const response = await fetch('/simulator/signup/finish', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(choice()),
  })
  const answer = await response.json()
  if (!response.ok) {
    complain(answer.error?.message ?? 'The simulator could not finish.')
    return
  }
  complain('')
  tellOpener(answer.event, answer.data)
  tellSdk(answer.code)
  form.hidden = true
  element('done').hidden = false
  element('code').textContent = answer.code
  leave({ code: answer.code })
})
form.addEventListener('focusin', (event) => {
  const field = event.target instanceof Element ? event.target.closest('[data-step]') : null
  step = field?.getAttribute('data-step') ?? step
})
business.addEventListener('change', offerAccounts)
account.addEventListener('change', offerNumbers)
number.addEventListener('change', showFields)
element('cancel').addEventListener('click', () => {
  tellOpener('CANCEL', { current_step: step })
  tellSdk(null)
  leave(refusal)
})
element('fail').addEventListener('click', () => {
  tellOpener('CANCEL', {
    error_message: 'Something went wrong while the number was added.',
    error_id: '524126',
    session_id: 'f34b51dab5e0498',
    timestamp: String(Math.floor(Date.now() / 1000)),
  })
  tellSdk(null)
  leave(refusal)
})

async function start() {
  if (
    redirectUri !== null &&
    !/^https?:$/.test(URL.canParse(redirectUri) ? new URL(redirectUri).protocol : '')
  ) {
    complain('redirect_uri is not an http or https address.')
    return
  }
  const response = await fetch(`/simulator/signup/state?client_id=${encodeURIComponent(clientId)}`)
  const answer = await response.json()
  if (answer.app_name === null) {
    complain(`Invalid app id: no app of the simulator has the client_id “${clientId}”.`)
    return
  }
  element('title').textContent = `Connect ${answer.app_name} to WhatsApp`
  element('asks').textContent = `${answer.app_name} asks to:`
  accounts = answer.accounts
  offerAll()
  form.hidden = false
  business.focus()
}

start().catch((error) => complain(`The simulator does not answer: ${error.message}`))
