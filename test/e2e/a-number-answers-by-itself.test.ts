// Built-in responders: off, echo, auto_reply. One reply for one message, committed with it; and no loop, whoever is at the
// other end.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { type Consenting, startConsenting, wamid } from '../support/consent.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type Firm, registerNumber } from '../support/sending.ts'

let world: Consenting
let firm: Firm

beforeAll(async () => {
  world = await startConsenting()
  firm = world.firm
})

async function accountOf(by: Firm): Promise<string> {
  const { json } = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: by.key })
  return json.data.find(
    ({ phone_number_id }: { phone_number_id: string }) => phone_number_id === by.phoneNumberId,
  ).id
}

async function setResponder(by: Firm, body: Record<string, unknown>) {
  const path = `/api/whatsapp/accounts/${await accountOf(by)}`
  return world.gateway.call('PATCH', path, { key: by.key, body })
}

interface Shown {
  id: string
  direction: string
  automatic: boolean
  content: Record<string, unknown>
  reply_to_wamid: string | null
  status: string
}

/** What was said to and by this customer, the earliest first. */
async function talkWith(customer: string, by = firm): Promise<Shown[]> {
  const get = async (path: string) =>
    (await world.gateway.call('GET', `/api/whatsapp/conversations${path}`, { key: by.key })).json
      .data
  const [conversation] = await get(`?q=${customer}&phone_number_id=${by.phoneNumberId}`)
  return conversation ? (await get(`/${conversation.id}/messages`)).reverse() : []
}

const repliesTo = async (customer: string, by = firm) =>
  (await talkWith(customer, by)).filter((message) => message.direction === 'outbound')

let people = 0
const stranger = () => String(16505580000 + ++people)

describe('choosing', () => {
  test('off unless said; audited; the operator may too', async () => {
    const id = await accountOf(firm)
    const { json } = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
    expect(json.data[0]).toMatchObject({ responder: 'off', auto_reply_text: null })

    const silent = await setResponder(firm, { responder: 'auto_reply' })
    expect([silent.status, silent.json.error.details.fields[0].field]).toEqual([
      400,
      'auto_reply_text',
    ])
    const chosen = await world.gateway.call(
      'PATCH',
      `/api/admin/tenants/${firm.id}/accounts/${id}`,
      {
        key: operatorKey,
        body: { responder: 'auto_reply', auto_reply_text: 'We are closed', reason: 'holidays' },
      },
    )
    expect(chosen.json).toMatchObject({ responder: 'auto_reply', auto_reply_text: 'We are closed' })
    const [act] = await world.gateway.db.query(sql`
      select actor, reason, details from audit_log where action = 'account.changed' and subject = ${id}`)
    expect(act).toMatchObject({
      actor: 'alice',
      reason: 'holidays',
      details: { responder: { from: 'off', to: 'auto_reply' } },
    })
    expect((await setResponder(firm, { auto_reply_text: null })).status).toBe(400)
    await setResponder(firm, { responder: 'off' })
  })

  test('off: nobody is answered', async () => {
    const customer = stranger()
    await world.write(customer, 'hello')
    expect(await repliesTo(customer)).toEqual([])
  })
})

describe('echo', () => {
  beforeAll(() => setResponder(firm, { responder: 'echo' }))

  test('one reply for each message, marked, quoting it, and sent', async () => {
    const customer = stranger()
    const first = await world.write(customer, 'hello')
    const second = await world.write(customer, 'hello')

    const replies = await repliesTo(customer)
    expect(replies).toMatchObject([
      { automatic: true, content: { text: { body: 'hello' } }, reply_to_wamid: first },
      { automatic: true, content: { text: { body: 'hello' } }, reply_to_wamid: second },
    ])
    const talk = await talkWith(customer)
    expect(talk.map(({ automatic }) => automatic).sort()).toEqual([false, false, true, true])
    await world.gateway.sendDue()
    expect(world.acceptedFor(customer)).toHaveLength(2)
    expect((await world.read(firm, replies[0]?.id ?? '')).status).toBe('sent')
    const [trace] = await world.gateway.db.query(sql`
      select t.outbound_enqueue_status, m.correlation_id = e.correlation_id as is_one_story
      from whatsapp_messages m
      join whatsapp_messages asked on asked.tenant_id = m.tenant_id and asked.wamid = ${first}
      join whatsapp_webhook_events e on e.id = asked.event_id
      join whatsapp_inbound_traces t on t.event_id = e.id
      where 'msg_' || replace(m.id::text, '-', '') = ${replies[0]?.id}`)
    expect(trace).toEqual({ outbound_enqueue_status: 'enqueued', is_one_story: true })
  })

  test('a crowd in one delivery, and everybody who has no phone number', async () => {
    const customer = stranger()
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    const timestamp = String(world.seconds())
    const said = (body: string) => textMessage(wamid(), body, { from: customer, timestamp })
    const { from: _from, ...nameless } = textMessage(wamid(), 'hola', { timestamp })
    const from_user_id = 'ES.555000111'
    await world.gateway.deliver(
      payload({ number, messages: [said('one'), said('two'), { ...nameless, from_user_id }] }),
    )
    await world.gateway.drain()
    await world.gateway.sendDue()
    expect(world.acceptedFor(customer)).toHaveLength(2)
    expect(await repliesTo(from_user_id)).toMatchObject([{ status: 'sent' }])
  })

  test('the same again, replayed, or requeued when it is old: no reply', async () => {
    const customer = stranger()
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    const message = textMessage(wamid(), 'once', {
      from: customer,
      timestamp: String(world.seconds()),
    })
    await world.gateway.deliver(payload({ number, messages: [message] }))
    await world.gateway.deliver(payload({ number, messages: [message, message] }))
    await world.gateway.drain()
    const replayed = await world.gateway.call('POST', '/api/admin/whatsapp/events/replay', {
      key: operatorKey,
      body: {
        from: '2000-01-01T00:00:00Z',
        to: '3000-01-01T00:00:00Z',
        tenant_id: firm.id,
        reason: 'to see that nothing happens',
        dry_run: false,
      },
    })
    expect(replayed.json.replayed).toBeGreaterThan(0)
    await world.gateway.drain()
    expect(await repliesTo(customer)).toHaveLength(1)

    await world.write(customer, 'an old one', { at: world.seconds() - 16 * 60 })
    expect(await repliesTo(customer)).toHaveLength(1)
  })

  test('neither echoes, reactions, changes, notices, history, groups, nor what cannot be read', async () => {
    const customer = stranger()
    const id = await world.write(customer, '', {
      type: 'image',
      text: undefined,
      image: { id: '1' },
    })
    const text = undefined
    const unread: Record<string, unknown>[] = [
      { type: 'reaction', reaction: { message_id: id, emoji: '👍' } },
      { type: 'edit', edit: { original_message_id: id, message: { text: { body: 'edited' } } } },
      { type: 'revoke', revoke: { original_message_id: id } },
      { type: 'system', system: { body: 'a new number', type: 'customer_identity_changed' } },
      { type: 'unsupported', errors: [{ code: 131051 }] },
      { type: 'request_welcome' },
      { type: 'something_new', something_new: { body: 'x' } },
      { type: undefined },
    ]
    for (const more of unread) await world.write(customer, '', { text, ...more })
    await world.write(customer, 'to all', { group_id: 'GROUP2' })
    await world.tell('smb_message_echoes', {
      message_echoes: [
        textMessage(wamid(), 'from our phone', {
          from: '15550100',
          to: customer,
          timestamp: String(world.seconds()),
        }),
      ],
    })
    const past = textMessage(wamid(), 'past', {
      from: customer,
      timestamp: String(world.seconds()),
    })
    await world.tell('history', {
      history: [
        {
          metadata: { phase: 0, chunk_order: 1, progress: 1 },
          threads: [{ id: customer, messages: [past] }],
        },
      ],
    })
    expect((await repliesTo(customer)).filter(({ automatic }) => automatic)).toEqual([])
    expect(await repliesTo('GROUP2')).toEqual([])
  })

  test('a stop word is not answered, and nothing after it until they write again', async () => {
    const customer = stranger()
    await world.write(customer, 'hello')
    await world.write(customer, 'STOP')
    expect(await repliesTo(customer)).toMatchObject([
      { content: { text: { body: 'hello' } }, status: 'failed' },
    ])
    await world.write(customer, 'I am back')
    expect(await repliesTo(customer)).toHaveLength(2)
  })

  test('what cannot be sent now is not answered later: the API would refuse it too', async () => {
    const customer = stranger()
    const suspend = (status: string) =>
      world.gateway.call('PATCH', `/api/admin/tenants/${firm.id}`, {
        key: operatorKey,
        body: { status },
      })
    const setAuth = (status: string) =>
      world.gateway.db.query(sql`
        update whatsapp_accounts set auth_status = ${status} where tenant_id = ${firm.id}`)
    await suspend('suspended')
    await world.write(customer, 'while suspended')
    await suspend('active')
    await setAuth('needs_reauth')
    await world.write(customer, 'while the token is gone')
    await setAuth('ok')
    expect(await repliesTo(customer)).toEqual([])
    await world.write(customer, 'now')
    expect(await repliesTo(customer)).toMatchObject([{ content: { text: { body: 'now' } } }])
  })
})

describe('auto_reply', () => {
  const auto_reply_text = 'We are closed until Monday.'

  test('its text, once an hour in a conversation', async () => {
    const other = await world.createFirm('Firm C')
    await setResponder(other, { responder: 'auto_reply', auto_reply_text })
    const [customer, neighbour] = [stranger(), stranger()]
    const write = (who: string) => world.write(who, 'hello', { by: other })
    await write(customer)
    await write(customer)
    await write(neighbour)
    expect(await repliesTo(customer, other)).toMatchObject([
      { automatic: true, content: { text: { body: auto_reply_text } } },
    ])
    expect(await repliesTo(neighbour, other)).toHaveLength(1)

    world.clock.advance(59 * 60_000)
    await write(customer)
    expect(await repliesTo(customer, other)).toHaveLength(1)
    world.clock.advance(60_000)
    await write(customer)
    expect(await repliesTo(customer, other)).toHaveLength(2)
  })

  test('two workers at once: still one', async () => {
    const other = await world.createFirm('Firm D')
    await setResponder(other, { responder: 'auto_reply', auto_reply_text })
    const customer = stranger()
    const number = { waba_id: other.wabaId, phone_number_id: other.phoneNumberId }
    for (let count = 0; count < 8; count++) {
      const timestamp = String(world.seconds())
      const messages = [textMessage(wamid(), `hello ${count}`, { from: customer, timestamp })]
      await world.gateway.deliver(payload({ number, messages }))
    }
    await Promise.all([world.gateway.drain(), world.gateway.drain()])
    expect(await repliesTo(customer, other)).toHaveLength(1)
  })
})

test('message and reply are there together, or neither is', async () => {
  const other = await world.createFirm('Firm I')
  await setResponder(other, { responder: 'echo' })
  const customer = stranger()
  const script = (text: string) => world.gateway.db.session((session) => session.script(text))
  // The transaction ends right before the reply is queued, as if the process died there.
  await script(`
    create function die() returns trigger language plpgsql as $$ begin
      raise exception 'as if killed' using errcode = '40001'; end $$;
    create trigger die before insert on whatsapp_send_outbox for each row execute function die()`)
  await world.write(customer, 'hello', { by: other })
  expect(await talkWith(customer, other)).toEqual([])

  await script('drop trigger die on whatsapp_send_outbox')
  const later = new Date(Date.now() + 60 * 60_000)
  await world.gateway.drain({ queueNow: () => later })
  expect((await talkWith(customer, other)).map(({ direction }) => direction).sort()).toEqual([
    'inbound',
    'outbound',
  ])
})

describe('machines at both ends', () => {
  /** Every message that Meta takes for one of these numbers arrives there as written by the other, until none is left. */
  async function letThemTalk(
    ends: { by: Firm; digits: string }[],
    rounds: number,
  ): Promise<number> {
    let delivered = 0
    const named = new Map<string, string>()
    const seen = new Set(world.simulator.ledger().sends.map((send) => send.wamid))
    for (let round = 0; round < rounds; round++) {
      await world.sendWhatWaits()
      const fresh = world.simulator.ledger().sends.filter((send) => !seen.has(send.wamid))
      if (fresh.length === 0) return delivered
      for (const sent of fresh) {
        seen.add(sent.wamid)
        const to = ends.find(({ digits }) => digits === sent.recipient.wa_id)
        const from = ends.find(({ by }) => by.phoneNumberId === sent.phone_number_id)
        if (!to || !from) continue
        delivered++
        const { context } = sent.request as { context?: { message_id: string } }
        // What it quotes has the name that its own sender knows it by.
        const quoted = named.get(context?.message_id ?? '')
        const arrived = await world.write(from.digits, 'You said something', {
          by: to.by,
          ...(quoted && { context: { from: to.digits, id: quoted } }),
        })
        named.set(arrived, sent.wamid)
      }
    }
    throw new Error(`they still talk after ${rounds} rounds`)
  }

  async function createEnd(name: string, digits: string, connected: string) {
    const by = await world.createFirm(name)
    await world.gateway.db.query(sql`
      update whatsapp_accounts set display_phone_number = ${connected} where tenant_id = ${by.id}`)
    await setResponder(by, { responder: 'echo' })
    registerNumber(world.simulator, by)
    return { by, digits }
  }

  test('two numbers of this gateway never answer each other', async () => {
    const a = await createEnd('Firm E', '15550000001', '+1 555-000-0001')
    const b = await createEnd('Firm F', '15550000002', '+1 (555) 000 0002')
    await world.write(a.digits, 'hello', { by: b.by })
    await world.write(b.digits, 'hello', { by: a.by })
    expect(await repliesTo(a.digits, b.by)).toEqual([])
    expect(await letThemTalk([a, b], 5)).toBe(0)

    await world.send(a.by, b.digits)
    expect(await letThemTalk([a, b], 5)).toBe(1)
  })

  test('two gateways that do not know each other: what quotes a reply is not answered', async () => {
    const a = await createEnd('Firm G', '15550000003', '+1 555-0100')
    const b = await createEnd('Firm H', '15550000004', '+1 555-0100')
    await world.write(b.digits, 'hello', { by: a.by })
    // The reply, and what the other makes of it.
    expect(await letThemTalk([a, b], 10)).toBe(2)
    // A person begins at one end: that, the other's reply, and what becomes of the reply.
    await world.send(b.by, a.digits)
    expect(await letThemTalk([a, b], 10)).toBe(3)
  })
})
