import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  appSecret,
  changeValue,
  clinic,
  type Scene,
  shop,
  startReceiver,
  startScene,
  textTo,
} from './test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const { phone_number_id } = shop
const customerPath = '/simulator/customers/16505550143/messages'

describe('a customer who writes', () => {
  test('reaches the gateway as Meta would report it', async () => {
    const written = await scene.call('POST', customerPath, {
      phone_number_id,
      type: 'text',
      text: { body: 'Is the blue planter still in stock?' },
      name: 'Mara Quint',
    })
    await scene.call('GET', '/simulator/settled')

    expect(written).toMatchObject({
      status: 201,
      body: { wamid: expect.stringMatching(/^wamid\.HB/) },
    })
    expect(scene.receiver.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: shop.waba_id,
            changes: [
              {
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: '15550172201', phone_number_id },
                  contacts: [{ profile: { name: 'Mara Quint' }, wa_id: '16505550143' }],
                  messages: [
                    {
                      from: '16505550143',
                      id: written.body.wamid,
                      timestamp: expect.stringMatching(/^\d{10}$/),
                      type: 'text',
                      text: { body: 'Is the blue planter still in stock?' },
                    },
                  ],
                },
                field: 'messages',
              },
            ],
          },
        ],
      },
    ])
  })

  const media = { id: expect.stringMatching(/^\d{16}$/), sha256: expect.stringMatching(/^.{43}=$/) }
  const voice = { mime_type: 'audio/ogg; codecs=opus', voice: true }
  const pdf = { mime_type: 'application/pdf', filename: 'receipt.pdf' }
  const sticker = { mime_type: 'image/webp', animated: false }
  const spot = { latitude: -23.561684, longitude: -46.655981, name: 'Viveiro' }
  const card = [{ name: { formatted_name: 'Otis B. Lane' }, phones: [{ phone: '+1' }] }]
  const thumb = { message_id: 'wamid.HBgL', emoji: '👍' }
  const tapped = { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } }
  const chosen = {
    type: 'list_reply',
    list_reply: { id: 'slot', title: '09:30', description: 'Tuesday' },
  }
  const filledIn = { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: '{"a":1}' } }
  const mayCall = { type: 'call_permission_reply', call_permission_reply: { response: 'accept' } }
  const cart = { catalog_id: '7', product_items: [{ product_retailer_id: 'pot', quantity: 2 }] }
  const quickReply = { payload: 'STOP', text: 'Stop promotions' }
  test.each([
    ['text', 'Hi', { body: 'Hi' }],
    ['image', { caption: 'A leaf' }, { ...media, mime_type: 'image/jpeg', caption: 'A leaf' }],
    ['image', undefined, { ...media, mime_type: 'image/jpeg' }],
    ['audio', undefined, { ...media, ...voice }],
    ['video', { id: '42' }, { ...media, mime_type: 'video/mp4', id: '42' }],
    ['document', { filename: 'receipt.pdf' }, { ...media, ...pdf }],
    ['sticker', undefined, { ...media, ...sticker }],
    ['location', spot, spot],
    ['contacts', card, card],
    ['reaction', thumb, thumb],
    ['reaction', { message_id: 'wamid.HBgL' }, { message_id: 'wamid.HBgL' }],
    ['interactive', tapped, tapped],
    ['interactive', chosen, chosen],
    ['interactive', filledIn, filledIn],
    ['interactive', mayCall, mayCall],
    ['order', cart, cart],
    ['button', quickReply, quickReply],
  ])('can send %s %j', async (type, content, reported) => {
    await scene.call('POST', customerPath, { phone_number_id, type, [type]: content })
    await scene.simulator.settled()

    const [message] = changeValue(scene.receiver.received[0]?.body ?? '').messages
    expect(message).toMatchObject({ type, [type]: reported })
  })

  test('can reply to a message of the business', async () => {
    await scene.call('POST', customerPath, {
      phone_number_id,
      type: 'button',
      button: { text: 'Yes' },
      context: { id: 'wamid.HBgLquoted' },
    })
    await scene.simulator.settled()

    const [message] = changeValue(scene.receiver.received[0]?.body ?? '').messages
    expect(message.context).toEqual({ from: '15550172201', id: 'wamid.HBgLquoted' })
  })

  test.each([
    [{ context: { forwarded: true } }],
    [{ context: { frequently_forwarded: true } }],
    [{ referral: { source_id: '120', source_type: 'ad', headline: 'Pots' } }],
    [{ group_id: 'Y2FwaV9ncm91cA' }],
  ])('can write with %j', async (circumstances) => {
    await scene.call('POST', customerPath, {
      phone_number_id,
      type: 'text',
      text: 'Hi',
      ...circumstances,
    })
    await scene.simulator.settled()

    const [message] = changeValue(scene.receiver.received[0]?.body ?? '').messages
    expect(message).toMatchObject(circumstances)
    expect(message.context ?? {}).not.toHaveProperty('from')
  })

  test('may be known by user id only, and then no phone number appears', async () => {
    await scene.call('POST', '/simulator/customers/ES.88210447365190027731/messages', {
      phone_number_id,
      type: 'text',
      text: 'Hola',
      name: 'Inés',
      username: 'inesvidal',
    })
    await scene.simulator.settled()

    const { contacts, messages } = changeValue(scene.receiver.received[0]?.body ?? '')
    expect(contacts).toEqual([
      { profile: { name: 'Inés', username: 'inesvidal' }, user_id: 'ES.88210447365190027731' },
    ])
    expect(messages[0].from_user_id).toBe('ES.88210447365190027731')
    expect(messages[0]).not.toHaveProperty('from')
  })
})

describe('raw deliveries', () => {
  const hmac = (body: Buffer, secret = appSecret) =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

  test('send exactly the given text, rightly signed', async () => {
    const body = '{"a":"é/"} not JSON'

    const answer = await scene.call('POST', '/simulator/deliveries', { body })

    const [request] = scene.receiver.received
    expect(answer).toMatchObject({ status: 201, body: { kind: 'raw', state: 'delivered' } })
    expect(request?.body.toString()).toBe(body)
    expect(request?.headers['x-hub-signature-256']).toBe(hmac(Buffer.from(body)))
  })

  test('send bytes that are not UTF-8', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d])

    await scene.call('POST', '/simulator/deliveries', { body_base64: bytes.toString('base64') })

    expect(scene.receiver.received[0]?.body).toEqual(bytes)
    expect(scene.receiver.received[0]?.headers['x-hub-signature-256']).toBe(hmac(bytes))
  })

  test('serialise a JSON value the way Meta does', async () => {
    await scene.call('POST', '/simulator/deliveries', { payload: { a: 'é/' } })

    expect(scene.receiver.received[0]?.body.toString()).toBe(String.raw`{"a":"\u00e9\/"}`)
  })

  test('can be signed wrongly or not at all', async () => {
    await scene.call('POST', '/simulator/deliveries', { body: '{}', signature: 'wrong' })
    await scene.call('POST', '/simulator/deliveries', { body: '{}', signature: 'missing' })

    const [wrong, missing] = scene.receiver.received.map(({ headers }) => headers)
    expect(wrong?.['x-hub-signature-256']).toMatch(/^sha256=[0-9a-f]{64}$/)
    expect(wrong?.['x-hub-signature-256']).not.toBe(hmac(Buffer.from('{}')))
    expect(missing).not.toHaveProperty('x-hub-signature-256')
  })
})

describe('settings', () => {
  test('a number registered over HTTP can send at once, and again with a new token', async () => {
    const number = { ...clinic, phone_number_id: '77', waba_id: '78', access_token: 'of-77' }
    const registered = await scene.call('POST', '/simulator/numbers', number)
    const first = await scene.send(textTo('+16505550143'), number)
    await scene.call('POST', '/simulator/numbers', { ...number, access_token: 'renewed' })
    const second = await scene.send(textTo('+16505550143'), number)

    expect(registered).toMatchObject({ status: 201, body: number })
    // Nobody has the old token any more.
    expect([first.status, second.status]).toEqual([200, 401])
    expect((await scene.call('GET', '/simulator/numbers')).body.data).toHaveLength(3)
  })

  test('webhooks go where they are told, signed with the secret of the moment', async () => {
    const elsewhere = await startReceiver()

    const set = await scene.call('PUT', '/simulator/webhook', {
      url: elsewhere.url,
      app_secret: 'rotated',
    })
    await scene.call('POST', '/simulator/deliveries', { body: '{}' })

    const expected = createHmac('sha256', 'rotated').update('{}').digest('hex')
    expect(set.body).toMatchObject({ url: elsewhere.url, verify_token: expect.any(String) })
    expect(elsewhere.received[0]?.headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
    expect(scene.receiver.received).toEqual([])
    await elsewhere.close()
  })

  test('the handshake can be asked for', async () => {
    const { body } = await scene.call('POST', '/simulator/webhook/verify')

    expect(body).toEqual({ verified: false, response_status: 200, reason: expect.any(String) })
  })
})

describe('the ledger', () => {
  test('shows sends and deliveries, of one number when asked', async () => {
    await scene.send({ ...textTo('+16505550143'), biz_opaque_callback_data: 'a1' })
    await scene.send(textTo('+16505550144'), clinic)
    await scene.call('GET', '/simulator/settled')

    const all = await scene.call('GET', '/simulator/ledger')
    const { body } = await scene.call('GET', `/simulator/ledger?phone_number_id=${phone_number_id}`)

    expect([all.body.sends.length, all.body.deliveries.length]).toEqual([2, 6])
    expect(body.sends).toEqual([
      {
        wamid: expect.any(String),
        phone_number_id,
        accepted_at: expect.stringMatching(/Z$/),
        recipient: { input: '+16505550143', wa_id: '16505550143' },
        type: 'text',
        biz_opaque_callback_data: 'a1',
        dropped: false,
        request: { ...textTo('+16505550143'), biz_opaque_callback_data: 'a1' },
      },
    ])
    expect(body.deliveries).toHaveLength(3)
    expect(body.deliveries[0]).toMatchObject({
      kind: 'status',
      phone_number_id,
      wamid: body.sends[0].wamid,
      status: 'sent',
      state: 'delivered',
      attempts: [
        {
          url: scene.receiver.url,
          response_status: 200,
          error: null,
          at: expect.stringMatching(/Z$/),
          duration_ms: expect.any(Number),
        },
      ],
    })
  })

  test('is empty after a reset, which keeps the first webhook and repeats no id', async () => {
    const before = await scene.send(textTo('+16505550143'))
    await scene.call('PUT', '/simulator/webhook', { url: 'http://127.0.0.1:9/' })

    await scene.call('POST', '/simulator/reset')

    expect((await scene.call('GET', '/simulator/ledger')).body).toEqual({
      requests: [],
      sends: [],
      reads: [],
      deliveries: [],
      faults: [],
      forgotten: 0,
    })
    expect((await scene.call('GET', '/simulator/webhook')).body.url).toBe(scene.receiver.url)
    expect((await scene.send(textTo('+16505550143'))).status).toBe(401)
    await scene.call('POST', '/simulator/numbers', shop)
    const after = await scene.send(textTo('+16505550143'))
    expect(after.body.messages[0].id).not.toBe(before.body.messages[0].id)
  })
})

describe('a mistaken request', () => {
  const hi = { phone_number_id, type: 'text', text: 'Hi' }
  test.each([
    ['phone_number_id', 'POST', '/simulator/numbers', { ...shop, phone_number_id: 17 }],
    ['access_token', 'POST', '/simulator/numbers', { ...shop, access_token: '' }],
    ['display_phone_number', 'POST', '/simulator/numbers', { ...shop, display_phone_number: 'x' }],
    ['url', 'PUT', '/simulator/webhook', { url: 'ftp://example.org' }],
    ['type', 'POST', customerPath, { ...hi, type: 'hologram' }],
    ['type', 'POST', customerPath, { ...hi, type: 'constructor' }],
    ['text', 'POST', customerPath, { ...hi, text: undefined }],
    [
      'location.longitude',
      'POST',
      customerPath,
      { ...hi, type: 'location', location: { latitude: 1 } },
    ],
    ['interactive.type', 'POST', customerPath, { ...hi, type: 'interactive', interactive: {} }],
    ['wa_id', 'POST', '/simulator/customers/mara/messages', hi],
    ['signature', 'POST', '/simulator/deliveries', { body: '', signature: 'forged' }],
    ['body_base64', 'POST', '/simulator/deliveries', { body_base64: '?' }],
    ['exactly one', 'POST', '/simulator/deliveries', {}],
    ['phone_number_id', 'GET', '/simulator/ledger?phone_number_id=1&phone_number_id=2', undefined],
    ['body', 'POST', '/simulator/numbers', undefined],
  ])('names %s: %s %s %j', async (field, method, path, body) => {
    const answer = await scene.call(method, path, body)

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
    expect(answer.body.error.message).toContain(field)
  })

  test.each([
    ['is not JSON', '{"phone_number_id": '],
    ['is nested too deeply', '['.repeat(50_000) + ']'.repeat(50_000)],
  ])('that %s says so', async (_case, body) => {
    const answer = await scene.call('POST', '/simulator/numbers', body)

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_JSON' } } })
  })

  test('for a number nobody registered says which', async () => {
    const answer = await scene.call('POST', customerPath, { ...hi, phone_number_id: '999' })

    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NUMBER_NOT_FOUND' } } })
    expect(answer.body.error.message).toContain('phone_number_id: 999')
  })

  test('for an unknown path is 404', async () => {
    const answer = await scene.call('GET', '/simulator/nowhere')

    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
  })

  test('is forgiven when only the content type is wrong', async () => {
    const answer = await scene.call('POST', customerPath, hi, {
      'content-type': 'application/x-www-form-urlencoded',
    })

    expect(answer.status).toBe(201)
  })
})
