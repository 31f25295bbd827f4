// Template messages, compared with the template as it was approved.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeValue, type Scene, shop, startScene } from '../test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const link = 'https://files.example/a.jpg'
const text = (value: unknown, more: object = {}) => ({ type: 'text', text: value, ...more })
const named = (name: string, value: string) => text(value, { parameter_name: name })
const body = (...parameters: object[]) => ({ type: 'body', parameters })
const header = (...parameters: object[]) => ({ type: 'header', parameters })
const button = (index: number, sub_type: string, ...parameters: object[]) => ({
  type: 'button',
  sub_type,
  index: String(index),
  parameters,
})
const picture = { type: 'image', image: { link } }

function sendTemplate(
  name: string,
  components?: unknown,
  { code = 'en_US', edge = 'messages', to = { to: '+16505550143' } as object } = {},
) {
  return scene.call(
    'POST',
    `/v25.0/${shop.phone_number_id}/${edge}`,
    {
      messaging_product: 'whatsapp',
      ...to,
      type: 'template',
      template: { name, language: { code }, ...(components === undefined ? {} : { components }) },
    },
    { authorization: `Bearer ${shop.access_token}` },
  )
}

const seed = (template: object) =>
  scene.call('POST', '/simulator/templates', { waba_id: shop.waba_id, ...template })
const change = async (name: string, patch: object) => {
  const { data } = (await scene.call('GET', `/simulator/templates?waba_id=${shop.waba_id}`)).body
  const { id } = data.find((each: { name: string }) => each.name === name)
  return scene.call('PATCH', `/simulator/templates/${id}`, patch)
}

const promo = [
  header(picture),
  body(named('first_name', 'Mara')),
  button(0, 'quick_reply', { type: 'payload', payload: 'no' }),
  button(1, 'url', text('mara')),
]

describe('a template message', () => {
  test.each<[string, string, unknown, string]>([
    ['with numbered parameters', 'order_update', [body(text('Mara'), text('7'))], 'en_US'],
    ['with named parameters, a picture and buttons', 'autumn_promo', promo, 'en'],
    [
      'with a code',
      'sign_in_code',
      [body(text('123456')), button(0, 'url', text('123456'))],
      'en_US',
    ],
    [
      'with an amount and a date',
      'order_update',
      [
        body(
          { type: 'currency', currency: { fallback_value: '$1', code: 'USD', amount_1000: 1000 } },
          { type: 'date_time', date_time: { fallback_value: 'today' } },
        ),
      ],
      'en_US',
    ],
  ])('%s is accepted', async (_case, name, components, code) => {
    const answer = await sendTemplate(name, components, { code })

    expect(answer.body).toMatchObject({ messages: [{ message_status: 'accepted' }] })
  })

  test('is billed by its category', async () => {
    await sendTemplate('autumn_promo', promo, { code: 'en' })
    await scene.simulator.settled()

    expect(scene.simulator.ledger().sends).toMatchObject([{ category: 'marketing' }])
    expect(changeValue(scene.receiver.received[0]?.body ?? '').statuses[0].pricing.category).toBe(
      'marketing',
    )
  })

  test('can be held, and then released or dropped', async () => {
    const good = [body(text('Mara'), text('7'))]
    await change('order_update', { pacing: 'release' })
    const released = await sendTemplate('order_update', good)
    await scene.simulator.settled()
    await change('order_update', { pacing: 'drop' })
    const dropped = await sendTemplate('order_update', good)
    await scene.simulator.settled()

    for (const answer of [released, dropped]) {
      expect(answer.body.messages[0].message_status).toBe('held_for_quality_assessment')
    }
    const statuses = scene.receiver.received.map(({ body }) => changeValue(body).statuses[0])
    expect(statuses.map(({ status }) => status)).toEqual(['sent', 'delivered', 'read', 'failed'])
    expect(statuses.at(-1).errors[0].code).toBe(132015)
  })

  test('goes to somebody who never wrote', async () => {
    await scene.call('PUT', '/simulator/settings', { service_window: 'enforced' })
    await sendTemplate('order_update', [body(text('Mara'), text('7'))])

    expect(scene.simulator.ledger().sends[0]).not.toHaveProperty('outcome')
  })
})

describe('a template that cannot be sent', () => {
  const good = [body(text('Mara'), text('7'))]

  test.each([
    ['another name', 'order_updat', 'en_US'],
    ['another language', 'order_update', 'en'],
    ["another account's", 'only_of_the_clinic', 'en_US'],
  ])('%s is 404 code 132001', async (_case, name, code) => {
    await seed({
      waba_id: '318402275114907',
      name: 'only_of_the_clinic',
      components: [{ type: 'BODY' }],
    })
    const answer = await sendTemplate(name, good, { code })

    expect(answer).toMatchObject({ status: 404, body: { error: { code: 132001 } } })
    expect(answer.body.error.error_data.details).toBe(
      `template name (${name}) does not exist in ${code}`,
    )
  })

  test.each([
    ['PENDING', 404, 132001],
    ['REJECTED', 404, 132001],
    ['PAUSED', 400, 132015],
    ['DISABLED', 400, 132016],
  ])('%s is %i code %i', async (status, http, code) => {
    await change('order_update', { status })
    const answer = await sendTemplate('order_update', good)

    expect(answer).toMatchObject({ status: http, body: { error: { code } } })
  })

  test.each([132007, 132068, 132069])('is refused with %i when told to', async (code) => {
    await change('order_update', { refuses_with: code })
    const answer = await sendTemplate('order_update', good)

    expect(answer).toMatchObject({ status: 400, body: { error: { code } } })
  })

  test('hello_world goes from test numbers only', async () => {
    const ordinary = await sendTemplate('hello_world')
    await scene.call('PATCH', `/simulator/numbers/${shop.phone_number_id}`, { test_number: true })
    const sandbox = await sendTemplate('hello_world')

    expect(ordinary.body.error.code).toBe(131058)
    expect(sandbox.status).toBe(200)
  })

  test('a code does not go to a user id', async () => {
    const components = [body(text('123456')), button(0, 'url', text('123456'))]
    const to = { recipient: 'ES.88210447365190027731' }
    const code = await sendTemplate('sign_in_code', components, { to })
    const other = await sendTemplate('order_update', good, { to })

    expect(code).toMatchObject({ status: 400, body: { error: { code: 131062 } } })
    expect(other.status).toBe(200)
  })
})

describe('parameters that do not fit', () => {
  test.each<[string, number, string, unknown, string]>([
    [
      'too few',
      132000,
      'order_update',
      [body(text('Mara'))],
      '(1) does not match the expected number of params (2)',
    ],
    ['none', 132000, 'order_update', undefined, 'body: number of localizable_params (0)'],
    ['too many', 132000, 'order_update', [body(text('a'), text('b'), text('c'))], '(3)'],
    [
      'a header that is not there',
      132000,
      'order_update',
      [header(text('x')), body(text('a'), text('b'))],
      'header',
    ],
    [
      'a picture in the body',
      132012,
      'order_update',
      [body(picture, text('b'))],
      'expected TEXT, received IMAGE',
    ],
    [
      'an amount without a text',
      131008,
      'order_update',
      [body({ type: 'currency', currency: {} }, text('b'))],
      'fallback_value',
    ],
    ['an empty text', 131009, 'order_update', [body(text(''), text('b'))], 'body.text'],
    ['a missing text', 131008, 'order_update', [body({ type: 'text' }, text('b'))], 'body.text'],
    ['a line break', 132018, 'order_update', [body(text('a\nb'), text('b'))], 'new-line'],
    ['five spaces', 132018, 'order_update', [body(text('a     b'), text('b'))], 'spaces'],
    [
      'a text that gets too long',
      132005,
      'order_update',
      [body(text('x'.repeat(1020)), text('b'))],
      'body',
    ],
    ['components that are none', 131009, 'order_update', 'body', 'template.components'],
    ['an unknown component', 131009, 'order_update', [{ type: 'tail' }], 'template.components'],
    [
      'no picture',
      132012,
      'autumn_promo',
      promo.slice(1),
      'header: Format mismatch, expected IMAGE, received UNKNOWN',
    ],
    [
      'a text for the picture',
      132012,
      'autumn_promo',
      [header(text('x')), ...promo.slice(1)],
      'received TEXT',
    ],
    [
      'a picture without a source',
      131008,
      'autumn_promo',
      [header({ type: 'image', image: {} }), ...promo.slice(1)],
      'image.id',
    ],
    [
      'an unnamed parameter',
      100,
      'autumn_promo',
      [promo[0], body(text('Mara')), promo[3]],
      'Parameter name is missing',
    ],
    [
      'another name',
      132000,
      'autumn_promo',
      [promo[0], body(named('name', 'Mara')), promo[3]],
      '(name)',
    ],
    [
      'no end for the link',
      131008,
      'autumn_promo',
      promo.slice(0, 3),
      'Button at index 1 of type Url requires a parameter',
    ],
    [
      'an empty link button',
      131008,
      'autumn_promo',
      [...promo.slice(0, 2), button(1, 'url')],
      'requires a parameter',
    ],
    [
      'a button of another type',
      132018,
      'autumn_promo',
      [...promo.slice(0, 2), button(1, 'quick_reply')],
      'index 1 is of type Url',
    ],
    [
      'a button that is not there',
      132018,
      'autumn_promo',
      [...promo, button(2, 'url', text('x'))],
      'no button at index 2',
    ],
    [
      'a code of 16 characters',
      131009,
      'sign_in_code',
      [body(text('1')), button(0, 'url', text('x'.repeat(16)))],
      '15',
    ],
  ])('%s: code %i', async (_case, code, name, components, details) => {
    const language = name === 'autumn_promo' ? 'en' : 'en_US'
    const answer = await sendTemplate(name, components, { code: language })

    expect(answer.body.error).toMatchObject({ code })
    expect(answer.body.error.error_data.details).toContain(details)
    expect(answer.status).toBe(400)
  })

  test('of a location header, a coupon and a phone button', async () => {
    await seed({
      name: 'visit_us',
      components: [
        { type: 'HEADER', format: 'LOCATION' },
        { type: 'BODY', text: 'We are here.' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'COPY_CODE', example: 'AUTUMN' },
            { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550172201' },
          ],
        },
      ],
    })
    const place = header({ type: 'location', location: { latitude: 1, longitude: 2 } })
    const coupon = (value: string) =>
      button(0, 'copy_code', { type: 'coupon_code', coupon_code: value })
    const codeOf = async (...components: object[]) => {
      const { body } = await sendTemplate('visit_us', components)
      return body.error?.code ?? 'accepted'
    }

    expect(await codeOf(place, coupon('AUTUMN'))).toBe('accepted')
    expect(await codeOf(place)).toBe(131008)
    expect(await codeOf(place, coupon('x'.repeat(16)))).toBe(131009)
    expect(await codeOf(place, coupon('A'), button(1, 'phone_number', text('x')))).toBe(132018)
    expect(await codeOf(header({ type: 'location', location: {} }), coupon('A'))).toBe(131008)
  })
})

describe('the Marketing Messages API', () => {
  const edge = 'marketing_messages'

  test('takes marketing templates and nothing else', async () => {
    const promotion = await sendTemplate('autumn_promo', promo, { code: 'en', edge })
    const utility = await sendTemplate('order_update', [body(text('a'), text('b'))], { edge })

    expect(promotion.status).toBe(200)
    expect(utility).toMatchObject({ status: 400, body: { error: { code: 134100 } } })
    expect(scene.simulator.ledger().sends).toMatchObject([{ category: 'marketing_lite' }])
  })

  test('waits until a new template is synced', async () => {
    await change('autumn_promo', { status: 'PENDING' })
    await change('autumn_promo', { status: 'APPROVED' })
    const answer = await sendTemplate('autumn_promo', promo, { code: 'en', edge })

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 134101 } } })
  })

  test('can be the only way for marketing', async () => {
    await scene.call('PATCH', `/simulator/wabas/${shop.waba_id}`, {
      disable_marketing_messages_on_cloud_api: true,
    })
    const answer = await sendTemplate('autumn_promo', promo, { code: 'en' })

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 131063 } } })
  })
})
