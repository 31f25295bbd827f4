// The phone in a real browser, as a person uses it.
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeValue, type Scene, shop, startScene } from '../../simulator/test-support.ts'
import {
  type Browser,
  chromiumHint,
  chromiumRuns,
  type Page,
  startChromium,
} from '../support/chromium.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let browser: Browser
  let scene: Scene
  let page: Page

  beforeAll(async () => {
    browser = await startChromium()
  })
  beforeEach(async () => {
    scene = await startScene()
    await scene.call('POST', '/simulator/phone/customers', { wa_id: mara, name: 'Mara Quint' })
    page = await browser.newPage({ isApart: true })
    await page.resize(1280, 800)
    await page.goto(chatUrl())
    await page.waitFor('#write')
  })
  afterEach(async () => {
    await page.close()
    await scene.close()
  })

  const mara = '15550100101'
  const chatUrl = () => `${scene.simulator.url}/phone#/${shop.phone_number_id}/${mara}`
  const say = async (text: string) => {
    await page.type('#write', text)
    await page.press('Enter')
  }
  const businessSends = async (message: object): Promise<string> => {
    const { body } = await scene.send({ messaging_product: 'whatsapp', to: `+${mara}`, ...message })
    return body.messages[0].id
  }
  const chooseEntry = (label: string) =>
    page.evaluate(
      `[...document.querySelectorAll('.popmenu button')].find((each) => each.innerText === '${label}').click()`,
    )
  const noDialog = () => page.waitFor(`=>document.querySelector('dialog') === null`)
  const received = () =>
    scene.receiver.received.flatMap(({ body }) => changeValue(body).messages ?? [])

  test('a person adds a customer, writes, sees the ticks, and gets an answer', async () => {
    await page.goto(`${scene.simulator.url}/`)
    await page.click('#add-customer')
    await page.type('dialog [name=name]', 'Tomás Ibarra')
    await page.type('dialog [name=wa_id]', '+1 555 010 0102')
    await page.press('Enter')
    await page.waitFor(`=>document.querySelector('#chat-head h2')?.innerText === 'Tomás Ibarra'`)
    await say('¿Está listo el *contrato*?')
    await page.waitFor('.msg.customer.delivered')
    expect(await page.text('.msg.customer .words strong')).toBe('contrato')

    const [message] = received()
    await scene.send({ messaging_product: 'whatsapp', status: 'read', message_id: message.id })
    await page.waitFor('.msg.customer.read')
    const text = { body: 'Sí, desde ayer.' }
    await scene.send({ messaging_product: 'whatsapp', to: '+15550100102', type: 'text', text })
    await page.waitFor('.msg.business.read')

    expect(await page.text('.msg.business .words')).toBe('Sí, desde ayer.')
    expect(await page.evaluate('document.title')).toBe('Tomás Ibarra · Simulated phone')
    expect(await page.text('#live')).toBe('Live')
    expect(page.problems).toEqual([])
  })

  test('unread messages of others are counted in the title and the list', async () => {
    scene.simulator.customerWrites('15550100102', {
      phone_number_id: shop.phone_number_id,
      name: 'Tomás Ibarra',
      type: 'text',
      text: 'Hello',
    })
    const text = { body: 'Good morning' }
    await scene.send({ messaging_product: 'whatsapp', to: '+15550100102', type: 'text', text })
    await page.waitFor(`=>document.title === '(1) Mara Quint · Simulated phone'`)
    await page.click('[data-customer="15550100102"].unread')

    await page.waitFor(`=>document.title === 'Tomás Ibarra · Simulated phone'`)
  })

  test('what anybody writes stays text', async () => {
    const markup = '<img src=x onerror="document.title=\'owned\'"><b>bold</b>'
    await say(markup)
    await businessSends({ type: 'text', text: { body: markup } })
    await page.waitFor('.msg.business .words')

    expect(await page.text('.msg.customer .words')).toBe(markup)
    expect(await page.evaluate(`document.querySelectorAll('.msg img, .msg b').length`)).toBe(0)
    expect(page.problems).toEqual([])
  })

  test('buttons are tapped, rows are picked, messages are reacted and replied to', async () => {
    await say('Hello')
    const buttons = await businessSends({
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Does ten suit you?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    })
    await page.click('.taps button')
    await page.waitFor('.msg.customer.type-interactive blockquote')
    await businessSends({
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text: 'Which office?' },
        action: {
          button: 'Choose',
          sections: [{ title: 'North', rows: [{ id: 'quay', title: 'Quay Street' }] }],
        },
      },
    })
    await page.waitFor(`=>document.querySelectorAll('.taps button').length === 2`)
    await page.click('.msg:last-of-type .taps button')
    await page.click('dialog .choice')
    await page.click('dialog .primary')
    await page.waitFor(`=>document.querySelectorAll('.msg.customer.type-interactive').length === 2`)
    await noDialog()
    await page.click(`[data-wamid="${buttons}"] .menu`)
    await page.click('.popmenu .quick button')
    await page.waitFor('.react')
    await page.click(`[data-wamid="${buttons}"] .menu`)
    await page.press('Escape')
    await scene.simulator.settled()

    expect(received()).toMatchObject([
      { type: 'text' },
      { interactive: { button_reply: { id: 'yes' } }, context: { id: buttons } },
      { interactive: { list_reply: { id: 'quay', title: 'Quay Street' } } },
      { reaction: { message_id: buttons, emoji: '👍' } },
    ])
  })

  test('places and contacts are sent, and own messages are changed and deleted', async () => {
    await page.click('#composer [aria-label=Attach]')
    await page.click('.popmenu button:nth-of-type(4)')
    await page.type('dialog [name=name]', 'The office')
    await page.click('dialog .primary')
    await page.waitFor('.msg.type-location')
    await noDialog()
    await page.click('#composer [aria-label=Attach]')
    await page.click('.popmenu button:nth-of-type(5)')
    await page.type('dialog [name=name]', 'Ida Moss')
    await page.type('dialog [name=phone]', '+1 555 0171')
    await page.click('dialog .primary')
    await page.waitFor('.msg.type-contacts')
    await noDialog()
    await say('At tne')
    await page.waitFor('.msg.type-text.delivered')
    await page.click('.msg.type-text .menu')
    await chooseEntry('Edit')
    await page.evaluate(`document.querySelector('#write').select()`)
    await say('At ten')
    await page.waitFor(`=>document.querySelector('.type-text .words')?.innerText === 'At ten'`)
    await page.click('.msg.type-contacts .menu')
    await chooseEntry('Delete for everyone')
    await page.waitFor('.msg .gone')
    await scene.simulator.settled()

    expect(await page.text('.type-text .meta')).toContain('Edited')
    expect(received()).toMatchObject([
      { type: 'location', location: { name: 'The office' } },
      { type: 'contacts', contacts: [{ phones: [{ phone: '+1 555 0171' }] }] },
      { type: 'text', text: { body: 'At tne' } },
      { type: 'unsupported', unsupported: { type: 'edit' }, errors: [{ code: 131051 }] },
      { type: 'unsupported', unsupported: { type: 'revoke' } },
    ])
  })

  test('a file is attached, and seen', async () => {
    const file = join(tmpdir(), `signed-page-${process.pid}.png`)
    await writeFile(file, Buffer.from(onePixel, 'base64'))
    await page.evaluate(`document.querySelector('input[type=file]').accept = 'image/*'`)
    await page.type('#write', 'The signed page')
    await page.setFiles('input[type=file]', [file])
    await page.waitFor(`=>document.querySelector('.msg img')?.naturalWidth === 1`)
    await scene.simulator.settled()

    expect(received()).toMatchObject([
      { type: 'image', image: { caption: 'The signed page', mime_type: 'image/png' } },
    ])
  })

  test('the phone goes offline and catches up, and can block the business', async () => {
    await say('Hello')
    await page.waitFor('.msg.customer.delivered')
    await page.click('[data-setting=online]')
    await page.waitFor('[data-setting=online][aria-checked=false]')
    await businessSends({ type: 'text', text: { body: 'Are you there?' } })
    await page.waitFor('.msg.business.sent.waiting')
    await say('Not yet')
    await page.waitFor('.msg.customer.pending')

    await page.click('[data-setting=online]')
    await page.waitFor('.msg.business.read')
    await page.waitFor(`=>document.querySelectorAll('.msg.customer.delivered').length === 2`)
    await page.click('[data-setting=blocked]')
    await page.waitFor('[data-setting=blocked][aria-checked=true]')
    await businessSends({ type: 'text', text: { body: 'A small offer' } })

    await page.waitFor('.msg.business.failed')
    await page.reads('.msg.failed .why', '131026')
  })

  test('a fault is turned on, counted when it strikes, and turned off', async () => {
    await page.click('[data-fault=panel-throttle]')
    await page.waitFor('[data-fault=panel-throttle][aria-checked=true]')
    const text = { body: 'Too much' }
    const refused = await scene.send({
      messaging_product: 'whatsapp',
      to: `+${mara}`,
      type: 'text',
      text,
    })
    await page.waitFor(`=>document.querySelector('.struck')?.innerText === 'struck 1×'`)
    await page.click('[data-fault=panel-throttle]')
    await page.waitFor('[data-fault=panel-throttle][aria-checked=false]')

    expect(refused.body.error.code).toBe(130429)
    await page.reads('.calls li', '400')
    expect(scene.simulator.faults()).toEqual([])
  })

  test('every fault and scenario on offer can be turned on', async () => {
    await page.waitFor('[data-scenario]')
    const ids = await page.evaluate(
      `[...document.querySelectorAll('[data-fault^=panel-]')].map((each) => each.dataset.fault)`,
    )
    for (const id of ids) {
      await page.click(`[data-fault=${id}]`)
      await page.waitFor(`[data-fault=${id}][aria-checked=true]`)
    }
    await page.click('[data-scenario]')
    await page.waitFor('[data-scenario][aria-checked=true]')

    expect(ids.length).toBeGreaterThan(10)
    expect(scene.simulator.scenario()).not.toBeNull()
    expect(page.problems).toEqual([])
  })

  test('a lost connection is shown, loses no word, and comes back by itself', async () => {
    const port = Number(new URL(scene.simulator.url).port)
    await page.waitFor('[data-state=live]')
    await scene.close()
    await page.waitFor('[data-state=reconnecting], [data-state=offline]')
    await say('Can you hear me?')
    await page.waitFor('#trouble')
    const typed = await page.evaluate(`document.querySelector('#write').value`)
    scene = await startScene({ port })
    await page.waitFor('[data-state=live]')

    expect(typed).toBe('Can you hear me?')
  })

  test('works on a small screen, one pane at a time', async () => {
    await page.resize(360, 740)
    await page.click('.back')
    await page.waitFor('.conv')
    await page.click('.conv')
    await page.waitFor('#write')
    await page.click('[data-goto=panel]')
    await page.waitFor('.fault')

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
