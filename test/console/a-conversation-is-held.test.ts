// A person writes to a contact: whatever happens to connection, page, window and session, each message arrives once.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import {
  type ConsoleWorld,
  expectAccessible,
  expectForEverybody,
  startConsole,
} from '../support/console.ts'
import { createTestFolder } from '../support/folder.ts'
import { type FrontDoor, startFrontDoor } from '../support/front-door.ts'
import { press } from '../support/hands.ts'
import { pdfBytes } from '../support/media.ts'
import { password, type SeededPerson } from '../support/people.ts'
import { patienceMs } from '../support/program.ts'
import type { Firm } from '../support/sending.ts'

const runs = chromiumRuns()
const field = '.composer textarea'
const soon = { timeout: patienceMs, interval: 50 }

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let firm: Firm
  let agent: SeededPerson
  let page: Page
  let door: FrontDoor
  let pdf: string
  let customer: string
  let conversation: string

  beforeAll(async () => {
    world = await startConsole()
    firm = await world.createFirm('Quay Street Advocates')
    agent = await world.person('agent', firm.id, 'Tom Whitlock')
    await ask('POST', '/api/whatsapp/meta/templates/sync')
    door = await startFrontDoor()
    door.lead(world.gateway.url)
    pdf = join(createTestFolder(), 'Lease.pdf')
    await writeFile(pdf, pdfBytes)
    page = await world.browser.newPage({ isApart: true, isHasty: true })
    await page.resize(1440, 900)
    await page.setCookie(door.url, agent.headers('').cookie ?? '')
  })

  beforeEach(async () => {
    await meet(firm)
    await openConversation()
  })

  async function meet(number: Firm): Promise<void> {
    customer = await world.customerOf(number)
    // The gateway's own workers may have taken the webhook first.
    conversation = await vi.waitFor(async () => {
      const { data } = await ask('GET', `/api/whatsapp/conversations?q=${customer}`)
      expect(data).toHaveLength(1)
      return data[0].id
    }, soon)
  }

  async function openConversation(): Promise<void> {
    await page.goto(`${door.url}/console/inbox/${conversation}`)
    await page.waitFor('.composer')
  }

  async function ask(method: string, path: string, body?: object) {
    const answer = await world.gateway.call(method as 'GET', path, {
      key: firm.key,
      ...(body && { body }),
    })
    if (answer.status >= 300) throw new Error(`${path} was answered ${answer.text}`)
    return answer.json
  }

  async function say(text: string): Promise<void> {
    await page.type(field, text)
    await page.press('Control+Enter')
  }

  const fieldHolds = (text: string) =>
    page.waitFor(
      `=>document.querySelector(${JSON.stringify(field)})?.value === ${JSON.stringify(text)}`,
    )
  const threadShows = (text: string) =>
    page.waitFor(
      `=>document.querySelector('[role=log]').textContent.includes(${JSON.stringify(text)})`,
    )
  const nothingIsUnsent = () =>
    page.waitFor(`=>sessionStorage.getItem('estafet.unsent') === null`, 'nothing unsent')
  const unsentAre = (count: number) =>
    page.waitFor(
      `=>JSON.parse(sessionStorage.getItem('estafet.unsent') ?? '[]').filter((one) => one.waitsFor || one.problem).length >= 1
        && JSON.parse(sessionStorage.getItem('estafet.unsent')).length === ${count}`,
      `${count} unsent`,
    )

  // biome-ignore lint/suspicious/noExplicitAny: what Meta was sent has many shapes.
  const atMeta = (): any[] => world.acceptedFor(customer).map(({ request }) => request)

  /** Everything that was written is taken, and Meta has these and no others. */
  async function expectAtMeta(count: number) {
    await nothingIsUnsent()
    await vi.waitFor(() => expect(atMeta().length).toBeGreaterThanOrEqual(count), soon)
    const { data } = await ask('GET', `/api/whatsapp/conversations/${conversation}/messages`)
    const outbound = data.filter(({ direction }: { direction: string }) => direction === 'outbound')
    expect(outbound).toHaveLength(count)
    expect(atMeta()).toHaveLength(count)
    return atMeta()
  }

  const customerWrites = (body: string) =>
    world.simulator.customerWrites(customer, {
      phone_number_id: firm.phoneNumberId,
      type: 'text',
      text: { body },
    })

  const lastWroteAgo = (interval: string) =>
    world.gateway.db.query(sql`
      update whatsapp_conversations
      set last_inbound_at = now() - ${interval}::interval
      where id = ${uuidOf('conv', conversation) ?? ''}`)

  /** The page hears that something about the conversation is new. */
  const tellOfIt = () =>
    ask('PATCH', `/api/whatsapp/conversations/${conversation}`, {
      assigned_user_id: uuidOf('usr', agent.id),
    })

  /** From now on this page asks nothing that these words do not allow, and waits for answers in vain. */
  const hearNothingBut = (allowed: string) =>
    page.evaluate(`(() => {
      window.realFetch ??= window.fetch
      window.fetch = (to, how) =>
        String(to).includes('${allowed}') ? realFetch(to, how) : new Promise(() => {})
      // What it asked before has its answer when this has: on a busy machine it would hear of what comes next.
      return realFetch('/api/whatsapp/conversations').then((answer) => answer.text()).then(() => true)
    })()`)
  const hearAgain = () => page.evaluate('void (window.fetch = window.realFetch)')

  test('words go out and answers appear', async () => {
    await say('Good morning. How can we help?')
    await threadShows('How can we help?')
    await fieldHolds('')
    expect(await page.evaluate('document.activeElement.matches(".composer textarea")')).toBe(true)
    const [only] = await expectAtMeta(1)
    expect(only).toMatchObject({ type: 'text', text: { body: 'Good morning. How can we help?' } })
    customerWrites('It is about the lease.')
    await threadShows('It is about the lease.')
  })

  test('the keyboard is enough: T for templates, Escape to leave', async () => {
    await page.type(field, 'Half a sen')
    await page.press('Escape')
    // Also from a message that has the focus.
    await page.click('.thread-message .thread-text')
    await page.waitFor('=>document.activeElement.matches("article")')
    await page.press('t')
    await page.waitFor('.picker-option')
    await page.waitFor('=>document.activeElement.matches(".picker-search input")')
    await page.press('Escape')
    await fieldHolds('Half a sen')
    await page.waitFor(`=>document.activeElement.matches('${field}')`)
  })

  test('what is half written is there after a reload, with the message it answers', async () => {
    const [first] = (await ask('GET', `/api/whatsapp/conversations/${conversation}/messages`)).data
    await page.evaluate(`sessionStorage.setItem('estafet.draft.${conversation}',
      JSON.stringify({ text: 'Certainly', replyTo: '${first.id}' }))`)
    await page.reload()
    await fieldHolds('Certainly')
    await page.waitFor('.composer-reply')
    await page.reads('.composer-reply', 'hello')
    await page.type(field, '!')
    await page.press('Control+Enter')
    const [only] = await expectAtMeta(1)
    expect(only).toMatchObject({
      text: { body: 'Certainly!' },
      context: { message_id: first.wamid },
    })
    await page.waitFor(`=>!document.querySelector('.composer-reply')`)
  })

  test('an emoji lands where the caret is', async () => {
    await page.type(field, 'Welcome , Mara')
    await page.evaluate(`document.querySelector('${field}').setSelectionRange(8, 8)`)
    await page.click('.composer-emoji button')
    await page.type('.emoji input', 'waving hand')
    await page.waitFor('.emoji-grid button')
    await page.waitFor('=>document.querySelectorAll(".emoji-grid button").length < 5')
    await expectAccessible(page, '.composer')
    await page.press('Enter')
    await fieldHolds('Welcome 👋, Mara')
    await page.press('Control+Enter')
    const [only] = await expectAtMeta(1)
    expect(only.text.body).toBe('Welcome 👋, Mara')
  })

  test('a file arrives with its caption; what WhatsApp does not take stays here', async () => {
    const gif = join(createTestFolder(), `${customer}.gif`)
    await writeFile(gif, 'GIF89a')
    await page.setFiles('.composer-bar input[type=file]', [pdf, gif])
    await page.waitFor('.composer-files .is-bad')
    await say('The lease, as signed')
    await page.waitFor(`=>document.querySelector('.composer-trouble').textContent !== ''`)
    await expectAccessible(page, '.composer')
    await page.click('.composer-files .is-bad button')
    await page.waitFor(`=>document.querySelectorAll('.composer-files li').length === 1`)
    await page.click('.composer-send button')
    const [only] = await expectAtMeta(1)
    expect(only).toMatchObject({
      type: 'document',
      document: { caption: 'The lease, as signed', filename: 'Lease.pdf' },
    })
  })

  test('without a connection everything is kept, and arrives once and in order', async () => {
    await page.click('.thread-message .thread-text')
    await page.click('.thread-message.is-selected [aria-label="Reply"]')
    await page.waitFor('.composer-reply')
    await page.setOffline(true)
    await say('One')
    await page.waitFor('.is-unsent .thread-quote')
    await page.setFiles('.composer-bar input[type=file]', [pdf])
    await page.waitFor('.composer-files li')
    await say('Two')
    await say('Three')
    await unsentAre(3)
    await page.waitFor('.composer-notice.warn')
    await page.reads('.composer-notice', '3 messages are kept')
    await page.colorScheme('dark')
    await expectAccessible(page, '.composer')
    await page.colorScheme('light')
    await page.setOffline(false)
    const sent = await expectAtMeta(3)
    expect(sent.map(({ text, document }) => text?.body ?? document?.caption)).toEqual([
      'One',
      'Two',
      'Three',
    ])
    await page.waitFor(`=>!document.querySelector('.composer-notice')`)
  })

  test('an answer that gets lost makes no second message', async () => {
    door.loseAnswersTo('POST /api/whatsapp/meta/send')
    await say('Only once')
    await unsentAre(1)
    door.loseAnswersTo(undefined)
    const [only] = await expectAtMeta(1)
    expect(only.text.body).toBe('Only once')
  })

  test('what was not sent goes out after a reload, from whichever view', async () => {
    await page.evaluate(`(() => {
      const real = fetch
      window.fetch = (to, how) =>
        String(to).includes('/meta/send') ? Promise.reject(new TypeError('cut')) : real(to, how)
    })()`)
    await say('Before')
    await say('After')
    await unsentAre(2)
    await page.goto(`${door.url}/console/nowhere`)
    expect(page.dialogs).toContain('beforeunload')
    const sent = await expectAtMeta(2)
    expect(sent.map(({ text }) => text.body)).toEqual(['Before', 'After'])
  })

  test('when the window closes, a template goes out; the draft comes back with the answer', async () => {
    await page.type(field, 'I will look at clause 7')
    await lastWroteAgo('23 hours 59 minutes 57 seconds')
    await tellOfIt()
    await page.waitFor('.picker-option', 'templates')
    await page.reads('.picker', 'I will look at clause 7')
    await page.type('.picker-search input', 'order upd')
    await page.waitFor('=>document.querySelectorAll(".picker-option").length === 1')
    await page.press('ArrowDown')
    await page.press('Enter')
    await page.waitFor('.picker-preview')
    await page.click('.picker-foot button')
    await page.waitFor('.picker-form .hint.bad')
    await page.type('.picker-fields input', 'Mara')
    await page.type('.picker-fields > div:nth-child(2) input', '88231')
    await page.waitFor(
      `=>document.querySelector('.picker-preview').textContent === 'Hi Mara, order 88231 has shipped.'`,
    )
    await expectForEverybody(page, '.composer')
    await page.click('.picker-foot button')
    const [only] = await expectAtMeta(1)
    expect(only.template).toMatchObject({
      name: 'order_update',
      components: [{ type: 'body', parameters: [{ text: 'Mara' }, { text: '88231' }] }],
    })
    customerWrites('Thank you')
    await fieldHolds('I will look at clause 7')
  })

  test('a window that closed unseen keeps the words and offers a template', async () => {
    await page.waitFor(field)
    await hearNothingBut('/meta/send')
    await lastWroteAgo('25 hours')
    await say('Are you there?')
    await page.waitFor('.is-unsent .thread-why')
    await hearAgain()
    await tellOfIt()
    // It takes the field's place by itself; what is pressed must not move meanwhile.
    await page.waitFor('.picker-option')
    await page.reads('.is-unsent .thread-why', 'only takes a template')
    await expectAccessible(page, '.composer')
    await page.click('.is-unsent .thread-why button')
    await page.waitFor('.picker-draft')
    await page.reads('.picker-draft', 'Are you there?')
    customerWrites('Yes')
    await fieldHolds('Are you there?')
    await page.type(field, ' Good.')
    await page.press('Control+Enter')
    const [only] = await expectAtMeta(1)
    expect(only.text.body).toBe('Are you there? Good.')
  })

  test('what is refused keeps its words, to be changed or sent again', async () => {
    await page.waitFor(field)
    await hearNothingBut('/meta/send')
    const { id } = await ask('POST', '/api/whatsapp/suppressions', {
      phone_number_id: firm.phoneNumberId,
      to: customer,
      reason: 'asked for it by telephone',
    })
    await say('A reminder')
    await page.waitFor('.is-unsent .thread-why')
    await page.click('.is-unsent .thread-why button + button')
    await fieldHolds('A reminder')
    await page.reload()
    await page.waitFor('.composer-stopped')
    await page.reads('.composer-stopped', 'What you wrote is kept')
    await ask('POST', `/api/whatsapp/suppressions/${id}/lift`, { reason: 'changed their mind' })
    await page.reload()
    await fieldHolds('A reminder')
    await page.evaluate(`document.querySelector('${field}').focus()`)
    await page.press('Control+Enter')
    const [only] = await expectAtMeta(1)
    expect(only.text.body).toBe('A reminder')
  })

  test('while a number waits to be reconnected, so do its messages', async () => {
    const other = await world.addNumber(firm)
    await meet(other)
    await openConversation()
    const setAccess = (status: string) =>
      world.gateway.db.query(sql`
        update whatsapp_accounts
        set auth_status = ${status}
        where tenant_id = ${firm.id} and phone_number_id = ${other.phoneNumberId}`)
    await setAccess('needs_reauth')
    await page.waitFor('.composer-notice')
    await page.reads('.composer-notice', 'until the account is reconnected')
    await say('Later, then')
    await unsentAre(1)
    await setAccess('ok')
    const [only] = await expectAtMeta(1)
    expect(only.text.body).toBe('Later, then')
  })

  test('when the session ends, what was written waits for its writer', async () => {
    await page.waitFor(field)
    await hearNothingBut('/meta/send')
    await world.gateway.db.query(sql`
      update sessions
      set ended_at = now()
      where person_id = ${uuidOf('usr', agent.id) ?? ''}`)
    await say('Still here')
    await page.waitFor('dialog input[name=password]')
    await hearAgain()
    await page.type('dialog input[name=password]', password)
    await page.click('dialog button[type=submit]')
    const [only] = await expectAtMeta(1)
    expect(only.text.body).toBe('Still here')
    await page.waitFor(`=>!document.querySelector('dialog[open]')`)
  })

  test('signing out leaves nothing of it in the tab', async () => {
    const words = canary('draft').text
    await page.type(field, words)
    await page.waitFor(`=>JSON.stringify(sessionStorage).includes('${words}')`)
    await press(page, 'You: Tom Whitlock')
    await press(page, 'Sign out')
    await page.waitFor('input[name=email]')
    expectNone(await page.evaluate('JSON.stringify(sessionStorage)'), words)
  })
})
