// Embedded Signup in a real browser: a page with Meta's own recipe, only the SDK's address differs.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultAppId } from '../../simulator/server.ts'
import { type Scene, shop, startScene } from '../../simulator/test-support.ts'
import {
  type Browser,
  chromiumHint,
  chromiumRuns,
  type Page,
  startChromium,
} from '../support/chromium.ts'

const runs = chromiumRuns()

const consolePage = (simulatorUrl: string) => `<!doctype html>
<title>A console</title>
<button id="connect">Connect</button>
<pre id="log"></pre>
<script>
  const log = (line) => { document.getElementById('log').append(JSON.stringify(line) + '\\n') }
  window.fbAsyncInit = () => {
    FB.init({ appId: '${defaultAppId}', version: 'v25.0' })
    document.body.dataset.ready = 'yes'
  }
  window.addEventListener('message', (event) => {
    if (typeof event.data !== 'string') return
    log({ origin: event.origin, ...JSON.parse(event.data) })
  })
  document.getElementById('connect').onclick = () =>
    FB.login((response) => log(response), {
      config_id: '1', response_type: 'code', override_default_response_type: true,
      extras: { setup: {}, sessionInfoVersion: '3' },
    })
</script>
<script async src="${simulatorUrl}/en_US/sdk.js"></script>`

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let browser: Browser
  let scene: Scene
  let host: Server
  let page: Page

  beforeAll(async () => {
    browser = await startChromium()
  })
  beforeEach(async () => {
    scene = await startScene()
    host = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(consolePage(scene.simulator.url))
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    page = await browser.newPage({ isApart: true })
  })
  afterEach(async () => {
    await page.close()
    await scene.close()
    host.closeAllConnections()
    await new Promise((resolve) => host.close(resolve))
  })

  const hostUrl = () => `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const logged = async (count: number) => {
    await page.waitFor(
      `=>document.querySelectorAll('#log')[0]?.innerText.trim().split('\\n').length >= ${count}`,
    )
    return (await page.text('#log'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const openDialog = async (): Promise<Page> => {
    await page.goto(hostUrl())
    await page.waitFor('body[data-ready]')
    const { opened } = await page.popup()
    await page.click('#connect')
    const dialog = await opened
    await dialog.waitFor('#business')
    return dialog
  }
  const pick = (dialog: Page, id: string, value: string) =>
    dialog.evaluate(`(() => {
      const select = document.getElementById('${id}')
      select.value = '${value}'
      select.dispatchEvent(new Event('change'))
    })()`)

  test('FB.login gives a code, and the session info names what was chosen', async () => {
    const dialog = await openDialog()
    expect(dialog.problems).toEqual([])
    const { body } = await scene.call('GET', '/simulator/signup/state')
    const account = body.accounts.find((each: { waba_id: string }) => each.waba_id === shop.waba_id)
    await pick(dialog, 'business', account.business_id)
    await pick(dialog, 'account', shop.waba_id)
    await pick(dialog, 'number', shop.phone_number_id)
    await dialog.click('.primary').catch(() => {
      // The window may be gone before the click is confirmed.
    })

    const [session, login] = await logged(2)
    expect(session).toMatchObject({
      origin: scene.simulator.url,
      type: 'WA_EMBEDDED_SIGNUP',
      event: 'FINISH',
      data: { phone_number_id: shop.phone_number_id, waba_id: shop.waba_id },
    })
    expect(login).toMatchObject({ status: 'connected', authResponse: { code: expect.any(String) } })
  })

  test('a cancelled dialog says at which step, and FB.login has nothing', async () => {
    const dialog = await openDialog()
    await dialog.click('#cancel').catch(() => {})

    const [session, login] = await logged(2)
    expect(session).toMatchObject({ event: 'CANCEL', data: { current_step: 'BUSINESS_SELECTION' } })
    expect(login).toEqual({ status: 'unknown', authResponse: null })
  })

  test('with a redirect_uri the code and the state come back in the address', async () => {
    const query = new URLSearchParams({
      client_id: defaultAppId,
      redirect_uri: `${hostUrl()}/callback?from=meta`,
      state: 'state-17',
      response_type: 'code',
      config_id: '1',
    })
    await page.goto(`${scene.simulator.url}/v25.0/dialog/oauth?${query}`)
    await page.waitFor('#business')
    await page.click('.primary')
    await page.waitFor(`=>location.pathname === '/callback'`)

    const back = new URL(await page.evaluate('location.href'))
    expect(back.searchParams.get('from')).toBe('meta')
    expect(back.searchParams.get('state')).toBe('state-17')
    expect(back.searchParams.get('code')).toMatch(/^AQ/)
  })

  test('a refusal comes back as access_denied', async () => {
    const query = new URLSearchParams({
      client_id: defaultAppId,
      redirect_uri: `${hostUrl()}/callback`,
      state: 'state-18',
    })
    await page.goto(`${scene.simulator.url}/v25.0/dialog/oauth?${query}`)
    await page.click('#cancel')
    await page.waitFor(`=>location.pathname === '/callback'`)

    const { searchParams } = new URL(await page.evaluate('location.href'))
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: 'access_denied',
      error_reason: 'user_denied',
      state: 'state-18',
    })
  })

  test.each([
    ['an unknown app', { client_id: '42' }, 'Invalid app id'],
    [
      'an address that is no web page',
      { client_id: defaultAppId, redirect_uri: 'javascript:alert(1)' },
      'redirect_uri',
    ],
  ])('%s is refused with a reason', async (_what, parameters, words) => {
    await page.goto(`${scene.simulator.url}/v25.0/dialog/oauth?${new URLSearchParams(parameters)}`)

    await page.reads('#trouble', words)
  })
})
