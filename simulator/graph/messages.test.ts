import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeValue, clinic, type Scene, shop, startScene, textTo } from '../test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const textParameter = (text: string) => ({ type: 'text', text })
const path = `/v25.0/${shop.phone_number_id}/messages`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('an accepted send', () => {
  test('answers as Meta does', async () => {
    const answer = await scene.send(textTo('+1 650 555 0143'))

    expect(answer.status).toBe(200)
    expect(answer.headers.get('facebook-api-version')).toBe('v25.0')
    expect(answer.body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: '+1 650 555 0143', wa_id: '16505550143' }],
      messages: [{ id: expect.stringMatching(/^wamid\.HB/) }],
    })
  })

  test('has a wamid with the phone number inside, as long as a real one', async () => {
    const { body } = await scene.send(textTo('+16505550143'))

    const wamid: string = body.messages[0].id
    const inside = Buffer.from(wamid.slice('wamid.'.length), 'base64').toString('hex')
    const phone = Buffer.from('16505550143').toString('hex')
    const upperCaseHex = '(3[0-9]|4[1-6])'
    expect(inside).toMatch(new RegExp(`^1c180b${phone}150200111812${upperCaseHex}{18}00$`))
    expect(wamid).toHaveLength('wamid.HBgLMTY1MDU1NTAxNDMVAgARGBI4Mjk0MDUyRjlCOEY1NjA0OTkA'.length)
  })

  test('names a business-scoped user id and no phone number', async () => {
    const { to: _, ...rest } = textTo('')
    const { body } = await scene.send({ ...rest, recipient: 'ES.88210447365190027731' })

    expect(body.contacts).toEqual([
      { input: 'ES.88210447365190027731', user_id: 'ES.88210447365190027731' },
    ])
  })

  test('goes to the phone number when both are given', async () => {
    const { body } = await scene.send({
      ...textTo('+16505550143'),
      recipient: 'ES.88210447365190027731',
    })

    expect(body.contacts).toEqual([{ input: '+16505550143', wa_id: '16505550143' }])
  })

  test('is dropped without a status when a user id stands in "to"', async () => {
    const { status } = await scene.send(textTo('ES.88210447365190027731'))
    await scene.simulator.settled()

    expect(status).toBe(200)
    expect(scene.simulator.ledger().sends).toMatchObject([{ dropped: true }])
    expect(scene.receiver.received).toEqual([])
  })

  test('says "accepted" for a template', async () => {
    const { body } = await scene.send({
      messaging_product: 'whatsapp',
      to: '+16505550143',
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [textParameter('Mara'), textParameter('88231')] }],
      },
    })

    expect(body.messages).toEqual([{ id: expect.any(String), message_status: 'accepted' }])
  })

  test('has the same wamid in every run with the same seed', async () => {
    const scenes = await Promise.all(['one', 'one', 'another'].map((seed) => startScene({ seed })))

    const [first, second, third] = await Promise.all(
      scenes.map((each) => each.send(textTo('+16505550143'))),
    )

    expect(second?.body).toEqual(first?.body)
    expect(third?.body).not.toEqual(first?.body)
    await Promise.all(scenes.map((each) => each.close()))
  })
})

describe('a phone number in "to"', () => {
  test.each([
    ['+34 655 55 01 28', '34655550128'],
    ['34655550128', '34655550128'],
    // Without a plus, ten digits are national: the business is American.
    ['6505550143', '16505550143'],
    ['4512345678', '14512345678'],
    ['+4512345678', '4512345678'],
  ])('%s reaches %s', async (to, wa_id) => {
    const { body } = await scene.send(textTo(to))

    expect(body.contacts).toEqual([{ input: to, wa_id }])
  })

  test('gets the country code of the business', async () => {
    const madrid = { ...shop, phone_number_id: '34', display_phone_number: '+34 910 00 00 00' }
    scene.simulator.registerNumber(madrid)

    const { body } = await scene.send(textTo('655550128'), madrid)

    expect(body.contacts[0].wa_id).toBe('34655550128')
  })
})

describe('what a send carries', () => {
  test('is in the ledger as it was asked for', async () => {
    const context = { message_id: 'wamid.HBgLMTY1' }
    await scene.send({ ...textTo('+16505550143'), context, biz_opaque_callback_data: 'order 7' })
    await scene.simulator.settled()

    expect(scene.simulator.ledger().sends).toMatchObject([
      { biz_opaque_callback_data: 'order 7', request: { context } },
    ])
    expect(
      scene.receiver.received.map(
        ({ body }) => changeValue(body).statuses[0].biz_opaque_callback_data,
      ),
    ).toEqual(['order 7', 'order 7', 'order 7'])
  })

  test('may come as a form, as other Graph calls do', async () => {
    const form = new URLSearchParams({
      messaging_product: 'whatsapp',
      to: '+16505550143',
      type: 'text',
      text: '{"body": "Hello"}',
      access_token: shop.access_token,
    })

    const answer = await scene.call('POST', path, form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })

    expect(answer.status).toBe(200)
    expect(scene.simulator.ledger().sends[0]?.request).toEqual({
      messaging_product: 'whatsapp',
      to: '+16505550143',
      type: 'text',
      text: { body: 'Hello' },
    })
  })
})

describe('marking as read', () => {
  const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgL' }

  test('answers success and causes no status', async () => {
    const plain = await scene.send(read)
    const typing = await scene.send({ ...read, typing_indicator: { type: 'text' } })
    await scene.simulator.settled()

    expect([plain.body, typing.body]).toEqual([{ success: true }, { success: true }])
    expect(scene.receiver.received).toEqual([])
    expect(scene.simulator.ledger()).toMatchObject({
      sends: [],
      reads: [
        { message_id: 'wamid.HBgL', typing_indicator: false },
        { message_id: 'wamid.HBgL', typing_indicator: true },
      ],
    })
  })

  test('needs a message id', async () => {
    const answer = await scene.send({ messaging_product: 'whatsapp', status: 'read' })

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 131008 } } })
  })
})

describe('a refused call', () => {
  test.each([
    ['no token', {}],
    ['an unknown token', bearer('nobody')],
    ['another scheme', { authorization: `Basic ${shop.access_token}` }],
  ])('with %s is 401 code 190', async (_case, headers) => {
    const answer = await scene.call('POST', path, textTo('+16505550143'), headers)

    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({
      error: {
        message: expect.stringContaining('access token'),
        type: 'OAuthException',
        code: 190,
        fbtrace_id: expect.stringMatching(/^A[\w-]{22}$/),
      },
    })
  })

  test.each([
    ['an unknown number', '999', shop.access_token],
    ["another business's number", clinic.phone_number_id, shop.access_token],
  ])('to %s is 400 code 100 subcode 33', async (_case, phoneNumberId, token) => {
    const answer = await scene.call(
      'POST',
      `/v25.0/${phoneNumberId}/messages`,
      textTo('+16505550143'),
      bearer(token),
    )

    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 100, error_subcode: 33 })
    expect(answer.body.error.message).toContain(phoneNumberId)
  })

  const good = textTo('+16505550143')
  test.each([
    ['messaging_product', 100, { ...good, messaging_product: undefined }],
    ['"to"', 131008, { ...good, to: undefined }],
    ['to', 131009, { ...good, to: 'Mara' }],
    ['to', 131009, { ...good, to: 16505550143 }],
    ['recipient', 131009, { ...good, to: undefined, recipient: '16505550143' }],
    ['"type"', 131008, { ...good, type: undefined }],
    ['type', 131051, { ...good, type: 'hologram' }],
    ['type', 131051, { ...good, type: 'constructor' }],
    ['"text"', 131008, { ...good, text: undefined }],
    ['text', 131009, { ...good, text: 'Hello' }],
    ['"text.body"', 131008, { ...good, text: {} }],
    ['text.body', 131009, { ...good, text: { body: 'x'.repeat(4097) } }],
    ['"image.id"', 131008, { ...good, type: 'image', image: { caption: 'x' } }],
    ['"template.language"', 131008, { ...good, type: 'template', template: { name: 'x' } }],
    ['contacts', 131009, { ...good, type: 'contacts', contacts: [] }],
    ['biz_opaque', 131009, { ...good, biz_opaque_callback_data: 'x'.repeat(513) }],
    ['status', 131009, { ...good, status: 'unread' }],
    ['typing', 131009, { ...good, status: 'read', message_id: 'w', typing_indicator: {} }],
    ['group', 131041, { ...good, recipient_type: 'group', to: 'Y2FwaV9ncm91cDox' }],
    ['recipient_type', 131009, { ...good, recipient_type: 'crowd' }],
    ['sender', 131021, { ...good, to: '+1 555-017-2201' }],
    ['"context.message_id"', 131008, { ...good, context: {} }],
    ['context', 131009, { ...good, context: 'wamid.HBgL' }],
  ])('for %s is 400 code %i', async (name, code, body) => {
    const answer = await scene.send(body)

    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ type: 'OAuthException', code })
    expect(answer.body.error.error_data).toEqual({
      messaging_product: 'whatsapp',
      details: expect.stringContaining(name),
    })
    expect(scene.simulator.ledger().sends).toEqual([])
  })

  test.each(['', '{', 'null', '[]', '17', '"text"', '<html>', '{"__proto__": {"to": 1}}'])(
    'with the unusable body %j is code 100, and the next call works',
    async (body) => {
      const refused = await scene.call('POST', path, body, bearer(shop.access_token))
      const accepted = await scene.send(textTo('+16505550143'))

      expect(refused).toMatchObject({ status: 400, body: { error: { code: 100 } } })
      expect(accepted.status).toBe(200)
    },
  )

  test('nested too deeply is refused, and the ledger stays readable', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const text = JSON.stringify({ ...textTo('+16505550143'), deep: 0 })

    const answer = await scene.send(text.replace('"deep":0', `"deep":${deep}`))

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 100 } } })
    expect((await scene.call('GET', '/simulator/ledger')).status).toBe(200)
  })

  test.each([
    ['POST', '/messages'],
    ['POST', `/25/${shop.phone_number_id}/messages`],
    ['GET', path],
    ['POST', `/v99.0/${shop.phone_number_id}/messages`],
    ['GET', '/v25.0'],
  ])('%s %s is an unknown path', async (method, unknown) => {
    const answer = await scene.call(method, unknown)

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 2500 } } })
  })

  test('that is too large is 413 in the same shape', async () => {
    const answer = await scene.send(textTo('+16505550143', 'x'.repeat(16 * 1024 * 1024)))

    expect(answer).toMatchObject({ status: 413, body: { error: { type: 'OAuthException' } } })
  })
})
