// Answers in Meta's shape, kept as files, against the simulator's own for the same cause.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sampleBytes } from '../media-samples.ts'
import { advance, manualClock } from '../test-clock.ts'
import { appSecret, clinic, type Scene, shop, startScene, textTo } from '../test-support.ts'

interface Answer {
  status: number
  body: { error?: Record<string, unknown> }
}

const recorded: Record<string, Answer> = JSON.parse(
  readFileSync(new URL('../fixtures/graph-answers.json', import.meta.url), 'utf8'),
)

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

const appId = '670843887430001'
const customer = '+16505550143'
const number = `/v25.0/${shop.phone_number_id}`
const account = `/v25.0/${shop.waba_id}`
const call = (method: string, path: string, body?: unknown, token = shop.access_token) =>
  scene.call(method, path, body, { authorization: `Bearer ${token}` })
const control = (method: string, path: string, body?: unknown) =>
  scene.call(method, `/simulator${path}`, body)
const text = (value: string) => ({ type: 'text', text: value })
const template = (components: unknown[], name = 'order_update', code = 'en_US') => ({
  messaging_product: 'whatsapp',
  to: customer,
  type: 'template',
  template: { name, language: { code }, components },
})
const order = (...parameters: object[]) => template([{ type: 'body', parameters }])
const goodOrder = () => order(text('Mara'), text('88231'))
const code = template(
  [
    { type: 'body', parameters: [text('123456')] },
    { type: 'button', sub_type: 'url', index: 0, parameters: [text('123456')] },
  ],
  'sign_in_code',
)
const changeNumber = (change: object) =>
  control('PATCH', `/numbers/${shop.phone_number_id}`, change)
const changeAccount = (change: object) => control('PATCH', `/wabas/${shop.waba_id}`, change)
const changeOrder = (change: object) => {
  const order = scene.simulator.templates(shop.waba_id).find(({ name }) => name === 'order_update')
  return control('PATCH', `/templates/${order?.id}`, change)
}
const tokenWith = async (more: object): Promise<string> =>
  (await control('POST', '/tokens', more)).body.access_token
const exchange = (signupCode: string) =>
  scene.call(
    'GET',
    `/v25.0/oauth/access_token?client_id=${appId}&client_secret=${appSecret}&code=${signupCode}`,
  )
const issueCode = () => scene.simulator.issueCode({ waba_ids: [shop.waba_id] })
const debug = (token: string) =>
  scene.call('GET', `/v25.0/debug_token?input_token=${token}&access_token=${appId}|${appSecret}`)
const draft = {
  name: 'pickup_ready',
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your order is ready.' }],
}
async function upload() {
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set(
    'file',
    new Blob([new Uint8Array(sampleBytes('image/jpeg'))], { type: 'image/jpeg' }),
    'a.jpg',
  )
  const response = await fetch(`${scene.simulator.url}${number}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.access_token}` },
    body: form,
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
async function sendAfter(change: Promise<unknown>, message: object = textTo(customer)) {
  await change
  return scene.send(message)
}

const causes: Record<string, () => Promise<Answer>> = {
  'err-10-permission': async () =>
    call(
      'POST',
      `${number}/messages`,
      textTo(customer),
      await tokenWith({ scopes: ['whatsapp_business_management'] }),
    ),
  'err-100-invalid-parameter': () => scene.send({ to: customer }),
  'err-131008-missing': () => scene.send({ ...textTo(''), to: undefined }),
  'err-131009-parameter': () => scene.send(textTo('Mara')),
  'err-131021-self': () => scene.send(textTo(shop.display_phone_number)),
  'err-131030-not-allowed': () => sendAfter(changeNumber({ allowed_recipients: [] })),
  'err-131031-locked': () => sendAfter(changeAccount({ standing: 'locked' })),
  'err-131057-maintenance': () => sendAfter(changeAccount({ standing: 'maintenance' })),
  'err-131062-bsuid': () =>
    scene.send({ ...code, to: undefined, recipient: 'ES.88210447365190027731' }),
  'err-132000-param-count': () => scene.send(order(text('Mara'))),
  'err-132001-template-missing': () => scene.send(template([], 'order_updat')),
  'err-132012-param-format': () => scene.send(template([], 'autumn_promo', 'en')),
  'err-132015-paused': () => sendAfter(changeOrder({ status: 'PAUSED' }), goodOrder()),
  'err-132016-disabled': () => sendAfter(changeOrder({ status: 'DISABLED' }), goodOrder()),
  'err-133005-pin': async () => {
    await changeNumber({ pin: '654321' })
    return call('POST', `${number}/register`, { messaging_product: 'whatsapp', pin: '123456' })
  },
  'err-133010-not-registered': () => sendAfter(changeNumber({ registered: false })),
  'err-133016-register-limit': async () => {
    const register = () =>
      call('POST', `${number}/register`, { messaging_product: 'whatsapp', pin: '123456' })
    for (let count = 0; count < 10; count++) await register()
    return register()
  },
  'err-134101-template-syncing': async () => {
    const promo = scene.simulator
      .templates(shop.waba_id)
      .find(({ name }) => name === 'autumn_promo')
    await control('PATCH', `/templates/${promo?.id}`, { status: 'PAUSED' })
    await control('PATCH', `/templates/${promo?.id}`, { status: 'APPROVED' })
    return call('POST', `${number}/marketing_messages`, template([], 'autumn_promo', 'en'))
  },
  'err-190-460-password': () =>
    sendAfter(
      control('PATCH', '/tokens', { access_token: shop.access_token, state: 'password_changed' }),
    ),
  'err-190-467-invalid': () =>
    sendAfter(
      control('PATCH', '/tokens', { access_token: shop.access_token, state: 'logged_out' }),
    ),
  'err-190-malformed': () => call('POST', `${number}/messages`, textTo(customer), 'nobody'),
  'err-200-permission': async () =>
    call(
      'POST',
      `${number}/messages`,
      textTo(customer),
      await tokenWith({
        granular_scopes: [
          { scope: 'whatsapp_business_management', target_ids: [shop.waba_id] },
          { scope: 'whatsapp_business_messaging', target_ids: [clinic.waba_id] },
        ],
      }),
    ),
  'err-33-number-deleted': () => sendAfter(changeNumber({ status: 'DELETED' })),
  'err-368-policy': () => sendAfter(changeAccount({ standing: 'restricted' })),
  'err-80008-waba-calls': async () => {
    await changeNumber({ registered: false })
    await Promise.all(Array.from({ length: 200 }, () => call('GET', account)))
    return call('GET', account)
  },
  'err-template-create-2388023': async () => {
    await call('POST', `${account}/message_templates`, draft)
    await call('DELETE', `${account}/message_templates?name=${draft.name}`)
    return call('POST', `${account}/message_templates`, draft)
  },
  'oauth-exchange-expired-code': () => {
    const signupCode = issueCode()
    advance(clock, 30_000)
    return exchange(signupCode)
  },
  'oauth-exchange-used-code': async () => {
    const signupCode = issueCode()
    await exchange(signupCode)
    return exchange(signupCode)
  },
  'media-get-gone': () => call('GET', '/v25.0/1037543291540009'),
  'send-ok': () => scene.send(textTo(customer)),
  'send-ok-template-accepted': () => scene.send(goodOrder()),
  'send-ok-template-held': () => sendAfter(changeOrder({ pacing: 'release' }), goodOrder()),
  'send-ok-bsuid': () =>
    scene.send({ ...textTo(''), to: undefined, recipient: 'ES.88210447365190027731' }),
  'mark-read-ok': () =>
    scene.send({ messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgL' }),
  'media-upload-ok': upload,
  'media-get-ok': async () => call('GET', `/v25.0/${(await upload()).body.id}`),
  'media-delete-ok': async () => call('DELETE', `/v25.0/${(await upload()).body.id}`),
  'oauth-exchange-ok': () => exchange(issueCode()),
  'debug-token-ok': () => debug(shop.access_token),
  'debug-token-invalid': async () => {
    await control('PATCH', '/tokens', {
      access_token: shop.access_token,
      state: 'password_changed',
    })
    return debug(shop.access_token)
  },
  'subscribed-apps-post-ok': () => call('POST', `${account}/subscribed_apps`),
  'subscribed-apps-get-ok': async () => {
    const subscriptions = scene.simulator.accounts()[0]?.subscriptions
    subscriptions?.set(appId, { override_callback_uri: 'https://a.example', verify_token: 'x' })
    return call('GET', `${account}/subscribed_apps`)
  },
  'register-ok': () =>
    call('POST', `${number}/register`, { messaging_product: 'whatsapp', pin: '123456' }),
  'template-create-ok': () => call('POST', `${account}/message_templates`, draft),
  'phone-number-get-ok': () =>
    call(
      'GET',
      `${number}?fields=verified_name,code_verification_status,display_phone_number,quality_rating,` +
        'platform_type,throughput,whatsapp_business_manager_messaging_limit,webhook_configuration',
    ),
  'templates-page-1': async () => {
    await call('POST', `${account}/message_templates`, { ...draft, name: 'order_ready' })
    return call('GET', `${account}/message_templates?limit=1&name=order`)
  },
}

/** Everything that is not told apart by its value alone: names and kinds, down to the leaves. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
}

test('every recorded answer has its cause here', () => {
  expect(Object.keys(causes).sort()).toEqual(Object.keys(recorded).sort())
})

// Texts of details are free; these hold ids or names that differ.
const ownDetails = ['err-131009-parameter']

test.each(Object.entries(recorded))('%s', async (name, wanted) => {
  const { status, body } = (await causes[name]?.()) ?? { status: 0, body: {} }

  expect(status).toBe(wanted.status)
  if (wanted.body.error === undefined) {
    expect(shapeOf(body)).toEqual(shapeOf(wanted.body))
    return
  }
  const { error_user_title: _t, error_user_msg: _m, ...error } = wanted.body.error
  expect(body.error).toMatchObject({
    ...error,
    ...(ownDetails.includes(name) ? { error_data: expect.anything() } : {}),
    fbtrace_id: expect.stringMatching(/^A[\w-]{22}$/),
  })
})
