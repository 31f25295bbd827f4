import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import { appSecret, type Scene, shop, startScene } from '../test-support.ts'

let scene: Scene
let clientId: string

beforeAll(async () => {
  scene = await startScene()
})
beforeEach(async () => {
  await scene.startAnew()
  clientId = await ownAppId()
})
afterAll(() => scene.close())

/** The simulator's own app, as debug_token names it. */
async function ownAppId(): Promise<string> {
  const query = new URLSearchParams({
    input_token: shop.access_token,
    access_token: shop.access_token,
  })
  const { body } = await scene.call('GET', `/v25.0/debug_token?${query}`)
  return body.data.app_id
}

const finish = (choice: object) =>
  scene.call('POST', '/simulator/signup/finish', { client_id: clientId, ...choice })

async function exchange(code: string) {
  const query = new URLSearchParams({
    client_id: clientId,
    client_secret: appSecret,
    code,
  })
  return scene.call('GET', `/v25.0/oauth/access_token?${query}`)
}

test('an existing number: the code becomes a token that is good for that account alone', async () => {
  const { status, body } = await finish({
    waba_id: shop.waba_id,
    number: 'existing',
    phone_number_id: shop.phone_number_id,
  })

  expect(status).toBe(201)
  expect(body).toMatchObject({
    event: 'FINISH',
    data: {
      waba_id: shop.waba_id,
      phone_number_id: shop.phone_number_id,
      business_id: expect.any(String),
    },
  })
  const { body: token } = await exchange(body.code)
  const query = new URLSearchParams({
    input_token: token.access_token,
    access_token: `${clientId}|${appSecret}`,
  })
  const { body: debug } = await scene.call('GET', `/v25.0/debug_token?${query}`)
  expect(debug.data).toMatchObject({ is_valid: true, expires_at: 0 })
  expect(debug.data.granular_scopes).toContainEqual({
    scope: 'whatsapp_business_messaging',
    target_ids: [shop.waba_id],
  })
  expect((await exchange(body.code)).status).toBe(400)
})

test('a new account and number exist afterwards, and the number waits to be registered', async () => {
  const { body } = await finish({
    account_name: 'Quay Street Advocates',
    number: 'new',
    display_phone_number: '+1 555-0142',
    verified_name: 'Quay Street',
    token_life: '60_days',
  })
  const { body: token } = await exchange(body.code)
  const bearer = { authorization: `Bearer ${token.access_token}` }

  // Seconds may pass until it is handed out.
  expect(Math.ceil(token.expires_in / (24 * 60 * 60))).toBe(60)
  const { body: numbers } = await scene.call(
    'GET',
    `/v25.0/${body.data.waba_id}/phone_numbers`,
    undefined,
    bearer,
  )
  expect(numbers.data).toMatchObject([
    { id: body.data.phone_number_id, verified_name: 'Quay Street' },
  ])
  const register = await scene.call(
    'POST',
    `/v25.0/${body.data.phone_number_id}/register`,
    { messaging_product: 'whatsapp', pin: '123456' },
    bearer,
  )
  expect(register.body).toEqual({ success: true })
})

test('without a number, and with one that stays in the app, the event says so', async () => {
  const none = await finish({ number: 'none' })
  const coexisting = await finish({
    number: 'new',
    display_phone_number: '+1 555-0143',
    coexistence: true,
  })

  expect(none.body).toMatchObject({ event: 'FINISH_ONLY_WABA' })
  expect(none.body.data).not.toHaveProperty('phone_number_id')
  expect(coexisting.body.event).toBe('FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING')
  expect(Object.keys(coexisting.body.data)).toEqual(['waba_id'])
})

test('the app hears of it by webhook too, under the id of the portfolio', async () => {
  const { body } = await finish({
    waba_id: shop.waba_id,
    number: 'existing',
    phone_number_id: shop.phone_number_id,
  })
  await scene.simulator.settled()

  const [entry] = JSON.parse(scene.receiver.received[0]?.body.toString() ?? '').entry
  expect(entry).toMatchObject({
    id: body.data.business_id,
    changes: [
      {
        field: 'account_update',
        value: { event: 'PARTNER_ADDED', waba_info: { waba_id: shop.waba_id } },
      },
    ],
  })
})

describe('a wrong choice is refused by name and leaves nothing behind', () => {
  test.each([
    ['client_id', { client_id: '42', number: 'none' }],
    ['waba_id', { waba_id: '42', number: 'none' }],
    ['phone_number_id', { waba_id: shop.waba_id, number: 'existing', phone_number_id: '42' }],
    ['display_phone_number', { number: 'new' }],
    ['display_phone_number', { number: 'new', display_phone_number: 'none' }],
    ['number', {}],
  ])('%s in %j', async (field, choice) => {
    const before = await scene.call('GET', '/simulator/signup/state')
    const { status, body } = await finish(choice)

    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body.error.message).toContain(`${field}:`)
    expect((await scene.call('GET', '/simulator/signup/state')).body).toEqual(before.body)
  })
})

test('the page learns what there is to choose, and no secret', async () => {
  const { body } = await scene.call('GET', `/simulator/signup/state?client_id=${clientId}`)

  expect(body.app_name).toEqual(expect.any(String))
  expect(body.accounts[0]).toMatchObject({
    waba_id: shop.waba_id,
    numbers: [{ phone_number_id: shop.phone_number_id }],
  })
  expectNone(JSON.stringify(body), shop.access_token)
  expectNone(JSON.stringify(body), appSecret)
})

test.each(['/sdk.js', '/en_US/sdk.js'])('%s may be loaded by other pages', async (path) => {
  const response = await fetch(`${scene.simulator.url}${path}`)

  expect(response.headers.get('content-type')).toContain('text/javascript')
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(await response.text()).toContain('window.FB')
})
