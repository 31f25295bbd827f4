// One person, however addressed: Meta may know a number under another name, and a customer may be written to by number or
// by user id. It is one conversation, one window, one turn.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type Firm, openWindows, type Sending, startSending, template } from '../support/sending.ts'

let world: Sending
let firm: Firm
let counter = 0

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

/** A number as people write it, and as Meta knows it. */
function mexican() {
  counter++
  return { asked: `52155${50000000 + counter}`, meant: `5255${50000000 + counter}` }
}

const open = (customer: string) => openWindows(world.gateway, firm, [customer], world.clock.now())

const conversations = async () =>
  (await world.gateway.call('GET', '/api/whatsapp/conversations', { key: firm.key })).json.data

describe('a number that Meta knows by another name', () => {
  const sendTemplate = async (to: string) => {
    const id = await world.send(firm, to, { type: 'template', template, text: undefined })
    await world.gateway.sendDue()
    return id
  }

  test('has the window of whom it reaches, once Meta has said so', async () => {
    const { asked, meant } = mexican()
    world.fault({ fault: 'other_wa_id', wa_id: meant, match: { recipient: asked } })
    const first = await sendTemplate(asked)
    await open(meant)

    const second = await world.send(firm, asked)
    await world.gateway.sendDue()

    const [one, other] = [await world.read(firm, first), await world.read(firm, second)]
    expect(other.status).toBe('sent')
    expect(other.conversation_id).toBe(one.conversation_id)
    expect(await conversations()).toContainEqual(
      expect.objectContaining({ id: one.conversation_id, contact_wa_id: meant }),
    )
  })

  test('two conversations become one, and the window is that of both', async () => {
    const { asked, meant } = mexican()
    await open(meant)
    const refused = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: { to: asked, type: 'text', text: { body: 'Good morning' } },
    })
    expect(refused.json.error.code).toBe('WINDOW_CLOSED')
    world.fault({ fault: 'other_wa_id', wa_id: meant, match: { recipient: asked } })
    const first = await sendTemplate(asked)

    const second = await world.send(firm, asked)
    await world.gateway.sendDue()
    expect((await world.read(firm, second)).status).toBe('sent')
    const ofThem = (await conversations()).filter((one: { contact_wa_id: string }) =>
      [asked, meant].includes(one.contact_wa_id),
    )
    expect(ofThem).toHaveLength(1)
    const messages = await world.gateway.call(
      'GET',
      `/api/whatsapp/conversations/${ofThem[0].id}/messages`,
      { key: firm.key },
    )
    const ids = messages.json.data.map((message: { id: string }) => message.id)
    expect(ids).toEqual(expect.arrayContaining([first, second]))
    expect(ids).toHaveLength(3)
  })

  test.each([
    ['nobody was known by it', false],
    ['its bearer has a conversation, too', true],
  ])(
    'has one turn: what is sent once Meta has said so waits for what was sent before: %s',
    async (_, isKnown) => {
      const { asked, meant } = mexican()
      if (isKnown) await open(meant)
      world.fault({ fault: 'other_wa_id', wa_id: meant, match: { recipient: asked } })
      const more = { type: 'template', template, text: undefined }
      const ids = [await world.send(firm, asked, more), await world.send(firm, asked, more)]
      world.fault({ fault: 'outage', match: { recipient: asked }, skip: 1, count: 1 })
      await world.gateway.sendDue()
      expect(world.postsTo(asked)).toHaveLength(2)
      ids.push(await world.send(firm, asked, more))
      // Not the pace of the contact is to hold it back.
      await world.gateway.db.query(sql`delete from send_pairs`)
      await world.gateway.sendDue()
      expect(world.postsTo(asked)).toHaveLength(2)

      for (const _ of ids) await world.sendWhatWaits()
      const sent = await Promise.all(ids.map((id) => world.read(firm, id)))
      expect(sent.map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
      expect(world.acceptedFor(meant).map(({ wamid }) => wamid)).toEqual(
        sent.map(({ wamid }) => wamid),
      )
      expect(new Set(sent.map((one) => one.conversation_id)).size).toBe(1)
    },
  )

  test('what was filed under it meanwhile is found and filed right by the next answer', async () => {
    const { asked, meant } = mexican()
    await open(meant)
    world.fault({ fault: 'other_wa_id', wa_id: meant, match: { recipient: asked } })
    await sendTemplate(asked)
    await world.gateway.db.query(sql`
      insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
      values (gen_random_uuid(), ${firm.id}, ${asked}, now(), now())`)
    await sendTemplate(asked)

    const id = await world.send(firm, asked)
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('sent')
  })
})

describe('one person by number and by user id', () => {
  test('has one turn: what is sent by the one waits for what was sent by the other', async () => {
    const customer = await world.customerOf(firm)
    const userId = 'US.13491208655302'
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    const message = textMessage('wamid.both-ids', 'hello', {
      from: customer,
      from_user_id: userId,
      timestamp: String(Math.floor(world.clock.now().getTime() / 1000)),
    })
    const contacts = [{ wa_id: customer, user_id: userId, profile: { name: 'Mara' } }]
    await world.gateway.deliver(payload({ number, contacts, messages: [message] }))
    await world.gateway.drain()

    await world.send(firm, customer, { text: { body: 'number 1' } })
    const byId = { to: undefined, recipient: userId }
    await world.send(firm, customer, { ...byId, text: { body: 'number 2' } })
    await world.send(firm, customer, { text: { body: 'number 3' } })

    const rows = await world.gateway.db.query(sql<{ lane: string; lane_head: boolean }>`
      select lane, lane_head from whatsapp_send_outbox where status = 'pending' order by id`)
    expect(rows.map((row) => row.lane_head)).toEqual([true, false, false])
    expect(new Set(rows.map((row) => row.lane)).size).toBe(1)
    await world.gateway.sendDue()
    const sent = world.simulator
      .ledger()
      .sends.filter(({ phone_number_id }) => phone_number_id === firm.phoneNumberId)
    expect(sent.slice(-3).map(({ request }) => request.text)).toMatchObject([
      { body: 'number 1' },
      { body: 'number 2' },
      { body: 'number 3' },
    ])
  })
})
