// The /simulator routes for the business side, as a person at a terminal uses them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Scene, shop, startScene, textTo } from '../test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const call = (method: string, path: string, body?: unknown) =>
  scene.call(method, `/simulator${path}`, body)

describe('setting up', () => {
  test('an account, a number and a token, step by step', async () => {
    const account = await call('POST', '/wabas', {
      waba_id: '88',
      name: 'Sete Folhas',
      business_id: '5',
    })
    await call('POST', '/numbers', {
      phone_number_id: '87',
      waba_id: '88',
      display_phone_number: '+1 555 0187',
    })
    const token = await call('POST', '/tokens', { waba_ids: ['88'], expires_in: 60 })
    const number = { phone_number_id: '87', access_token: token.body.access_token }

    expect(account).toMatchObject({
      status: 201,
      body: { waba_id: '88', business_id: '5', name: 'Sete Folhas', subscribed_apps: [] },
    })
    expect(token).toMatchObject({
      status: 201,
      body: {
        app_id: '670843887430001',
        kind: 'system_user',
        death: null,
        granular_scopes: [{ target_ids: ['88'] }, { target_ids: ['88'] }, {}],
      },
    })
    expect((await scene.send(textTo('+16505550143'), number)).status).toBe(200)
  })

  test('can be looked at', async () => {
    const [apps, tokens, wabas, templates, settings, number] = await Promise.all(
      [
        '/apps',
        '/tokens',
        '/wabas',
        '/templates',
        '/settings',
        `/numbers/${shop.phone_number_id}`,
      ].map((path) => call('GET', path)),
    )

    expect(apps?.body.data).toMatchObject([{ app_id: '670843887430001' }])
    expect(tokens?.body.data).toHaveLength(2)
    expect(wabas?.body.data[0]).toMatchObject({
      waba_id: shop.waba_id,
      subscribed_apps: ['670843887430001'],
    })
    expect(templates?.body.data).toHaveLength(8)
    expect(settings?.body).toEqual({
      service_window: 'open',
      template_review: { mode: 'automatic', delay_ms: 0 },
    })
    expect(number?.body).toMatchObject({
      phone_number_id: shop.phone_number_id,
      status: 'CONNECTED',
    })
  })

  test('an account may start without templates', async () => {
    await call('POST', '/wabas', { waba_id: '88', sample_templates: false })

    expect((await call('GET', '/templates?waba_id=88')).body.data).toEqual([])
  })

  test('a template seeded is approved at once', async () => {
    const seeded = await call('POST', '/templates', {
      waba_id: shop.waba_id,
      name: 'greeting',
      category: 'MARKETING',
      components: [{ type: 'body', text: 'Good morning' }],
    })
    const answer = await scene.send({
      messaging_product: 'whatsapp',
      to: '+16505550143',
      type: 'template',
      template: { name: 'greeting', language: { code: 'en_US' } },
    })

    expect(seeded).toMatchObject({ status: 201, body: { status: 'APPROVED', language: 'en_US' } })
    expect(answer.status).toBe(200)
  })

  test('a reset takes all of it back', async () => {
    await call('POST', '/apps', { app_id: '77', app_secret: 's' })
    await call('PUT', '/settings', { service_window: 'enforced' })
    await call('POST', '/reset')

    expect((await call('GET', '/apps')).body.data).toHaveLength(1)
    expect((await call('GET', '/tokens')).body.data).toEqual([])
    expect((await call('GET', '/wabas')).body.data).toEqual([])
    expect((await call('GET', '/settings')).body.service_window).toBe('open')
  })
})

describe('a mistake', () => {
  test.each([
    ['POST', '/apps', { app_id: 'mine', app_secret: 's' }, 'app_id'],
    ['POST', '/apps', { app_id: '7' }, 'app_secret'],
    ['POST', '/tokens', { scopes: ['everything'] }, 'scopes'],
    ['POST', '/tokens', { expires_in: -1 }, 'expires_in'],
    ['PATCH', '/tokens', { access_token: shop.access_token, state: 'tired' }, 'state'],
    ['POST', '/codes', { waba_ids: [] }, 'waba_ids'],
    ['POST', '/wabas', { waba_id: '' }, 'waba_id'],
    ['PATCH', `/wabas/${shop.waba_id}`, { standing: 'upright' }, 'standing'],
    ['PATCH', `/numbers/${shop.phone_number_id}`, { quality_rating: 'BLUE' }, 'quality_rating'],
    ['PATCH', `/numbers/${shop.phone_number_id}`, { pin: '12' }, 'pin'],
    ['POST', '/templates', { waba_id: shop.waba_id, name: 'No', components: [] }, 'name'],
    ['PUT', '/settings', { service_window: 'ajar' }, 'service_window'],
    ['PUT', '/settings', { template_review: { delay_ms: -1 } }, 'template_review.delay_ms'],
    ['PATCH', '/customers/16505550143', { on_whatsapp: 'no' }, 'on_whatsapp'],
    ['PUT', '/windows', { phone_number_id: '1', customer: 'Mara', open: true }, 'customer'],
    ['POST', '/media', { phone_number_id: '1', mime_type: 'image', base64: '' }, 'mime_type'],
  ])('%s %s %j names %s', async (method, path, body, field) => {
    const answer = await call(method, path, body)

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
    expect(answer.body.error.message).toContain(field)
  })

  test.each([
    ['PATCH', '/tokens', { access_token: 'nobody', state: 'revoked' }, 'TOKEN_NOT_FOUND'],
    ['POST', '/tokens', { app_id: '7' }, 'APP_NOT_FOUND'],
    ['POST', '/codes', { app_id: '7', waba_ids: ['1'] }, 'APP_NOT_FOUND'],
    ['PATCH', '/wabas/999', {}, 'ACCOUNT_NOT_FOUND'],
    ['PATCH', '/numbers/999', {}, 'NUMBER_NOT_FOUND'],
    ['GET', '/numbers/999', undefined, 'NUMBER_NOT_FOUND'],
    ['PATCH', '/templates/999', {}, 'TEMPLATE_NOT_FOUND'],
    [
      'POST',
      '/templates',
      { waba_id: '999', name: 'a', components: [{ type: 'BODY' }] },
      'ACCOUNT_NOT_FOUND',
    ],
    [
      'PUT',
      '/windows',
      { phone_number_id: '999', customer: '16505550143', open: true },
      'NUMBER_NOT_FOUND',
    ],
    [
      'POST',
      '/media',
      { phone_number_id: '999', mime_type: 'a/b', base64: '' },
      'NUMBER_NOT_FOUND',
    ],
  ])('%s %s %j is 404 %s', async (method, path, body, code) => {
    expect(await call(method, path, body)).toMatchObject({ status: 404, body: { error: { code } } })
  })

  test('a template twice is a conflict', async () => {
    const seed = { waba_id: shop.waba_id, name: 'order_update', components: [{ type: 'BODY' }] }

    expect(await call('POST', '/templates', seed)).toMatchObject({
      status: 409,
      body: { error: { code: 'TEMPLATE_EXISTS' } },
    })
  })
})
