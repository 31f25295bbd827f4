import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
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

const mara = '15550100101'
const chatPath = `/simulator/phone/chats/${shop.phone_number_id}/${mara}`

const addMara = () =>
  scene.call('POST', '/simulator/phone/customers', { wa_id: '+1 555 010 0101', name: 'Mara Quint' })
const write = (message: object) => scene.call('POST', `${chatPath}/messages`, message)
const writeText = (body: string) => write({ type: 'text', text: { body } })
const chat = async () => (await scene.call('GET', chatPath)).body
const settled = () => scene.simulator.settled()
const setting = (settings: object) =>
  scene.call('PATCH', `/simulator/phone/customers/${mara}`, settings)

/** Sends as the business does, and returns the wamid. */
async function businessSends(message: object): Promise<string> {
  const { body } = await scene.send({ messaging_product: 'whatsapp', to: `+${mara}`, ...message })
  return body.messages[0].id
}
const businessWrites = (body: string) => businessSends({ type: 'text', text: { body } })

describe('customers', () => {
  test('keep their name when a script writes for them without one', async () => {
    await addMara()
    const path = `/simulator/customers/+${mara}/messages`
    const { phone_number_id } = shop
    await scene.call('POST', path, { phone_number_id, type: 'text', text: 'Hello' })
    const names = async () =>
      (await scene.call('GET', '/simulator/phone/state')).body.customers.map(
        ({ name }: { name: string }) => name,
      )

    expect(await names()).toEqual(['Mara Quint'])
    const named = { phone_number_id, name: 'Mara Q.', type: 'text', text: 'Hello' }
    await scene.call('POST', path, named)
    expect(await names()).toEqual(['Mara Q.'])
  })

  test('are added by number, or by user id alone', async () => {
    const byNumber = await addMara()
    const byUserId = await scene.call('POST', '/simulator/phone/customers', {
      user_id: 'US.13491208655302',
      name: 'Ayu Lestari',
    })

    expect(byNumber.status).toBe(201)
    expect(byNumber.body).toMatchObject({ key: mara, wa_id: mara, online: true, blocked: [] })
    expect(byUserId.body).toMatchObject({ key: 'US.13491208655302' })
    expect(byUserId.body).not.toHaveProperty('wa_id')
    const { body } = await scene.call('GET', '/simulator/phone/state')
    expect(body.customers.map((each: { name: string }) => each.name)).toEqual([
      'Mara Quint',
      'Ayu Lestari',
    ])
  })

  test('need one of the two, and the answer names the field', async () => {
    const nobody = await scene.call('POST', '/simulator/phone/customers', { name: 'Nobody' })
    const unknown = await scene.call('GET', chatPath)

    expect(nobody.status).toBe(400)
    expect(nobody.body.error.message).toContain('wa_id')
    expect(unknown.status).toBe(404)
    expect(unknown.body.error.code).toBe('CUSTOMER_NOT_FOUND')
  })

  test('appear when they write and when they are written to, with the last message', async () => {
    scene.simulator.customerWrites('15550100102', {
      phone_number_id: shop.phone_number_id,
      name: 'Tomás Ibarra',
      type: 'text',
      text: 'Is it ready?',
    })
    await scene.send({ ...textTo('+15550100103', 'Your papers are ready'), type: 'text' })

    const { body } = await scene.call('GET', '/simulator/phone/state')

    expect(body.customers).toMatchObject([
      { name: 'Tomás Ibarra', chats: [{ last: { from: 'customer', text: 'Is it ready?' } }] },
      { wa_id: '15550100103', chats: [{ last: { text: 'Your papers are ready' } }] },
    ])
  })

  test('and numbers are shown without a token', async () => {
    const { body } = await scene.call('GET', '/simulator/phone/state')

    expect(body.numbers[0]).toMatchObject({ phone_number_id: shop.phone_number_id })
    expectNone(JSON.stringify(body), shop.access_token)
  })
})

describe('what the customer writes', () => {
  beforeEach(addMara)

  test('reaches the gateway, and its ticks tell how far it got', async () => {
    const { body } = await writeText('Is my appointment at ten?')
    await settled()

    expect((await chat()).messages).toMatchObject([
      { wamid: body.wamid, from: 'customer', type: 'text', state: 'delivered' },
    ])
    expect(changeValue(scene.receiver.received[0]?.body ?? '')).toMatchObject({
      contacts: [{ profile: { name: 'Mara Quint' }, wa_id: mara }],
      messages: [{ id: body.wamid, text: { body: 'Is my appointment at ten?' } }],
    })

    await scene.send({ messaging_product: 'whatsapp', status: 'read', message_id: body.wamid })

    expect((await chat()).messages[0].state).toBe('read')
  })

  test('shows as lost when no webhook about it was ever taken', async () => {
    scene = await startScene({ answer: () => ({ status: 500 }), retryDelaysMs: [0] })
    await addMara()
    await writeText('Anybody there?')
    await settled()

    const [message] = (await chat()).messages
    expect(message.state).toBe('failed')
    expect(message.error.title).toContain('never answered with 200')
  })

  test('can be a reply, which quotes the message', async () => {
    const question = await businessWrites('Does ten suit you?')
    await write({ type: 'text', text: { body: 'Yes' }, context: { id: question } })
    await settled()

    expect((await chat()).messages[1]).toMatchObject({
      context: { id: question },
      quoted: { from: 'business', text: 'Does ten suit you?' },
    })
    const [message] = messagesReceived()
    expect(message.context.id).toBe(question)
  })

  test('can be a reply to itself, which names the customer as the writer', async () => {
    const { body: first } = await writeText('At ten')
    await write({ type: 'text', text: { body: 'Sharp' }, context: { id: first.wamid } })
    await settled()

    expect(messagesReceived().at(-1).context).toEqual({ from: mara, id: first.wamid })
  })

  test('can be a reaction, given and taken back', async () => {
    const wamid = await businessWrites('See you at ten')
    await write({ type: 'reaction', reaction: { message_id: wamid, emoji: '👍' } })
    const given = await chat()
    await write({ type: 'reaction', reaction: { message_id: wamid } })

    expect(given.messages).toMatchObject([{ wamid, reactions: { customer: '👍' } }])
    expect((await chat()).messages[0].reactions).toEqual({})
  })

  test('can be changed and deleted afterwards', async () => {
    const { body: first } = await writeText('At tne')
    const { body: second } = await writeText('Wrong chat')
    await write({
      type: 'edit',
      edit: {
        original_message_id: first.wamid,
        message: { type: 'text', text: { body: 'At ten' } },
      },
    })
    await write({ type: 'revoke', revoke: { original_message_id: second.wamid } })

    expect((await chat()).messages).toMatchObject([
      { content: { body: 'At ten' }, edited: true, deleted: false },
      { deleted: true },
    ])
  })

  test('is refused with the name of the field that is wrong', async () => {
    const answer = await write({ type: 'location', location: { latitude: 'north' } })

    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toContain('location.latitude')
    expect((await chat()).messages).toEqual([])
  })
})

describe('what the business sends', () => {
  beforeEach(addMara)

  test('climbs its ticks and counts as unread until it is seen', async () => {
    await writeText('Hello')
    const wamid = await businessWrites('Good morning, Mara')
    await settled()

    expect(await chat()).toMatchObject({
      unread: 1,
      messages: [{}, { wamid, from: 'business', state: 'read' }],
    })
    await scene.call('POST', `${chatPath}/seen`)
    expect((await chat()).unread).toBe(0)
  })

  test('shows that it is writing, until it has written', async () => {
    const { body } = await writeText('Hello')
    const typing = { type: 'text' }
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: body.wamid }
    await scene.send({ ...read, typing_indicator: typing })
    const before = await chat()
    await businessWrites('Good morning')

    expect(Date.parse(before.typing_until)).toBeGreaterThan(Date.parse(before.messages[0].at))
    expect((await chat()).typing_until).toBeNull()
  })

  test('as a template is shown with its text and parameters', async () => {
    const parameters = [
      { type: 'text', text: 'Mara' },
      { type: 'text', text: '88231' },
    ]
    await businessSends({
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters }],
      },
    })

    const { messages, last } = await chat()
    expect(messages[0].rendered).toMatchObject({
      name: 'order_update',
      body: 'Hi Mara, order 88231 has shipped.',
    })
    expect(last.text).toBe('Hi Mara, order 88231 has shipped.')
  })

  test('with buttons can be tapped: the answer names the button and the message', async () => {
    await writeText('Hello')
    const wamid = await businessSends({
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Does ten suit you?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    })
    await write({
      type: 'interactive',
      interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      context: { id: wamid },
    })
    await settled()

    expect(messagesReceived().at(-1)).toMatchObject({
      type: 'interactive',
      interactive: { button_reply: { id: 'yes' } },
      context: { id: wamid },
    })
  })

  test('fails while the customer has blocked the business, and only then', async () => {
    await writeText('Hello')
    await scene.call('PUT', `${chatPath}/blocked`, { blocked: true })
    await businessWrites('A small offer')
    await settled()
    const blocked = await chat()
    await scene.call('PUT', `${chatPath}/blocked`, { blocked: false })
    await businessWrites('Welcome back')
    await settled()

    expect(blocked.customer.blocked).toEqual([shop.phone_number_id])
    expect(blocked.messages[1]).toMatchObject({ state: 'failed', error: { code: 131026 } })
    expect((await chat()).messages[2].state).toBe('read')
  })
})

describe('the phone of the customer', () => {
  beforeEach(async () => {
    await addMara()
    await writeText('Hello')
    await settled()
  })

  const statusesReceived = () =>
    scene.receiver.received.flatMap(({ body }) => changeValue(body).statuses ?? [])

  test('gets nothing while it is offline, and everything in order when it is back', async () => {
    await setting({ online: false })
    const first = await businessWrites('First')
    const second = await businessWrites('Second')
    await settled()
    const offline = await chat()
    await setting({ online: true })
    await settled()

    expect(offline.messages.slice(1)).toMatchObject([{ state: 'sent' }, { state: 'sent' }])
    expect(offline.unread).toBe(0)
    expect((await chat()).messages.slice(1)).toMatchObject([{ state: 'read' }, { state: 'read' }])
    const steps = (wamid: string) =>
      statusesReceived()
        .filter(({ id }) => id === wamid)
        .map(({ status }) => status)
    expect(steps(first)).toEqual(['sent', 'delivered', 'read'])
    expect(steps(second)).toEqual(['sent', 'delivered', 'read'])
  })

  test('does not keep what could never be sent', async () => {
    await setting({ online: false })
    const elsewhere = chatPath.replace(shop.phone_number_id, '42')
    const message = { type: 'text', text: { body: 'Nobody is there' } }
    const { status, body } = await scene.call('POST', `${elsewhere}/messages`, message)
    const back = await setting({ online: true })

    expect([status, body.error.code]).toEqual([404, 'NUMBER_NOT_FOUND'])
    expect(back.status).toBe(200)
  })

  test('keeps what is written offline, and sends it when it is back', async () => {
    await setting({ online: false })
    await writeText('One')
    await writeText('Two')
    await settled()
    const before = messagesReceived().length
    const waiting = await chat()
    await setting({ online: true })
    await settled()

    expect(before).toBe(1)
    expect(waiting.messages.slice(1)).toMatchObject([{ state: 'pending' }, { state: 'pending' }])
    expect((await chat()).messages.map((each: { state: string }) => each.state)).toEqual([
      'delivered',
      'delivered',
      'delivered',
    ])
    const texts = messagesReceived().map(({ text }) => text.body)
    expect(texts.toSorted()).toEqual(['Hello', 'One', 'Two'])
  })

  test('does not tell that it read, once receipts are off', async () => {
    await setting({ read_receipts: false })
    const wamid = await businessWrites('Did you see this?')
    await settled()

    expect((await chat()).messages[1].state).toBe('delivered')
    const statuses = statusesReceived().filter(({ id }) => id === wamid)
    expect(statuses.map(({ status }) => status)).toEqual(['sent', 'delivered'])
  })

  test('keeps one chat for a person the business sees by user id only', async () => {
    scene.simulator.setFault({ fault: 'bsuid_only' })
    await writeText('Hidden now')
    await settled()
    const { from_user_id, from } = messagesReceived().at(-1)
    await scene.send({
      messaging_product: 'whatsapp',
      recipient: from_user_id,
      type: 'text',
      text: { body: 'Found you' },
    })

    expect(from).toBeUndefined()
    expect((await chat()).messages.at(-1)).toMatchObject({ content: { body: 'Found you' } })
  })

  test('is the same phone, whichever of its names the business uses', async () => {
    await scene.call('POST', '/simulator/phone/customers', {
      wa_id: mara,
      user_id: 'US.13491208655302',
    })
    await setting({ online: false })
    await scene.send({
      messaging_product: 'whatsapp',
      recipient: 'US.13491208655302',
      type: 'text',
      text: { body: 'Are you there?' },
    })
    await settled()

    expect((await chat()).messages.at(-1)).toMatchObject({
      content: { body: 'Are you there?' },
      state: 'sent',
    })
  })

  test('is empty after a reset', async () => {
    await scene.simulator.reset()

    const { body } = await scene.call('GET', '/simulator/phone/state')
    expect(body).toMatchObject({ customers: [], numbers: [] })
  })
})

test('the latest calls are shown without their bodies', async () => {
  const words = 'Private words of a business'
  await businessWrites(words)

  const { body } = await scene.call('GET', '/simulator/phone/calls')

  expect(body.data[0]).toMatchObject({ method: 'POST', status: 200, endpoint: 'messages' })
  expectNone(JSON.stringify(body), words)
})

// biome-ignore lint/suspicious/noExplicitAny: whatever the simulator delivers.
function messagesReceived(): any[] {
  return scene.receiver.received.flatMap(({ body }) => changeValue(body).messages ?? [])
}
