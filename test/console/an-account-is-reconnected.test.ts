// Accounts in the console, in a real browser: connecting and reconnecting through Meta's dialog, the doctor, what answers
// by itself, and who opted out.
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { holdAccount } from '../../src/outbox/release.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import {
  type ConsoleWorld,
  expectAccessible,
  expectForEverybody,
  startConsole,
} from '../support/console.ts'
import type { SeededPerson } from '../support/people.ts'
import { until } from '../support/program.ts'
import type { Firm } from '../support/sending.ts'
import {
  agree,
  auditOf,
  callback,
  choose,
  chooseNumber,
  codeFor,
  createMetaAccount,
  idsOf,
  type MetaAccount,
  openDialog,
  reconnect,
  signUp,
} from '../support/signup.ts'

const runs = chromiumRuns()
const canary = '<img src=x onerror="globalThis.stolen = 1">'

interface Connected extends Firm, MetaAccount {
  accountId: string
  admin: SeededPerson
}

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld

  beforeAll(async () => {
    world = await startConsole()
  })

  async function connect(name: string): Promise<Connected> {
    const tenant = await world.gateway.createTenant(name)
    const admin = await world.person('admin', tenant.id, 'Ana')
    const meta = createMetaAccount(world)
    const { json } = await signUp(world, tenant, meta)
    return { ...tenant, ...meta, accountId: json.id, accessToken: tokenOf(meta), admin }
  }

  /** At the API, as a colleague's program would. */
  async function reconnectByHand(firm: Connected): Promise<void> {
    const { state } = await reconnect(world, firm, firm.accountId)
    const answer = await callback(world, { state, code: codeFor(world, firm), ...idsOf(firm) })
    expect(answer.status).toBe(200)
  }

  /** Closed after the test: a page that stays open goes on asking. */
  async function open(person: SeededPerson, place: string): Promise<Page> {
    const page = await world.open(person, place)
    onTestFinished(() => page.close())
    return page
  }

  const tokenOf = ({ wabaId }: MetaAccount) =>
    world.simulator
      .tokens()
      .findLast(({ grants }) => grants.some(({ target_ids }) => target_ids?.includes(wabaId)))
      ?.access_token ?? ''

  /** Somebody who may be written to. */
  async function customerOf(firm: Connected): Promise<string> {
    const digits = await world.customerOf(firm)
    await until('their message is in the inbox', async () => {
      const path = `/api/whatsapp/conversations?q=${digits}`
      return (await world.gateway.call('GET', path, { key: firm.key })).json.data.length === 1
    })
    return digits
  }

  const shows = (page: Page, words: string) =>
    page.waitFor(`=>document.body.innerText.includes(${JSON.stringify(words)})`, words)

  const found = (words: string) =>
    `[...document.querySelectorAll('button, a, [role="menuitem"]')].find((one) =>
      one.innerText.trim() === ${JSON.stringify(words)} && one.getClientRects().length > 0 &&
      one.getAttribute('aria-disabled') !== 'true')`

  /** With the keyboard: a key needs no place on the screen, and lets a window open as a click does. */
  async function press(page: Page, words: string): Promise<void> {
    await page.waitFor(`=>!!${found(words)}`, `a button “${words}”`)
    await page.evaluate(`${found(words)}.focus()`)
    await page.press('Enter')
  }

  async function pressAndGetWindow(page: Page, words: string): Promise<Page> {
    const { opened } = await page.popup()
    await press(page, words)
    const signup = await opened
    await signup.waitFor('#connect:not([disabled])')
    return signup
  }

  const fill = (page: Page, selector: string, text: string) => page.type(`dialog ${selector}`, text)

  test('its token dies, the page says so, and what waited goes out in order once it is back', async () => {
    const firm = await connect('Almeida Prado Advogados')
    const customer = await customerOf(firm)
    const page = await open(firm.admin, `/accounts/${firm.accountId}`)
    await shows(page, 'One number, and it works.')
    const park = (state: 'parked' | null) =>
      world.gateway.db.transaction((tx) => holdAccount(tx, firm.id, firm.phoneNumberId, state))
    await park('parked')
    const bodies = ['first', 'second', 'third']
    for (const body of bodies) await world.send(firm, customer, { text: { body } })
    world.simulator.changeToken({ access_token: firm.accessToken, state: 'revoked' })
    await park(null)

    await shows(page, `${firm.displayPhoneNumber} cannot send.`)
    await shows(page, '3 messages wait and go out once it is back.')
    await shows(page, 'Meta no longer accepts our access.')
    await expectAccessible(page)
    expect(world.acceptedFor(customer)).toEqual([])
    const signup = await pressAndGetWindow(page, 'Reconnect')
    await shows(page, 'in the window that opened.')
    const dialog = await openDialog(signup)
    await chooseNumber(world, dialog, firm)
    await agree(dialog)

    await shows(page, `${firm.displayPhoneNumber} is connected.`)
    await shows(page, 'All 3 messages that waited are out.')
    await page.waitFor('=>document.querySelectorAll(".accounts-checks .icon.bad").length === 0')
    const accepted = world.acceptedFor(customer)
    expect(accepted.map(({ request }) => (request.text as { body: string }).body)).toEqual(bodies)
    expect(
      (await auditOf(world.gateway, firm.id)).map(({ actor, action }) => ({ actor, action })),
    ).toContainEqual({
      actor: firm.admin.id,
      action: 'account.reconnected',
    })
    expect(signup.problems).toEqual([])
    expect(page.problems).toEqual([])
  })

  test('a first number, from nothing: what Meta calls it is shown as text', async () => {
    const tenant = await world.gateway.createTenant('Quay Street Advocates')
    const page = await open(await world.person('admin', tenant.id, 'Ana'), '/accounts')
    await shows(page, 'No number is connected yet')
    await expectAccessible(page)
    const signup = await pressAndGetWindow(page, 'Connect a number')
    const dialog = await openDialog(signup)
    await choose(dialog, 'business', '')
    await choose(dialog, 'number', 'new')
    await dialog.type('[name="account_name"]', canary)
    await dialog.type('[name="display_phone_number"]', '+1 555-0191')
    await dialog.type('[name="verified_name"]', canary)
    await agree(dialog)

    await shows(page, '+1 555-0191 is connected.')
    await page.waitFor(
      `=>document.querySelector('.accounts-number')?.innerText.includes('onerror')`,
    )
    await shows(page, '1 needs you.')
    expect(await page.evaluate('globalThis.stolen ?? null')).toBeNull()
    expect(page.problems).toEqual([])
  })

  test('a number that somebody else has, a window that is closed, and a full page instead', async () => {
    const owner = await connect('Harbour & Finch')
    const firm = await connect('Kurnia & Wijaya')
    const page = await open(firm.admin, '/accounts')
    const first = await pressAndGetWindow(page, 'Connect a number')
    const dialog = await openDialog(first)
    await chooseNumber(world, dialog, owner)
    await agree(dialog)
    await shows(page, 'This number is connected elsewhere.')
    await shows(page, 'NUMBER_TAKEN')
    await expectAccessible(page)

    const second = await pressAndGetWindow(page, 'Try again')
    await shows(page, 'Finish connecting the number')
    await second.close()
    await shows(page, 'The window was closed before the end.')

    const third = await pressAndGetWindow(page, 'Try again')
    const another = createMetaAccount(world)
    await third.click('#other a')
    await third.waitFor('#business')
    await chooseNumber(world, third, another)
    await agree(third)
    await shows(page, `${another.displayPhoneNumber} is connected.`)
    expect(page.problems).toEqual([])
  })

  test('what is told of another number, and a look that comes too late, change nothing', async () => {
    const owner = await connect('Harbour & Finch')
    const firm = await connect('Kurnia & Wijaya')
    const page = await open(firm.admin, '/accounts')
    await page.evaluate(`{
      const setInterval = window.setInterval
      window.looks = []
      window.setInterval = (look, ms, ...given) => {
        if (ms === 500) window.looks.push(look)
        return setInterval(look, ms, ...given)
      }
    }`)
    const signup = await pressAndGetWindow(page, 'Connect a number')
    const asked = `performance.getEntriesByType('resource')
      .filter(({ name }) => name.includes('/whatsapp/accounts?')).length`
    const before = await page.evaluate(asked)
    await reconnectByHand(firm)
    await page.waitFor(`=>${asked} > ${before}`, 'the news')
    await shows(page, 'Finish connecting the number')

    const dialog = await openDialog(signup)
    await chooseNumber(world, dialog, owner)
    await agree(dialog)
    await shows(page, 'NUMBER_TAKEN')
    expect(await page.evaluate('window.looks.length')).toBeGreaterThan(0)
    await page.evaluate(`new Promise((resolve) => {
      for (const look of window.looks) look()
      requestAnimationFrame(() => setTimeout(resolve))
    })`)
    await shows(page, 'NUMBER_TAKEN')
  })

  test('a link that was passed on connects nothing for another person, and speaks their language', async () => {
    const firm = await connect('Meridian Legal')
    const page = await open(firm.admin, '/accounts')
    const signup = await pressAndGetWindow(page, 'Connect a number')
    const address = (await signup.evaluate('location.href')) as string
    const colleague = await world.person('admin', firm.id, 'Ben')
    const other = await open(colleague, '/accounts')
    await other.goto(address.replace('lang=en', 'lang=es'))
    await shows(other, 'Conecte un número a Meridian Legal.')
    const meta = createMetaAccount(world)
    const dialog = await openDialog(other)
    await chooseNumber(world, dialog, meta)
    await agree(dialog)

    await shows(other, 'Otra persona empezó esta conexión.')
    await shows(page, 'Finish connecting the number')
  })

  test('the doctor finds what is broken at Meta and repairs it, with a PIN where it needs one', async () => {
    const firm = await connect('Bufete Ibarra')
    await fetch(`${world.simulator.url}/v26.0/${firm.wabaId}/subscribed_apps`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${firm.accessToken}` },
    })
    world.simulator.changeNumber(firm.phoneNumberId, {
      registered: false,
      status: 'DISCONNECTED',
      pin: '424242',
    })
    const page = await open(firm.admin, `/accounts/${firm.accountId}`)
    await shows(page, 'is not subscribed to our app, so nothing comes in.')
    await shows(page, 'The number is not registered with WhatsApp')
    await press(page, 'Repair')
    await shows(page, 'Messages of the WhatsApp account come to Estafet.')
    await shows(page, 'The number has a PIN that we do not know.')
    await press(page, 'Use a PIN…')
    await page.waitFor('dialog input')
    await expectAccessible(page)
    await fill(page, 'input', '12')
    await page.press('Enter')
    await page.waitFor('dialog .hint.bad')
    await page.evaluate(`document.querySelector('dialog input').select()`)
    await fill(page, 'input', '424242')
    await page.press('Enter')
    await shows(page, 'The number is registered.')
    await page.waitFor('=>!document.querySelector("dialog[open]")')
    await shows(page, 'The number is registered with WhatsApp.')
    expect(page.problems).toEqual([])
  })

  test('what answers by itself is chosen, and answers', async () => {
    const firm = await connect('Nóvoa Tavares')
    const page = await open(firm.admin, `/accounts/${firm.accountId}?tab=answers`)
    await page.waitFor('input[value="auto_reply"]')
    await page.evaluate(`document.querySelector('input[value="auto_reply"]').click()`)
    await press(page, 'Save')
    await shows(page, 'Write what the reply is to say.')
    await page.type('textarea', 'We are back on Monday.')
    await shows(page, 'berhenti berlangganan')
    await expectAccessible(page)
    await press(page, 'Save')
    await shows(page, 'It holds from the next message on.')

    const customer = await customerOf(firm)
    const [reply] = await until('it answered', () => {
      const accepted = world.acceptedFor(customer)
      return accepted.length > 0 && accepted
    })
    expect(reply?.request).toMatchObject({ text: { body: 'We are back on Monday.' } })
  })

  test('who opted out is listed and lifted with a reason, and added by hand', async () => {
    const firm = await connect('Belmonte y Asociados')
    const customer = await customerOf(firm)
    world.simulator.customerWrites(customer, {
      phone_number_id: firm.phoneNumberId,
      type: 'text',
      text: { body: 'STOP' },
    })
    const path = `/api/whatsapp/suppressions?phone_number_id=${firm.phoneNumberId}`
    const listed = async () => (await world.gateway.call('GET', path, { key: firm.key })).json.data
    await until('they opted out', async () => (await listed()).length === 1)
    const page = await open(firm.admin, `/accounts/${firm.accountId}?tab=stopped`)
    await shows(page, 'wrote a STOP word')
    await expectAccessible(page)
    await press(page, 'Lift…')
    await page.waitFor('dialog input[name="reason"]')
    await press(page, 'Lift')
    await page.waitFor('dialog .hint.bad')
    await fill(page, 'input[name="reason"]', 'asked us by phone')
    await press(page, 'Lift')
    await shows(page, 'can be written to again.')
    await shows(page, 'Nobody has opted out')
    expect((await auditOf(world.gateway, firm.id)).at(-1)).toMatchObject({
      actor: firm.admin.id,
      action: 'suppression.lifted',
    })

    await press(page, 'Add a contact…')
    await fill(page, 'input[name="to"]', '+1 650 555 0199')
    await fill(page, 'input[name="reason"]', 'asked us by phone')
    await press(page, 'Add')
    await shows(page, 'gets nothing more.')
    await shows(page, '+16505550199')
    expect((await listed()).length).toBe(1)
  })

  test('others see nothing of it: agents, and people of another firm; operators disconnect it', async () => {
    const firm = await connect('Nobody Else’s')
    const stranger = await connect('Strangers')
    const agent = await world.person('agent', firm.id, 'Aya')
    const page = await open(agent, `/accounts/${firm.accountId}`)
    await shows(page, 'This is not for your role')
    expect(await page.evaluate('document.body.innerText')).not.toContain(firm.displayPhoneNumber)
    const theirs = await open(stranger.admin, `/accounts/${firm.accountId}`)
    await shows(theirs, 'There is no such account')
    expect(await theirs.evaluate('document.body.innerText')).not.toContain(firm.displayPhoneNumber)

    const operator = await world.person('operator', null, 'Ola')
    const all = await open(operator, `/accounts/${firm.accountId}?tenant=${firm.id}`)
    await shows(all, '1 needs you.')
    await all.evaluate(`document.querySelector('.accounts-card [aria-haspopup="menu"]').click()`)
    await press(all, 'Disconnect…')
    await shows(all, 'Conversations, messages and the audit log stay.')
    await press(all, 'Disconnect')
    await shows(all, 'No number is connected yet')
    await shows(all, 'is disconnected.')
  })

  test('every tab in both themes and on a phone: nothing in the way of anybody, nothing too wide', async () => {
    const firm = await connect('Harrow & Finch')
    const page = await open(firm.admin, `/accounts/${firm.accountId}`)
    for (const tab of ['Limits', 'Answers', 'Opted out', 'From Meta', 'Doctor']) {
      await press(page, tab)
      await page.waitFor('=>!document.querySelector(".accounts-card [role=status]")', tab)
      await expectForEverybody(page)
    }
    await page.resize(390, 844)
    await press(page, 'Doctor')
    await page.waitFor('.accounts-checks')
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await expectAccessible(page)
    await page.evaluate(`document.querySelector('.accounts-back').click()`)
    await page.waitFor('.accounts-table')
    await expectAccessible(page)
    expect(page.problems).toEqual([])
  })
})
