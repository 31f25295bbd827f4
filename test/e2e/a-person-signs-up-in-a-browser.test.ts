// Sign-up in a real browser, from the first click to a message in and one out, with Meta's part played by the simulator.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Browser,
  chromiumHint,
  chromiumRuns,
  type Page,
  startChromium,
} from '../support/chromium.ts'
import type { TestTenant } from '../support/gateway.ts'
import { type Sending, startSending } from '../support/sending.ts'
import {
  accountsOf,
  agree,
  auditOf,
  choose,
  chooseNumber,
  createMetaAccount,
  openDialog,
  reconnect,
  signUp,
  start,
} from '../support/signup.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let browser: Browser
  let world: Sending
  let firm: TestTenant
  let page: Page

  beforeAll(async () => {
    world = await startSending()
    browser = await startChromium()
  })
  beforeEach(async () => {
    firm = await world.gateway.createTenant('Quay Street Advocates')
    page = await browser.newPage({ isApart: true })
    return () => page.close()
  })

  async function openPage(url: string): Promise<void> {
    await page.goto(url)
    await page.waitFor('#connect:not([disabled])')
  }

  async function expectMessagesBothWays(phoneNumberId: string, customer: string): Promise<void> {
    world.simulator.customerWrites(customer, {
      phone_number_id: phoneNumberId,
      type: 'text',
      text: { body: 'Is this the right number?' },
    })
    await world.hearMeta()
    const { json } = await world.gateway.call('GET', '/api/whatsapp/conversations', {
      key: firm.key,
    })
    expect(json.data).toMatchObject([{ contact_wa_id: customer, unread_count: 1 }])
    const sent = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: { to: `+${customer}`, type: 'text', text: { body: 'It is.' } },
    })
    expect(sent.status).toBe(202)
    await world.gateway.sendDue()
    expect(world.acceptedFor(customer)).toHaveLength(1)
  }

  test('a new number, from the first click to a message in and one out', async () => {
    const { url } = await start(world, firm)
    await openPage(url)
    await page.reads('.card', 'Connect a number to Quay Street Advocates.')
    const dialog = await openDialog(page)
    await choose(dialog, 'business', '')
    await choose(dialog, 'number', 'new')
    await dialog.type('[name="account_name"]', 'Quay Street')
    await dialog.type('[name="display_phone_number"]', '+1 555-0142')
    await dialog.type('[name="verified_name"]', 'Quay Street')
    await agree(dialog)
    await page.waitFor('.note.ok')

    await page.reads('.note', '+1 555-0142 sends and receives from now on.')
    expect(page.problems).toEqual([])
    const [account] = await accountsOf(world.gateway, firm)
    expect(account).toMatchObject({
      auth_status: 'ok',
      standing: { name: { name: 'Quay Street' } },
    })
    await expectMessagesBothWays(account.phone_number_id, '16505550181')
  })

  test('the full page instead of the pop-up: Meta sends the browser back', async () => {
    const meta = createMetaAccount(world)
    const { url } = await start(world, firm)
    await openPage(url)
    await page.click('#other a')
    await page.waitFor('#business')
    await chooseNumber(world, page, meta)
    await page.click('.primary')
    await page.waitFor('.note.ok')

    await page.reads('.note', 'Connected')
    expect(page.problems).toEqual([])
    await expectMessagesBothWays(meta.phoneNumberId, '16505550182')
  })

  test('a closed pop-up changes nothing and can be opened again', async () => {
    const { url } = await start(world, firm)
    await openPage(url)
    const dialog = await openDialog(page)
    await dialog.click('#cancel').catch(() => undefined)
    await page.waitFor('.note:not([hidden])')

    await page.reads('.note', 'you can try again')
    expect(await accountsOf(world.gateway, firm)).toEqual([])
    const again = await openDialog(page)
    await choose(again, 'business', '')
    await choose(again, 'number', 'none')
    await agree(again)
    await page.waitFor('.note.bad')
    await page.reads('.note', 'has no number yet')
  })

  test('a refusal says what to do, with its code; the link is used up then', async () => {
    const other = await world.gateway.createTenant('Other')
    const meta = createMetaAccount(world)
    await signUp(world, other, meta)
    const { url } = await start(world, firm)
    await openPage(url)
    const dialog = await openDialog(page)
    await chooseNumber(world, dialog, meta)
    await agree(dialog)
    await page.waitFor('.note.bad')

    await page.reads('.note', 'This number is connected elsewhere.')
    await page.reads('.note small', 'NUMBER_TAKEN')
    await page.goto(url)
    await page.reads('.note', 'finished, or tried, before')
  })

  test('a reconnect names the number and gives it a new token', async () => {
    const meta = createMetaAccount(world)
    const { json: account } = await signUp(world, firm, meta)
    const { url } = await reconnect(world, firm, account.id)
    await openPage(url)
    await page.reads('.card', `Reconnect ${meta.displayPhoneNumber}`)
    const dialog = await openDialog(page)
    await chooseNumber(world, dialog, meta)
    await agree(dialog)
    await page.waitFor('.note.ok')

    expect((await auditOf(world.gateway, firm.id)).at(-1)).toMatchObject({
      action: 'account.reconnected',
      subject: account.id,
    })
  })

  test('a window message from elsewhere is not believed', async () => {
    const { url } = await start(world, firm)
    await openPage(url)
    const dialog = await openDialog(page)
    // Right after Meta's own, so that it is the last that is heard.
    await page.evaluate(`window.addEventListener('message', ({ origin }) => {
      if (origin === 'https://evil.example') return
      const data = { waba_id: 'forged', phone_number_id: 'forged' }
      window.dispatchEvent(new MessageEvent('message', {
        origin: 'https://evil.example',
        data: JSON.stringify({ type: 'WA_EMBEDDED_SIGNUP', event: 'FINISH', data }),
      }))
    })`)
    await choose(dialog, 'business', '')
    await choose(dialog, 'number', 'new')
    await dialog.type('[name="display_phone_number"]', '+1 555-0143')
    await agree(dialog)

    await page.waitFor('.note.ok')
  })

  test('with the real Meta only facebook.com and what is below it are believed', async () => {
    const { url } = await start(world, firm)
    await openPage(url)
    const origins = [
      'https://www.facebook.com',
      'https://business.facebook.com',
      'http://www.facebook.com',
      'https://evilfacebook.com',
      'https://facebook.com.evil.example',
    ]
    const asked = await page.evaluate(`(async () => {
      document.documentElement.dataset.metaOrigin = 'https://www.facebook.com'
      const button = document.getElementById('connect')
      const seen = []
      for (const origin of ${JSON.stringify(origins)}) {
        await new Promise((resolve) => {
          window.fetch = (address) => {
            seen.push(new URL(address, location.href).searchParams.get('waba_id'))
            resolve()
            return new Promise(() => {})
          }
          window.FB.login = (callback) => {
            const data = JSON.stringify({ type: 'WA_EMBEDDED_SIGNUP', event: 'FINISH', data: { waba_id: '17' } })
            window.dispatchEvent(new MessageEvent('message', { origin, data }))
            callback({ authResponse: { code: 'AQ' } })
          }
          button.disabled = false
          button.click()
        })
      }
      return seen
    })()`)

    expect(asked).toEqual(['17', '17', null, null, null])
  })

  test('fits a phone and both themes, and nothing is wider than the screen', async () => {
    const { url } = await start(world, firm)
    for (const scheme of ['light', 'dark'] as const) {
      for (const [width, height] of [
        [1280, 800],
        [390, 844],
      ] as const) {
        await page.resize(width, height)
        await page.colorScheme(scheme)
        await openPage(url)
        const overflow = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
        expect(overflow, `${scheme} ${width}`).toBe(false)
      }
    }
    expect(page.problems).toEqual([])
  })
})
