import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually, manualClock, pass } from '../test-clock.ts'
import { changeValue, type Scene, shop, startScene, textTo } from '../test-support.ts'

let shared: Scene
/** The shared one, unless a test has another. */
let scene: Scene
beforeAll(async () => {
  shared = await startScene()
})
beforeEach(async () => {
  await shared.startAnew()
  scene = shared
})
afterEach(async () => {
  if (scene !== shared) await scene.close()
})
afterAll(() => shared.close())

const { phone_number_id } = shop
const mara = '+16505550143'
const promo = 'order_update'
const setFault = (rule: object) => scene.call('POST', '/simulator/faults', rule)

async function statusesOfSend(body: object = textTo(mara)) {
  const answer = await scene.send(body)
  await scene.simulator.settled()
  const statuses = scene.receiver.received
    .map((request) => changeValue(request.body).statuses?.[0])
    .filter((status) => status !== undefined)
  return { answer, statuses, names: statuses.map(({ status }) => status) }
}

const received = () =>
  scene.receiver.received.map((request) => JSON.parse(request.body.toString()).entry[0].changes[0])

describe('the statuses of an accepted send', () => {
  test('can fail at once, with any code', async () => {
    await setFault({ fault: 'fail', code: 131049 })

    const { answer, statuses } = await statusesOfSend()

    expect(answer.status).toBe(200)
    expect(statuses).toEqual([
      {
        id: answer.body.messages[0].id,
        status: 'failed',
        timestamp: expect.any(String),
        recipient_id: '16505550143',
        errors: [
          {
            code: 131049,
            title: expect.any(String),
            message: statuses[0].errors[0].title,
            error_data: { details: expect.any(String) },
            href: expect.any(String),
          },
        ],
      },
    ])
  })

  test('can fail after they were on their way, in words of one’s own', async () => {
    await setFault({ fault: 'fail', code: 7, title: 'Bad', details: 'Very.', after: 'delivered' })

    const { names, statuses } = await statusesOfSend()

    expect(names).toEqual(['sent', 'delivered', 'failed'])
    expect(statuses[2].errors).toMatchObject([
      { code: 7, title: 'Bad', error_data: { details: 'Very.' } },
    ])
  })

  test.each([
    ['accepted', []],
    ['sent', ['sent']],
    ['delivered', ['sent', 'delivered']],
  ])('can stop after %s', async (after, expected) => {
    await setFault({ fault: 'stuck', after })

    expect((await statusesOfSend()).names).toEqual(expected)
  })

  test('can lack delivered', async () => {
    await setFault({ fault: 'skip_status' })

    expect((await statusesOfSend()).names).toEqual(['sent', 'read'])
  })

  test('can lack any other', async () => {
    await setFault({ fault: 'skip_status', statuses: ['sent', 'read'] })

    expect((await statusesOfSend()).names).toEqual(['delivered'])
  })

  test('include played for a voice message', async () => {
    const voice = { ...textTo(mara), type: 'audio', audio: { link: 'https://a.example/v.ogg' } }

    const plain = await statusesOfSend(voice)
    expect(plain.names).toEqual(['sent', 'delivered', 'read'])
    scene.receiver.received.length = 0
    const spoken = await statusesOfSend({ ...voice, audio: { ...voice.audio, voice: true } })

    expect(spoken.names).toEqual(['sent', 'delivered', 'read', 'played'])
  })

  test('can come before the answer to the send', async () => {
    await setFault({ fault: 'early_status', statuses: ['sent', 'delivered'] })
    scene.receiver.hold()

    let isAnswered = false
    const sending = scene.send(textTo(mara)).then((answer) => {
      isAnswered = true
      return answer
    })
    // The gateway has the status in its hands, but the answer waits for the gateway's 200.
    await eventually(() => scene.receiver.received.length === 1)
    expect(isAnswered).toBe(false)
    scene.receiver.release()
    const answer = await sending
    const before = scene.receiver.received.map(({ body }) => changeValue(body).statuses[0])
    await scene.simulator.settled()

    expect(before.map(({ status }) => status)).toEqual(['sent', 'delivered'])
    expect(before[0].id).toBe(answer.body.messages[0].id)
    expect(scene.receiver.received).toHaveLength(3)
  })
})

describe('people', () => {
  test.each([
    ['+5511955550199', '551155550199'],
    ['+551155550199', '5511955550199'],
    ['+525555550123', '5215555550123'],
    ['+5491155550123', '541155550123'],
  ])('asked for as %s can be known as %s', async (asked, known) => {
    await setFault({ fault: 'other_wa_id' })

    const { answer, statuses } = await statusesOfSend(textTo(asked))

    expect(answer.body.contacts).toEqual([{ input: asked, wa_id: known }])
    expect(statuses.map(({ recipient_id }) => recipient_id)).toEqual([known, known, known])
  })

  test('in other countries are not touched, unless the rule names the other number', async () => {
    await setFault({ fault: 'other_wa_id' })
    const { answer: untouched } = await statusesOfSend()
    expect(scene.simulator.ledger().faults).toEqual([])

    await setFault({ fault: 'other_wa_id', wa_id: '16505550999' })
    const { answer } = await statusesOfSend()

    expect(untouched.body.contacts[0].wa_id).toBe('16505550143')
    expect(answer.body.contacts[0].wa_id).toBe('16505550999')
  })

  test('can be named by user id only, the same one in both directions', async () => {
    await setFault({ fault: 'bsuid_only' })

    const { statuses } = await statusesOfSend()
    await scene.call('POST', '/simulator/customers/16505550143/messages', {
      phone_number_id,
      type: 'text',
      text: 'Hello',
    })
    await scene.simulator.settled()

    const { contacts, messages } = changeValue(scene.receiver.received.at(-1)?.body ?? '')
    const userId = messages[0].from_user_id
    expect(userId).toMatch(/^US\.\d{20}$/)
    expect(messages[0]).not.toHaveProperty('from')
    expect(contacts[0]).not.toHaveProperty('wa_id')
    for (const status of statuses) {
      expect(status.recipient_user_id).toBe(userId)
      expect(status).not.toHaveProperty('recipient_id')
    }
  })

  const write = async (from = '16505550143') => {
    await scene.call('POST', `/simulator/customers/${from}/messages`, {
      phone_number_id,
      type: 'text',
      text: 'It is me',
      name: 'Mara Quint',
    })
    await scene.simulator.settled()
  }

  test('can change number: a system message tells, and they go on with the new one', async () => {
    await setFault({ fault: 'identity_change', count: 1 })

    await write()
    await write()

    const [told, first, second] = received().map(({ value }) => value)
    const next = told.messages[0].system.wa_id
    expect(told).not.toHaveProperty('contacts')
    expect(told.messages[0]).toMatchObject({
      from: '16505550143',
      type: 'system',
      system: { type: 'user_changed_number', body: expect.stringContaining(next) },
    })
    expect(next).toMatch(/^1650555\d{4}$/)
    expect(next).not.toBe('16505550143')
    expect([first.messages[0].from, second.messages[0].from]).toEqual([next, next])
  })

  test('can change user id: a system message and an update tell', async () => {
    await setFault({ fault: 'identity_change', what: 'user_id', count: 1 })

    await write('ES.88210447365190027731')

    const byField = Object.fromEntries(received().map(({ field, value }) => [field, value]))
    const [system] = received().filter(({ value }) => value.messages?.[0].type === 'system')
    const next = system.value.messages[0].system.user_id
    expect(system.value.messages[0].system.type).toBe('user_changed_user_id')
    expect(byField.user_id_update.user_id_update[0].user_id).toEqual({
      previous: 'ES.88210447365190027731',
      current: next,
    })
    const [message] = received().filter(({ value }) => value.messages?.[0].type === 'text')
    expect(message.value.messages[0].from_user_id).toBe(next)
  })

  test('can change their identity key', async () => {
    await setFault({ fault: 'identity_change', what: 'identity_key' })

    await write()

    const [told] = received().filter(({ value }) => value.messages[0].type === 'system')
    expect(told.value.messages[0]).toMatchObject({
      from: '16505550143',
      system: { type: 'customer_identity_changed' },
      identity: { acknowledged: false, hash: expect.any(String) },
    })
  })
})

describe('the standing of a business', () => {
  test('falls: quality and limit', async () => {
    await setFault({ fault: 'quality_change', event: 'DOWNGRADE', current_limit: 'TIER_250' })
    await setFault({ fault: 'limit_change', limit: 'TIER_250' })

    await statusesOfSend()

    expect(received()).toContainEqual({
      field: 'phone_number_quality_update',
      value: expect.objectContaining({
        display_phone_number: '15550172201',
        event: 'DOWNGRADE',
        current_limit: 'TIER_250',
        old_limit: 'TIER_10K',
      }),
    })
    const { body } = await scene.call(
      'GET',
      `/v25.0/${phone_number_id}?fields=quality_rating`,
      undefined,
      { authorization: `Bearer ${shop.access_token}` },
    )
    expect(body.quality_rating).toBe('RED')
    expect(received()).toContainEqual({
      field: 'business_capability_update',
      value: expect.objectContaining({ max_daily_conversations_per_business: 'TIER_250' }),
    })
  })

  test('a template is paused for a while: a webhook, 132015, and another when it ends', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    const headers = { authorization: `Bearer ${shop.access_token}` }
    const template = (name: string) => ({
      ...textTo(mara),
      type: 'template',
      template: { name, language: { code: 'en_US' } },
    })
    await setFault({ fault: 'template_pause', lasts: '3h', count: 1, match: { template: promo } })
    const code = async (name: string) => (await scene.send(template(name))).body.error?.code

    const during = [await code(promo), await code(promo)]
    const other = await code('autumn_promo')
    const { body } = await scene.call(
      'GET',
      `/v25.0/${shop.waba_id}/message_templates?name=${promo}`,
      undefined,
      headers,
    )
    await pass(scene, clock, 3 * 3_600_000)
    const after = await code(promo)

    expect(during).toEqual([132015, 132015])
    expect(body.data).toMatchObject([{ name: promo, status: 'PAUSED' }])
    expect(other).not.toBe(132015)
    expect(after).not.toBe(132015)
    expect(scene.simulator.ledger().faults).toMatchObject([{ fault: 'template_pause' }])
    const told = received().filter(({ field }) => field === 'message_template_status_update')
    expect(told.map(({ value }) => [value.event, value.message_template_name])).toEqual([
      ['PAUSED', promo],
      ['REINSTATED', promo],
    ])
  })
})
