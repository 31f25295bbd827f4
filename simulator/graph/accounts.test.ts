// Business accounts and their numbers: lookups, registration, versions, usage.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advance, manualClock } from '../test-clock.ts'
import { clinic, type Scene, shop, startScene, textTo } from '../test-support.ts'

const clock = manualClock()
let scene: Scene
beforeAll(async () => {
  scene = await startScene({ clock })
})
beforeEach(async () => {
  clock.startAnew()
  await scene.startAnew()
})
afterAll(() => scene.close())

const hour = 60 * 60 * 1000
const later = (ms: number) => advance(clock, ms)
const call = (method: string, path: string, body?: unknown, token = shop.access_token) =>
  scene.call(method, path, body, { authorization: `Bearer ${token}` })
const number = `/v25.0/${shop.phone_number_id}`
const account = `/v25.0/${shop.waba_id}`
const product = { messaging_product: 'whatsapp' }
const changeNumber = (change: object) =>
  scene.call('PATCH', `/simulator/numbers/${shop.phone_number_id}`, change)
const events = () =>
  scene.receiver.received
    .map(({ body }) => JSON.parse(body.toString()).entry[0])
    .map(({ id, changes }) => ({ id, ...changes[0] }))

describe('a number', () => {
  test('is described as Meta does', async () => {
    expect((await call('GET', number)).body).toEqual({
      verified_name: 'Business 0001',
      code_verification_status: 'VERIFIED',
      display_phone_number: '+1 555-017-2201',
      quality_rating: 'GREEN',
      platform_type: 'CLOUD_API',
      throughput: { level: 'STANDARD' },
      webhook_configuration: { application: scene.receiver.url },
      id: shop.phone_number_id,
    })
  })

  test('shows what it is asked for', async () => {
    const asked = 'status,name_status,whatsapp_business_manager_messaging_limit,is_pin_enabled'
    const { body } = await call('GET', `${number}?fields=${asked}`)

    expect(body).toEqual({
      status: 'CONNECTED',
      name_status: 'APPROVED',
      whatsapp_business_manager_messaging_limit: 'TIER_2K',
      is_pin_enabled: false,
      id: shop.phone_number_id,
    })
    expect((await call('GET', `${number}?fields=mood`)).body.error).toMatchObject({ code: 100 })
  })

  test('tells its health', async () => {
    await scene.call('PATCH', `/simulator/wabas/${shop.waba_id}`, {
      business_verification_status: 'not_verified',
    })
    const limited = (await call('GET', `${number}?fields=health_status`)).body.health_status
    await changeNumber({ status: 'BANNED' })
    const blocked = (await call('GET', `${number}?fields=health_status`)).body.health_status

    expect(limited.can_send_message).toBe('LIMITED')
    expect(limited.entities.map((each: { entity_type: string }) => each.entity_type)).toEqual([
      'PHONE_NUMBER',
      'WABA',
      'BUSINESS',
      'APP',
    ])
    expect(blocked.can_send_message).toBe('BLOCKED')
  })

  test('is listed with the others of its account', async () => {
    scene.simulator.registerNumber({
      ...shop,
      phone_number_id: '77',
      display_phone_number: '15550172202',
    })
    const all = (await call('GET', `${account}/phone_numbers`)).body
    const page = (await call('GET', `${account}/phone_numbers?limit=1&fields=id`)).body

    expect(all.data).toMatchObject([
      { id: shop.phone_number_id },
      { id: '77', display_phone_number: '+1 555-017-2202' },
    ])
    expect(page.data).toEqual([{ id: shop.phone_number_id }])
    expect(page.paging.next).toContain('/phone_numbers?')
  })

  test("is nobody else's", async () => {
    for (const path of [number, `${account}/phone_numbers`, account]) {
      expect((await call('GET', path, undefined, clinic.access_token)).body.error).toMatchObject({
        code: 100,
        error_subcode: 33,
      })
    }
  })

  test.each([
    [{ throughput: 'HIGH' }, 'phone_number_quality_update', { event: 'THROUGHPUT_UPGRADE' }],
    [{ quality_rating: 'RED' }, 'phone_number_quality_update', { event: 'FLAGGED' }],
    [
      { messaging_limit: 'TIER_250' },
      'phone_number_quality_update',
      { event: 'DOWNGRADE', current_limit: 'TIER_250', old_limit: 'TIER_2K' },
    ],
    [
      { messaging_limit: 'TIER_UNLIMITED' },
      'phone_number_quality_update',
      { event: 'UPGRADE', current_limit: 'TIER_UNLIMITED' },
    ],
    [
      { verified_name: 'Harbour and Finch' },
      'phone_number_name_update',
      {
        decision: 'APPROVED',
        requested_verified_name: 'Harbour and Finch',
        rejection_reason: null,
      },
    ],
    [{ name_status: 'DECLINED' }, 'phone_number_name_update', { decision: 'REJECTED' }],
  ])('that changes by %j is told by %s', async (change, field, value) => {
    const changed = await changeNumber(change)
    await scene.simulator.settled()

    expect(changed.body).toMatchObject(change)
    expect(events()).toMatchObject([
      { id: shop.waba_id, field, value: { display_phone_number: '15550172201', ...value } },
    ])
  })

  test('that stays the same is told by nothing', async () => {
    await changeNumber({ quality_rating: 'GREEN', throughput: 'STANDARD' })
    await scene.simulator.settled()

    expect(events()).toEqual([])
  })
})

describe('registration', () => {
  const register = (pin: unknown = '123456') =>
    call('POST', `${number}/register`, { ...product, pin })
  const deregister = () => call('POST', `${number}/deregister`, {})

  test('brings a number back that was deregistered', async () => {
    const gone = await deregister()
    const refused = await scene.send(textTo('+16505550143'))
    const twice = await deregister()
    const back = await register()

    expect([gone.body, back.body]).toEqual([{ success: true }, { success: true }])
    expect(refused.body.error).toMatchObject({ code: 133010, error_subcode: 2593006 })
    expect(twice.body.error.code).toBe(133010)
    expect((await scene.send(textTo('+16505550143'))).status).toBe(200)
  })

  test('needs the pin that was set, and not too many guesses', async () => {
    await call('POST', number, { pin: '654321' })
    const guesses = []
    for (let count = 0; count < 5; count++) guesses.push((await register()).body.error.code)
    const blocked = await register('654321')
    later(hour)

    expect(guesses).toEqual([133005, 133005, 133005, 133005, 133005])
    expect(blocked.body.error).toMatchObject({ code: 133008 })
    expect(blocked.body.error.error_data.details).toContain('60 minutes')
    expect((await register('654321')).status).toBe(200)
  })

  test('works ten times in 72 hours', async () => {
    for (let count = 0; count < 10; count++) expect((await register()).status).toBe(200)
    const limited = await register()
    later(72 * hour)

    expect(limited.body.error.code).toBe(133016)
    expect((await register()).status).toBe(200)
  })

  test.each([
    ['without a product', { pin: '123456' }, 100],
    ['without a pin', product, 131008],
    ['with a short pin', { ...product, pin: '123' }, 131009],
  ])('%s is refused', async (_case, body, code) => {
    const answer = await call('POST', `${number}/register`, body)

    expect(answer).toMatchObject({ status: 400, body: { error: { code } } })
  })

  test('needs a verified number', async () => {
    await changeNumber({ code_verification_status: 'EXPIRED' })

    expect((await register()).body.error.code).toBe(133006)
  })

  test('of a number on a phone cannot be taken back', async () => {
    await changeNumber({ coexistence: true })
    const sync = (sync_type?: string) =>
      call('POST', `${number}/smb_app_data`, { ...product, sync_type })

    expect((await deregister()).body.error.code).toBe(100)
    expect((await sync('history')).body).toMatchObject({ request_id: expect.any(String) })
    expect((await sync('history')).body.error.code).toBe(2593107)
    expect((await sync('smb_app_state_sync')).status).toBe(200)
    expect((await sync('everything')).body.error.code).toBe(131009)
    expect((await sync()).body.error.code).toBe(131008)
  })

  test('a new pin is told by webhook', async () => {
    await call('POST', number, { pin: '654321' })
    const empty = await call('POST', number, {})
    await scene.simulator.settled()

    expect(events()).toMatchObject([{ field: 'security', value: { event: 'PIN_CHANGED' } }])
    expect(empty.body.error.code).toBe(100)
    expect((await call('GET', `${number}?fields=is_pin_enabled`)).body.is_pin_enabled).toBe(true)
  })
})

describe('an account', () => {
  test('is described as Meta does', async () => {
    const plain = (await call('GET', account)).body
    const fields = 'name,account_review_status,owner_business_info,status'

    expect(plain).toEqual({
      name: 'Business 1560',
      timezone_id: '1',
      currency: 'USD',
      message_template_namespace: expect.stringMatching(/^[0-9a-f]{32}$/),
      id: shop.waba_id,
    })
    expect((await call('GET', `${account}?fields=${fields}`)).body).toEqual({
      name: 'Business 1560',
      account_review_status: 'APPROVED',
      owner_business_info: { name: expect.any(String), id: expect.stringMatching(/^\d{15}$/) },
      status: 'ACTIVE',
      id: shop.waba_id,
    })
  })
})

describe('an answer', () => {
  test('has the headers of Meta', async () => {
    const [good, bad] = [await call('GET', number), await call('GET', '/v25.0/999')]

    for (const { headers } of [good, bad]) {
      expect(headers.get('facebook-api-version')).toBe('v25.0')
      expect(headers.get('content-type')).toBe('application/json; charset=UTF-8')
      expect(headers.get('x-fb-trace-id')).toMatch(/^\S+$/)
      expect(headers.get('x-fb-request-id')).toMatch(/^\S+$/)
    }
  })

  test.each([
    ['v26.0', 'v26.0'],
    ['v21.0', 'v21.0'],
    // Gone since September 2026: the oldest living one answers.
    ['v20.0', 'v21.0'],
    ['v12.0', 'v21.0'],
  ])('to %s is given by %s', async (asked, served) => {
    const { headers } = await call('GET', `/${asked}/${shop.phone_number_id}`)

    expect(headers.get('facebook-api-version')).toBe(served)
  })

  test.each(['v27.0', 'v99.0'])(
    'to %s, which does not exist yet, is a refusal',
    async (version) => {
      expect(await call('GET', `/${version}/${shop.phone_number_id}`)).toMatchObject({
        status: 400,
        body: { error: { code: 2500 } },
      })
    },
  )

  test('to a management call tells how much of the hour is used up', async () => {
    const { headers } = await call('GET', account)

    expect(JSON.parse(headers.get('x-business-use-case-usage') ?? '')).toEqual({
      [shop.waba_id]: [
        {
          type: 'whatsapp_business_management',
          call_count: 1,
          total_cputime: 1,
          total_time: 1,
          estimated_time_to_regain_access: 0,
        },
      ],
    })
    expect(
      (await scene.send(textTo('+16505550143'))).headers.get('x-business-use-case-usage'),
    ).toBeNull()
  })

  test('is a refusal after 200 management calls in an hour without a registered number', async () => {
    await changeNumber({ registered: false })
    await Promise.all(Array.from({ length: 200 }, () => call('GET', account)))
    later(hour / 2)
    const refused = await call('GET', account)
    const usage = JSON.parse(refused.headers.get('x-business-use-case-usage') ?? '')
    later(hour / 2)

    expect(refused).toMatchObject({ status: 400, body: { error: { code: 80008 } } })
    expect(usage[shop.waba_id][0]).toMatchObject({
      call_count: 100,
      // In minutes.
      estimated_time_to_regain_access: 30,
    })
    expect((await call('GET', account)).status).toBe(200)
  })
})

describe('an app', () => {
  test('can be looked up by its own tokens', async () => {
    expect((await call('GET', '/v25.0/670843887430001?fields=name')).body).toEqual({
      name: 'Simulated App',
      id: '670843887430001',
    })
    await scene.call('POST', '/simulator/apps', { app_id: '77', app_secret: 's' })
    expect((await call('GET', '/v25.0/77')).body.error.error_subcode).toBe(33)
  })
})
