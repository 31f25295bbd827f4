// Every cause of an event, and that an event is there exactly when its cause is.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { seedPerson } from '../support/people.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Told')
})

interface Told {
  type: string
  data: Record<string, unknown>
}

/** What is recorded while `cause` runs. */
async function toldBy(cause: () => Promise<unknown>): Promise<Told[]> {
  const { db } = world.gateway
  const [before] = await db.query(
    sql<{ last: string }>`select coalesce(max(arrival), 0) as last from events`,
  )
  await cause()
  return db.query(sql<Told>`
    select type, data
    from events
    where arrival > ${before?.last ?? '0'}::bigint and tenant_id = ${firm.id}
    order by arrival`)
}

const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{32}$`))
const now = () => String(Math.floor(world.clock.now().getTime() / 1000))
const number = () => ({ waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId })

async function hear(content: Parameters<typeof payload>[0]): Promise<void> {
  await world.gateway.deliver(payload({ number: number(), ...content }))
  await world.gateway.drain()
}

async function notice(field: string, value: Record<string, unknown>): Promise<void> {
  await world.gateway.deliver({
    object: 'whatsapp_business_account',
    entry: [{ id: firm.wabaId, time: 1788300037, changes: [{ field, value }] }],
  })
  await world.gateway.drain()
}

describe('an event is', () => {
  test('a message that came in, once however often it comes', async () => {
    const message = textMessage('wamid.cause-1', 'hello', { from: '16505550231' })
    const told = await toldBy(async () => {
      await hear({ messages: [message] })
      await hear({
        messages: [message, textMessage('wamid.cause-2', 'again', { from: '16505550231' })],
      })
    })

    expect(told.map(({ type }) => type)).toEqual(['message.received', 'message.received'])
    expect(told[0]?.data).toEqual({
      message_id: id('msg'),
      conversation_id: id('conv'),
      phone_number_id: firm.phoneNumberId,
      message_type: 'text',
      occurred_at: expect.stringMatching(/Z$/),
    })
  })

  test('every step of a message that goes out', async () => {
    const customer = await world.customerOf(firm)
    let message = ''
    const sent = await toldBy(async () => {
      message = await world.send(firm, customer, { client_reference: 'order-7' })
      await world.gateway.sendDue()
      await world.hearMeta()
    })

    const statuses = sent.filter(({ type }) => type === 'message.status')
    // Steps that are heard of together may be told as one: the highest.
    const steps = statuses.map(({ data }) => data.status)
    expect([steps.at(0), steps.at(-1)]).toEqual(['sent', 'read'])
    expect(statuses[0]?.data).toEqual({
      message_id: message,
      conversation_id: id('conv'),
      phone_number_id: firm.phoneNumberId,
      status: 'sent',
      client_reference: 'order-7',
    })
  })

  test('a status that moves nothing is none', async () => {
    const told = await toldBy(() => hear({ statuses: [statusUpdate('wamid.nobody', 'delivered')] }))
    expect(told).toEqual([])
  })

  test('a message taken back', async () => {
    const customer = await world.customerOf(firm)
    const message = await world.send(firm, customer)
    const told = await toldBy(() =>
      world.gateway.call('POST', `/api/whatsapp/messages/${message}/cancel`, { key: firm.key }),
    )

    expect(told).toMatchObject([
      { type: 'message.status', data: { message_id: message, status: 'cancelled' } },
    ])
  })

  test('a message that Meta refuses, and the dead letter it becomes', async () => {
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'error', code: 131026, match: { recipient: customer } })
    const message = await world.send(firm, customer)
    const told = await toldBy(() => world.gateway.sendDue())

    expect(told).toEqual([
      {
        type: 'message.status',
        data: expect.objectContaining({ message_id: message, status: 'failed' }),
      },
      {
        type: 'dead_letter.created',
        data: {
          dead_letter_id: id('dlq'),
          kind: 'outbound',
          error_code: expect.any(String),
          phone_number_id: firm.phoneNumberId,
          message_id: message,
        },
      },
    ])
  })

  test('a conversation that is closed, assigned, read, or opened again', async () => {
    await hear({
      messages: [textMessage('wamid.conv-1', 'hello', { from: '16505550232', timestamp: now() })],
    })
    const list = await world.gateway.call('GET', '/api/whatsapp/conversations?q=16505550232', {
      key: firm.key,
    })
    const conversation = list.json.data[0].id
    const path = `/api/whatsapp/conversations/${conversation}`
    const patch = (body: unknown) => world.gateway.call('PATCH', path, { key: firm.key, body })
    const { id: user } = await seedPerson(world.gateway.db, { role: 'agent', tenantId: firm.id })
    const told = await toldBy(async () => {
      await patch({ status: 'closed' })
      await patch({ status: 'closed' })
      await patch({ assigned_user_id: user })
      await world.gateway.call('POST', `${path}/read`, { key: firm.key })
      await hear({
        messages: [textMessage('wamid.conv-2', 'hello', { from: '16505550232', timestamp: now() })],
      })
    })

    expect(told.map(({ type, data }) => [type, data.changed])).toEqual([
      ['conversation.updated', ['status']],
      ['conversation.updated', ['assigned_user_id']],
      ['conversation.updated', ['unread_count']],
      ['conversation.updated', ['status']],
      ['message.received', undefined],
    ])
    expect(told[3]?.data).toEqual({
      conversation_id: conversation,
      phone_number_id: firm.phoneNumberId,
      changed: ['status'],
      status: 'open',
      assigned_user_id: user,
      merged_into: null,
    })
  })

  test('an account that is connected, loses its access, and is disconnected', async () => {
    const base = `/api/admin/tenants/${firm.id}/accounts`
    const body = {
      waba_id: firm.wabaId,
      phone_number_id: 'number-that-comes-and-goes',
      display_phone_number: '+1 555-0109',
      access_token: 'a-token-nobody-may-hear-of',
    }
    const told = await toldBy(async () => {
      const { json } = await world.gateway.call('POST', base, { key: operatorKey, body })
      await world.gateway.db.query(sql`
        update whatsapp_accounts set auth_status = 'needs_reauth' where phone_number_id = ${body.phone_number_id}`)
      await world.gateway.call('DELETE', `${base}/${json.id}`, { key: operatorKey })
    })

    expect(told.map(({ type, data }) => [type, data.changed, data.auth_status])).toEqual([
      ['account.updated', ['connected'], 'ok'],
      ['account.updated', ['auth_status'], 'needs_reauth'],
      ['account.updated', ['disconnected'], 'needs_reauth'],
    ])
    expectNone(JSON.stringify(told), body.access_token)
  })

  test('what Meta says about accounts and templates, but not what people decide', async () => {
    const told = await toldBy(async () => {
      await notice('account_update', { event: 'ACCOUNT_RESTRICTION' })
      await notice('message_template_status_update', {
        event: 'APPROVED',
        message_template_id: 1,
        message_template_name: 'hello',
      })
      await notice('user_preferences', {
        metadata: { phone_number_id: firm.phoneNumberId },
        user_preferences: [{ wa_id: '16505550231', value: 'stop' }],
      })
    })

    expect(told).toMatchObject([
      {
        type: 'account.updated',
        data: {
          account_event_id: id('aev'),
          field: 'account_update',
          event: 'ACCOUNT_RESTRICTION',
        },
      },
      { type: 'template.updated', data: { account_event_id: id('aev'), event: 'APPROVED' } },
    ])
  })

  test('a dead letter of what came in', async () => {
    const words = canary('text without a sender').text
    const told = await toldBy(() => hear({ messages: [{ text: { body: words } }] }))

    expect(told).toMatchObject([{ type: 'dead_letter.created', data: { message_id: null } }])
    expectNone(JSON.stringify(told), words)
  })
})

describe('an event is not there', () => {
  test('when its cause was undone', async () => {
    const { db } = world.gateway
    const told = await toldBy(async () => {
      await db
        .transaction(async (tx) => {
          await tx.query(sql`
            update whatsapp_conversations set status = 'closed', assigned_user_id = gen_random_uuid()
            where tenant_id = ${firm.id}`)
          const inside = await tx.query(sql`select from events where position is null`)
          expect(inside.length).toBeGreaterThan(0)
          throw new Error('undone on purpose')
        })
        .catch(() => undefined)
    })
    expect(told).toEqual([])
  })

  test('for what comes from the past', async () => {
    const { db } = world.gateway
    const told = await toldBy(() =>
      db.query(sql`
        insert into whatsapp_messages
          (id, tenant_id, phone_number_id, direction, origin, type, status, content, occurred_at, created_at, correlation_id)
        values (gen_random_uuid(), ${firm.id}, '1', 'inbound', 'history', 'text', 'received', '{}', now(), now(),
          gen_random_uuid())`),
    )
    expect(told).toEqual([])
  })
})
