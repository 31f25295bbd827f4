// What Meta accepts and then fails, and what it refuses because of who or what is involved.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock, pass } from '../test-clock.ts'
import { changeValue, clinic, type Scene, shop, startScene, textTo } from '../test-support.ts'

let shared: Scene
/** The shared one, unless a test has another. */
let scene: Scene
beforeAll(async () => {
  shared = await startScene({ serviceWindow: 'enforced' })
})
beforeEach(async () => {
  await shared.startAnew()
  scene = shared
})
afterEach(async () => {
  if (scene !== shared) await scene.close()
})
afterAll(() => shared.close())

const hour = 60 * 60 * 1000
const { phone_number_id } = shop
const customer = '16505550143'
async function write(from = customer) {
  const message = { phone_number_id, type: 'text', text: 'Hi' }
  await scene.call('POST', `/simulator/customers/${from}/messages`, message)
  await scene.simulator.settled()
}
const promo = {
  messaging_product: 'whatsapp',
  to: `+${customer}`,
  type: 'template',
  template: {
    name: 'autumn_promo',
    language: { code: 'en' },
    components: [
      {
        type: 'header',
        parameters: [{ type: 'image', image: { link: 'https://files.example/a.jpg' } }],
      },
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Mara' }] },
      { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: 'm' }] },
    ],
  },
}

/** Sends, expects acceptance, and tells which statuses followed. */
async function statusesOf(message: object, number = shop) {
  scene.receiver.received.length = 0
  const answer = await scene.send(message, number)
  expect(answer.status).toBe(200)
  await scene.simulator.settled()
  return scene.receiver.received.map(({ body }) => changeValue(body).statuses[0])
}
const outcomeOf = async (message: object, number = shop) => {
  const statuses = await statusesOf(message, number)
  return statuses[0].errors?.[0].code ?? statuses.at(-1).status
}

describe('the 24-hour window', () => {
  test('fails a message to somebody who never wrote, after accepting it', async () => {
    const statuses = await statusesOf(textTo(`+${customer}`))

    expect(statuses).toEqual([
      {
        id: scene.simulator.ledger().sends[0]?.wamid,
        status: 'failed',
        timestamp: expect.any(String),
        recipient_id: customer,
        errors: [
          {
            code: 131047,
            title: 'Re-engagement message',
            message: 'Re-engagement message',
            error_data: {
              details:
                'Message failed to send because more than 24 hours have passed since the ' +
                'customer last replied to this number.',
            },
            href: '/documentation/business-messaging/whatsapp/support/error-codes',
          },
        ],
      },
    ])
  })

  test('is opened by what the customer writes, for that number alone', async () => {
    await write()

    expect(await outcomeOf(textTo(`+${customer}`))).toBe('read')
    expect(await outcomeOf(textTo(`+${customer}`), clinic)).toBe(131047)
    expect(await outcomeOf(textTo('+16505550144'))).toBe(131047)
  })

  test('closes 24 hours after the last message', async () => {
    const clock = manualClock()
    scene = await startScene({ serviceWindow: 'enforced', clock })
    await write()
    await pass(scene, clock, 23 * hour)
    await write()
    await pass(scene, clock, 23 * hour)
    await scene.send(textTo(`+${customer}`))
    await pass(scene, clock, hour)
    await scene.send(textTo(`+${customer}`))

    const [open, closed] = scene.simulator.ledger().sends
    expect(open).not.toHaveProperty('outcome')
    expect(closed).toMatchObject({ outcome: { status: 'failed', error: { code: 131047 } } })
  })

  test('is known by the user id of a customer who shows no number', async () => {
    const user = 'ES.88210447365190027731'
    await write(user)
    const message = { ...textTo(''), to: undefined, recipient: user }

    expect(await outcomeOf(message)).toBe('read')
    // Another portfolio has other ids for the same person.
    expect(await outcomeOf(message, clinic)).toBe(131026)
  })

  test('can be opened, closed and switched off by hand', async () => {
    const window = { phone_number_id, customer }
    const opened = await scene.call('PUT', '/simulator/windows', { ...window, open: true })
    const first = await outcomeOf(textTo(`+${customer}`))
    const closed = await scene.call('PUT', '/simulator/windows', { ...window, open: false })
    const second = await outcomeOf(textTo(`+${customer}`))
    await scene.call('PUT', '/simulator/settings', { service_window: 'open' })

    expect(opened.body.open_until).toMatch(/^20/)
    expect(closed.body.open_until).toBeNull()
    expect([first, second]).toEqual(['read', 131047])
    expect(await outcomeOf(textTo(`+${customer}`))).toBe('read')
  })
})

describe('a recipient', () => {
  beforeEach(() => write())
  const profile = (change: object) =>
    scene.call('PATCH', `/simulator/customers/${customer}`, change)

  test('who is not on WhatsApp fails with 131026', async () => {
    await profile({ on_whatsapp: false })

    expect(await outcomeOf(textTo(`+${customer}`))).toBe(131026)
  })

  test('who blocked the business fails with 131026 too', async () => {
    await scene.call('POST', '/simulator/phone/customers', { wa_id: customer })
    const path = `/simulator/phone/chats/${phone_number_id}/${customer}/blocked`
    await scene.call('PUT', path, { blocked: true })

    expect(await outcomeOf(textTo(`+${customer}`))).toBe(131026)
  })

  test('whom the business blocked fails with 130403', async () => {
    await profile({ blocked_by: [phone_number_id] })

    expect(await outcomeOf(textTo(`+${customer}`))).toBe(130403)
  })

  test('who stopped marketing gets the rest', async () => {
    await profile({ marketing_stopped: true })

    expect(await outcomeOf(promo)).toBe(131050)
    expect(await outcomeOf(textTo(`+${customer}`))).toBe('read')
  })

  test('whose identity changed is refused when the old one is named', async () => {
    await profile({ identity_key_hash: 'new' })
    const named = (hash: string) =>
      scene.send({ ...textTo(`+${customer}`), recipient_identity_key_hash: hash })

    expect(await named('old')).toMatchObject({ status: 400, body: { error: { code: 137000 } } })
    expect((await named('new')).status).toBe(200)
    expect((await scene.send(textTo(`+${customer}`))).status).toBe(200)
  })

  test('outside the list of a test number is refused with 131030', async () => {
    await scene.call('PATCH', `/simulator/numbers/${phone_number_id}`, {
      test_number: true,
      allowed_recipients: ['+16505550144'],
    })
    const refused = await scene.send(textTo(`+${customer}`))

    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 131030, error_subcode: 2655007 } },
    })
    expect((await scene.send(textTo('+16505550144'))).status).toBe(200)
  })
})

describe('a reaction', () => {
  test('comes too late after 30 days', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    const { wamid } = (
      await scene.call('POST', `/simulator/customers/${customer}/messages`, {
        phone_number_id,
        type: 'text',
        text: 'Hi',
      })
    ).body
    const react = (message_id: string) =>
      scene.send({
        ...textTo(`+${customer}`),
        type: 'reaction',
        reaction: { message_id, emoji: '👍' },
      })
    await pass(scene, clock, 30 * 24 * hour - 1)
    await react(wamid)
    await pass(scene, clock, 1)
    await react(wamid)
    await react('wamid.of-a-message-from-elsewhere')

    const [inTime, late, unknown] = scene.simulator.ledger().sends
    expect(late).toMatchObject({ outcome: { error: { code: 131009 } } })
    for (const send of [inTime, unknown]) expect(send).not.toHaveProperty('outcome')
  })
})

describe('a file', () => {
  test('of another kind than the message fails with 131053', async () => {
    await write()
    const file = { phone_number_id, mime_type: 'application/pdf', base64: 'JVBERg==' }
    const { id } = (await scene.call('POST', '/simulator/media', file)).body
    const message = { ...textTo(`+${customer}`), type: 'image', text: undefined, image: { id } }

    expect(await outcomeOf(message)).toBe(131053)
  })

  test('of another number is refused', async () => {
    const file = {
      phone_number_id: clinic.phone_number_id,
      mime_type: 'image/png',
      base64: 'iVBORw==',
    }
    const { id } = (await scene.call('POST', '/simulator/media', file)).body
    const answer = await scene.send({ ...textTo(`+${customer}`), type: 'image', image: { id } })

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 100 } } })
  })
})

describe('an account in trouble', () => {
  test.each([
    ['wabas', { standing: 'locked' }, 403, 131031],
    ['wabas', { standing: 'restricted' }, 403, 368],
    ['wabas', { standing: 'maintenance' }, 500, 131057],
    ['numbers', { status: 'BANNED' }, 403, 131031],
    ['numbers', { status: 'RESTRICTED' }, 403, 368],
    ['numbers', { status: 'DELETED' }, 400, 33],
    ['numbers', { registered: false }, 400, 133010],
  ])('%s %j is %i code %i', async (kind, change, status, code) => {
    const id = kind === 'wabas' ? shop.waba_id : phone_number_id
    await scene.call('PATCH', `/simulator/${kind}/${id}`, change)

    const answer = await scene.send(textTo(`+${customer}`))

    expect(answer).toMatchObject({ status, body: { error: { code } } })
    expect(scene.simulator.ledger().sends).toEqual([])
  })

  test('that does not pay has its templates failed', async () => {
    await write()
    await scene.call('PATCH', `/simulator/wabas/${shop.waba_id}`, { standing: 'payment_issue' })

    expect(await outcomeOf(promo)).toBe(131042)
    expect(await outcomeOf(textTo(`+${customer}`))).toBe('read')
  })
})
