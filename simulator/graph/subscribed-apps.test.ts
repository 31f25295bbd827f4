// Which apps hear of an account, and where.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  changeValue,
  type Scene,
  shop,
  startReceiver,
  startScene,
  textTo,
} from '../test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const call = (method: string, path: string, body?: unknown, token = shop.access_token) =>
  scene.call(method, path, body, { authorization: `Bearer ${token}` })
const number = `/v25.0/${shop.phone_number_id}`
const account = `/v25.0/${shop.waba_id}`
const changeNumber = (change: object) =>
  scene.call('PATCH', `/simulator/numbers/${shop.phone_number_id}`, change)

describe('subscribed_apps', () => {
  const path = `${account}/subscribed_apps`
  const hears = async () => {
    scene.receiver.received.length = 0
    await scene.send(textTo('+16505550143'))
    await scene.simulator.settled()
    return scene.receiver.received.length
  }

  test('lists the app, and whoever else is there', async () => {
    await scene.call('POST', '/simulator/apps', { app_id: '77', app_secret: 's', name: 'Other' })
    const token = { app_id: '77', access_token: 'of-the-other', waba_ids: [shop.waba_id] }
    await scene.call('POST', '/simulator/tokens', token)
    const added = await call('POST', path, {}, 'of-the-other')

    expect(added.body).toEqual({ success: true })
    expect((await call('GET', path)).body).toEqual({
      data: [
        {
          whatsapp_business_api_data: {
            id: '670843887430001',
            link: 'https://www.facebook.com/games/?app_id=670843887430001',
            name: 'Simulated App',
          },
        },
        { whatsapp_business_api_data: expect.objectContaining({ id: '77', name: 'Other' }) },
      ],
    })
  })

  test('without one there are no webhooks at all', async () => {
    const before = await hears()
    await call('DELETE', path)
    const without = await hears()
    await call('POST', path)

    expect([before, without, await hears()]).toEqual([3, 0, 3])
    expect((await call('GET', path)).body.data).toHaveLength(1)
  })

  test('a new account hears nothing before it is subscribed', async () => {
    await scene.call('POST', '/simulator/wabas', { waba_id: '88' })
    await scene.call('POST', '/simulator/numbers', {
      phone_number_id: '87',
      waba_id: '88',
      display_phone_number: '+1 555 0187',
    })
    const write = () =>
      scene.call('POST', '/simulator/customers/16505550143/messages', {
        phone_number_id: '87',
        type: 'text',
        text: 'Hi',
      })
    const token = { access_token: 'of-the-new', waba_ids: ['88'] }
    await scene.call('POST', '/simulator/tokens', token)
    await write()
    await call('POST', '/v25.0/88/subscribed_apps', {}, 'of-the-new')
    await write()
    await scene.simulator.settled()

    expect(scene.receiver.received).toHaveLength(1)
  })

  test('messages go to an override that shook hands; the number before the account', async () => {
    const answers = new Map<string, string>()
    const other = await startReceiver(({ method, url }) => {
      if (method === 'GET')
        answers.set(url.pathname, url.searchParams.get('hub.verify_token') ?? '')
      return { status: 200, body: url.searchParams.get('hub.challenge') ?? '' }
    })
    const at = (place: string) => ({
      override_callback_uri: other.url.replace('/hook', place),
      verify_token: 'of-the-override',
    })
    const messagesTo = async () => {
      other.received.length = 0
      await scene.send(textTo('+16505550143'))
      await scene.simulator.settled()
      return [...new Set(other.received.map(({ url }) => url.pathname))]
    }

    await call('POST', path, at('/of-account'))
    const listed = (await call('GET', path)).body.data[0].override_callback_uri
    const first = await messagesTo()
    await call('POST', number, { webhook_configuration: at('/of-number') })
    const second = await messagesTo()
    const shown = (await call('GET', `${number}?fields=webhook_configuration`)).body
    await changeNumber({ quality_rating: 'RED' })
    await scene.simulator.settled()
    await call('POST', number, { webhook_configuration: { override_callback_uri: '' } })
    await call('POST', path)

    expect(listed).toBe(at('/of-account').override_callback_uri)
    expect([first, second, await messagesTo()]).toEqual([['/of-account'], ['/of-number'], []])
    expect([...answers]).toEqual([
      ['/of-account', 'of-the-override'],
      ['/of-number', 'of-the-override'],
    ])
    expect(shown.webhook_configuration).toEqual({
      phone_number: at('/of-number').override_callback_uri,
      whatsapp_business_account: at('/of-account').override_callback_uri,
      application: scene.receiver.url,
    })
    // Everything that is not a message goes to the app all the same.
    expect(changeValue(scene.receiver.received[0]?.body ?? '').event).toBe('FLAGGED')
    await other.close()
  })

  test('an override that does not shake hands is refused', async () => {
    const silent = await startReceiver(() => ({ status: 403 }))
    const refused = await call('POST', path, {
      override_callback_uri: silent.url,
      verify_token: 'x',
    })

    expect(refused).toMatchObject({ status: 400, body: { error: { code: 2200 } } })
    expect(refused.body.error.message).toContain('403')
    expect((await call('GET', path)).body.data[0]).not.toHaveProperty('override_callback_uri')
    await silent.close()
  })

  test.each([
    ['no verify token', { override_callback_uri: 'https://a.example' }],
    ['no URL', { override_callback_uri: 'here', verify_token: 'x' }],
    [
      'a long URL',
      { override_callback_uri: `https://a.example/${'x'.repeat(200)}`, verify_token: 'x' },
    ],
  ])('an override with %s is refused', async (_case, body) => {
    expect((await call('POST', path, body)).body.error.code).toBe(100)
  })
})
