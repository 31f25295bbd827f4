import { beforeEach, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let db: Db
let tenant: TestTenant
let sequence = 0

beforeEach(async () => {
  gateway = await startTestGateway()
  db = gateway.db
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

const phone = '34655550128'
const user = 'ES.88210447365190027731'
const wamid = () => `wamid.contact-${++sequence}`

interface Sender {
  waId?: string
  userId?: string
  name?: string
}

async function write(
  { waId, userId, name = 'Inés Vidal' }: Sender,
  body = 'hola',
): Promise<string> {
  const id = wamid()
  const { from: _from, ...message } = textMessage(id, body, {
    timestamp: String(1_788_300_000 + sequence),
  })
  await gateway.deliver(
    payload({
      contacts: [
        { profile: { name }, ...(waId && { wa_id: waId }), ...(userId && { user_id: userId }) },
      ],
      messages: [
        { ...message, ...(waId && { from: waId }), ...(userId && { from_user_id: userId }) },
      ],
    }),
  )
  await gateway.drain()
  return id
}

async function tell(field: string, value: Record<string, unknown>): Promise<void> {
  const metadata = {
    display_phone_number: '15550172201',
    phone_number_id: tenantANumber.phone_number_id,
  }
  await gateway.deliver({
    object: 'whatsapp_business_account',
    entry: [{ id: tenantANumber.waba_id, changes: [{ field, value: { metadata, ...value } }] }],
  })
  await gateway.drain()
}

const contacts = () =>
  db.query(sql`
    select wa_id, user_id, name
    from whatsapp_contacts
    where merged_into is null
    order by created_at, id`)

const conversations = () =>
  db.query(sql`
    select c.contact_wa_id, count(m.id)::int as messages
    from whatsapp_conversations c
    left join whatsapp_messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.id
    where c.merged_into is null
    group by c.id, c.contact_wa_id
    order by c.contact_wa_id`)

describe('contacts become one on Meta’s word', () => {
  test('somebody known by user id only is found again when the phone number comes along', async () => {
    await write({ userId: user })
    await write({ waId: phone, userId: user })
    await write({ waId: phone })

    expect(await contacts()).toEqual([{ wa_id: phone, user_id: user, name: 'Inés Vidal' }])
    expect(await conversations()).toEqual([{ contact_wa_id: phone, messages: 3 }])
  })

  test('two contacts that turn out to be one bring their conversations together, and the old id still leads there', async () => {
    await write({ userId: user })
    const [before] = (await gateway.call('GET', '/api/whatsapp/conversations', { key: tenant.key }))
      .json.data
    await write({ waId: phone })
    expect(await conversations()).toHaveLength(2)

    await write({ waId: phone, userId: user })

    expect(await contacts()).toEqual([{ wa_id: phone, user_id: user, name: 'Inés Vidal' }])
    expect(await conversations()).toEqual([{ contact_wa_id: phone, messages: 3 }])
    const [after] = (await gateway.call('GET', '/api/whatsapp/conversations', { key: tenant.key }))
      .json.data
    expect(after.id).not.toBe(before.id)
  })

  test('without Meta’s word two contacts of one name stay two', async () => {
    await write({ waId: phone, name: 'Ana' })
    await write({ waId: '34655550999', name: 'Ana' })

    expect(await contacts()).toHaveLength(2)
    expect(await conversations()).toHaveLength(2)
  })

  test('a changed number takes the conversation along; a stranger with the old number starts a new one', async () => {
    await write({ waId: phone })
    await gateway.deliver(
      payload({
        messages: [
          {
            from: phone,
            id: wamid(),
            timestamp: '1788301110',
            type: 'system',
            system: { body: 'changed', wa_id: '34655550777', type: 'user_changed_number' },
          },
        ],
      }),
    )
    await gateway.drain()
    expect(await conversations()).toEqual([{ contact_wa_id: '34655550777', messages: 2 }])

    await write({ waId: phone, name: 'Somebody else' })
    expect(await conversations()).toEqual([
      { contact_wa_id: phone, messages: 1 },
      { contact_wa_id: '34655550777', messages: 2 },
    ])
  })

  test('a changed number that is known already merges the two', async () => {
    await write({ waId: phone })
    await write({ waId: '34655550777' })
    await gateway.deliver(
      payload({
        messages: [
          {
            from: phone,
            id: wamid(),
            timestamp: '1788301110',
            type: 'system',
            system: { body: 'changed', wa_id: '34655550777', type: 'user_changed_number' },
          },
        ],
      }),
    )
    await gateway.drain()

    expect(await conversations()).toEqual([{ contact_wa_id: '34655550777', messages: 3 }])
    await write({ waId: phone, name: 'Somebody else' })
    expect(await conversations()).toHaveLength(2)
  })

  test('a changed user id is followed', async () => {
    await write({ userId: user })
    const current = 'ES.11920335478820047712'
    await tell('user_id_update', {
      user_id_update: [
        { wa_id: phone, user_id: { previous: user, current }, timestamp: '1788304033' },
      ],
    })
    await write({ userId: current })

    expect(await contacts()).toEqual([{ wa_id: phone, user_id: current, name: 'Inés Vidal' }])
    expect(await conversations()).toEqual([{ contact_wa_id: phone, messages: 2 }])
  })

  test('the same news twice changes nothing more', async () => {
    await write({ userId: user })
    const news = {
      user_id_update: [
        { wa_id: phone, user_id: { previous: user, current: 'ES.2' }, timestamp: '1788304033' },
      ],
    }
    await tell('user_id_update', news)
    await tell('user_id_update', { ...news, messaging_product: 'whatsapp' })

    expect(await contacts()).toHaveLength(1)
  })

  test('a group’s messages are in the group’s conversation, with their senders', async () => {
    for (const from of [phone, '34655550999']) {
      const message = textMessage(wamid(), 'all here?', { from, group_id: 'GROUP-1' })
      await gateway.deliver(payload({ messages: [message] }))
    }
    await write({ waId: phone })
    await gateway.drain()

    expect(await conversations()).toEqual([
      { contact_wa_id: phone, messages: 1 },
      { contact_wa_id: 'GROUP-1', messages: 2 },
    ])
    const senders = await db.query(sql`
      select c.wa_id
      from whatsapp_messages m
      join whatsapp_contacts c on c.tenant_id = m.tenant_id and c.id = m.sender_contact_id
      order by c.wa_id`)
    expect(senders).toEqual([{ wa_id: phone }, { wa_id: '34655550999' }])
  })

  test('names and user names are kept up to date, also from the address book of the phone', async () => {
    await write({ waId: phone, name: 'Inés' })
    await write({ waId: phone, name: 'Inés V.' })
    await tell('smb_app_state_sync', {
      state_sync: [
        {
          type: 'contact',
          action: 'add',
          contact: { full_name: 'Inés Vidal Prats', phone_number: phone },
          metadata: { timestamp: '1788304181' },
        },
      ],
    })
    expect(await contacts()).toEqual([{ wa_id: phone, user_id: null, name: 'Inés Vidal Prats' }])
  })

  test('many workers meeting the same stranger at once make one contact and one conversation', async () => {
    const messages = Array.from({ length: 40 }, (_, index) => ({
      ...textMessage(wamid(), `n ${index}`, { from: phone }),
      ...(index % 3 === 0 && { from_user_id: user }),
    }))
    await Promise.all(messages.map((message) => gateway.deliver(payload({ messages: [message] }))))
    await Promise.all(Array.from({ length: 6 }, () => gateway.drain()))
    await gateway.drain()

    expect(await contacts()).toEqual([{ wa_id: phone, user_id: user, name: null }])
    expect(await conversations()).toEqual([{ contact_wa_id: phone, messages: 40 }])
  })
})

test('a contact’s new name is shown from the message on that brings it, and kept by one that brings none', async () => {
  const from = '16505557777'
  const namesAfter = async (id: string, contacts: unknown[] = []) => {
    await gateway.deliver(payload({ messages: [textMessage(id, 'x', { from })], contacts }))
    await gateway.drain()
    const path = `/api/whatsapp/conversations?q=${from}`
    const [found] = (await gateway.call('GET', path, { key: tenant.key })).json.data
    return [found.contact_name, found.contact.name]
  }
  const named = (name: string) => [{ wa_id: from, profile: { name } }]

  expect(await namesAfter('wamid.named.1', named('Ann'))).toEqual(['Ann', 'Ann'])
  expect(await namesAfter('wamid.named.2', named('Ann Lee'))).toEqual(['Ann Lee', 'Ann Lee'])
  expect(await namesAfter('wamid.named.3')).toEqual(['Ann Lee', 'Ann Lee'])
})
