// The http responder: what an application answers to message.received is sent, once.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import type { ClaimedDelivery } from '../../src/events/model.ts'
import type { Answered, Replies } from '../../src/events/respond.ts'
import { uuidOf } from '../../src/ids.ts'
import { deliveryWorkerOptions } from '../../src/workers.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import { until } from '../support/program.ts'
import { endpointsPath, startTelling, type Telling, type TellingFirm } from '../support/telling.ts'

let telling: Telling
let firm: TellingFirm
let app: EventReceiver
let endpoint: string

beforeAll(async () => {
  telling = await startTelling()
})
beforeEach(async () => {
  firm = await telling.createFirm()
  app = await startEventReceiver()
  const created = await telling.createEndpoint(firm, app.url, {
    // It hears messages because it answers them, not because it asked for them.
    events: ['template.updated'],
    responder_for: [firm.accountId],
  })
  endpoint = created.id
})

const from = '16505550211'
const text = (body: string) => ({ type: 'text', text: { body } })
const answering = (...messages: unknown[]) => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ messages }),
})

async function writeAndTell() {
  await telling.write(firm, from)
  await telling.gateway.tellDue()
}

interface Queued {
  to: string
  body: string
  phone_number_id: string
}

/** What is in the outbox for this firm, in its order. */
const queued = () =>
  telling.gateway.db.query(sql<Queued>`
    select payload ->> 'to' as to, payload -> 'text' ->> 'body' as body, phone_number_id
    from whatsapp_send_outbox
    where tenant_id = ${firm.id}
    order by id`)

async function lastAttempt() {
  const path = `${endpointsPath}/${endpoint}/deliveries`
  const { data } = await telling.read(firm, path)
  const delivery = await telling.read(firm, `${path}/${data[0].event_id}`)
  return delivery.attempt_log.at(-1)
}

describe('messages in the answer', () => {
  test('go to whoever wrote, from the number they wrote to, in their order', async () => {
    app.react(answering(text('one'), { text: { body: 'two' } }))
    await writeAndTell()

    const number = { to: `+${from}`, phone_number_id: firm.phoneNumberId }
    expect(await queued()).toEqual([
      { ...number, body: 'one' },
      { ...number, body: 'two' },
    ])
    const { data } = await telling.read(firm, '/api/whatsapp/messages?status=queued')
    expect(data).toHaveLength(2)
  })

  test('are sent once, though our taking of the answer was lost and it comes again', async () => {
    app.react(answering(text('once')))
    await telling.write(firm, from)
    // The worker dies after the answer came and before it is written down: the delivery is made again.
    await telling.gateway.tellDue()
    await telling.gateway.db.query(sql`
      update event_deliveries
      set status = 'pending', lane_head = true, next_run_at = now()
      where tenant_id = ${firm.id} and asks`)
    app.react(answering(text('once'), text('and more')))
    await telling.pass(0)

    expect(app.calls).toHaveLength(2)
    expect((await queued()).map(({ body }) => body)).toEqual(['once'])
  })

  test('are sent once, though the event is replayed', async () => {
    app.react(answering(text('once')))
    await writeAndTell()
    const path = `${endpointsPath}/${endpoint}/replay`
    await telling.change('POST', firm, path, { event_ids: [app.calls[0]?.event.id] })
    await telling.gateway.tellDue()

    expect(app.calls).toHaveLength(2)
    expect(await queued()).toHaveLength(1)
  })

  test('of an answer that was lost on its way are sent with the next one', async () => {
    app.react({ cuts: true })
    await writeAndTell()
    expect(await queued()).toEqual([])
    app.react(answering(text('now')))
    await telling.pass(60_000)

    expect((await queued()).map(({ body }) => body)).toEqual(['now'])
  })

  test('commit with the delivery or not at all', async () => {
    app.react(answering(text('fails')))
    await telling.gateway.db.session((session) =>
      session.script(`
        create function refuse_fails() returns trigger language plpgsql as $$ begin
          if new.payload -> 'text' ->> 'body' = 'fails' then raise exception 'refused on purpose'; end if;
          return new;
        end $$;
        create trigger refuse_fails before insert on whatsapp_send_outbox for each row execute function refuse_fails()`),
    )
    await writeAndTell()
    const [event] = await telling.gateway.db.query(sql<{ replied_at: Date | null }>`
      select replied_at from events where tenant_id = ${firm.id} and type = 'message.received'`)
    const [delivery] = await telling.gateway.db.query(sql<{ status: string }>`
      select status from event_deliveries where tenant_id = ${firm.id}`)
    await telling.gateway.db.session((session) =>
      session.script(
        'drop trigger refuse_fails on whatsapp_send_outbox; drop function refuse_fails',
      ),
    )

    expect(event?.replied_at).toBeNull()
    expect(delivery?.status).toBe('running')
    const rows = await telling.gateway.db.query(sql`
      select from whatsapp_messages where tenant_id = ${firm.id} and direction = 'outbound'`)
    expect(rows).toEqual([])
  })
})

describe('an answer that cannot be sent', () => {
  test.each([
    ['that is not JSON', { body: 'OK' }, 'INVALID_ANSWER'],
    ['that is JSON of another shape', { body: '{"messages":"hello"}' }, 'INVALID_ANSWER'],
    ['with a message Meta would not take', answering({ text: { body: '' } }), 'INVALID_ANSWER'],
    ['of which one part is wrong', answering(text('fine'), { type: 'teleport' }), 'INVALID_ANSWER'],
    ['to somebody else', answering({ ...text('hello'), to: '+16505550999' }), 'INVALID_ANSWER'],
    [
      'from another number',
      answering({ ...text('hello'), phone_number_id: '1' }),
      'INVALID_ANSWER',
    ],
    [
      'with more messages than anybody reads',
      answering(...Array.from({ length: 11 }, () => text('hello'))),
      'INVALID_ANSWER',
    ],
    ['that is too large', { body: 'x'.repeat(70_000) }, 'ANSWER_TOO_LARGE'],
  ])('%s sends nothing, says so, and is not asked for again', async (_name, reaction, code) => {
    app.react(reaction)
    await writeAndTell()
    await telling.pass(3_600_000)

    expect(app.calls).toHaveLength(1)
    expect(await queued()).toEqual([])
    expect(await lastAttempt()).toMatchObject({ status_code: 200, error_code: code })
  })

  test('when nothing may be sent to them says why', async () => {
    await telling.gateway.db.query(sql`
      update whatsapp_accounts set auth_status = 'needs_reauth' where tenant_id = ${firm.id}`)
    app.react(answering(text('hello')))
    await writeAndTell()

    expect(await queued()).toEqual([])
    expect(await lastAttempt()).toMatchObject({ error_code: 'WHATSAPP_REAUTH_REQUIRED' })
  })
})

describe('an answer without messages', () => {
  test.each([
    ['nothing', { status: 204 }],
    ['an empty object', { body: '{}' }],
    ['an empty list', answering()],
  ])('(%s) is fine', async (_name, reaction) => {
    app.react(reaction)
    await writeAndTell()

    expect(await queued()).toEqual([])
    expect(await lastAttempt()).toMatchObject({ error_code: null })
  })
})

describe('a responder', () => {
  test('answers for its accounts only; whoever merely listens answers for none', async () => {
    const listener = await startEventReceiver()
    await telling.createEndpoint(firm, listener.url, { events: ['message.received'] })
    listener.react(answering(text('nobody asked')))
    await writeAndTell()

    expect(listener.calls).toHaveLength(1)
    expect(await queued()).toEqual([])
  })

  test('is one per account: the last one named', async () => {
    const second = await startEventReceiver()
    const { id } = await telling.createEndpoint(firm, second.url, { events: ['account.updated'] })
    const change = { responder_for: [firm.accountId] }
    await telling.change('PATCH', firm, `${endpointsPath}/${id}`, change)
    second.react(answering(text('from the second')))
    await writeAndTell()

    expect(app.calls).toEqual([])
    expect((await queued()).map(({ body }) => body)).toEqual(['from the second'])
    expect(await telling.read(firm, `${endpointsPath}/${endpoint}`)).toMatchObject({
      responder_for: [],
    })
  })

  test('that is no longer one only listens to what is replayed', async () => {
    await writeAndTell()
    const path = `${endpointsPath}/${endpoint}`
    await telling.change('PATCH', firm, path, { responder_for: [] })
    app.react(answering(text('too late')))
    await telling.change('POST', firm, `${path}/replay`, { event_ids: [app.calls[0]?.event.id] })
    await telling.gateway.tellDue()

    expect(app.calls).toHaveLength(2)
    expect(await queued()).toEqual([])
  })

  test('cannot be made of another tenant’s account', async () => {
    const other = await telling.createFirm()
    const answer = await telling.gateway.call('POST', endpointsPath, {
      key: other.key,
      body: { url: app.url, responder_for: [firm.accountId] },
    })

    expect([answer.status, answer.json.error.code]).toEqual([404, 'ACCOUNT_NOT_FOUND'])
  })
})

test('answers that are settled together wait for a conversation without keeping the queue from others', async () => {
  const { db, runtime } = telling.gateway
  await telling.write(firm, from)
  await telling.write(firm, '16505550212')
  const told = await db.query(sql<{ eventId: string; data: Record<string, unknown> }>`
    select id as "eventId", data from events
    where tenant_id = ${firm.id} and type = 'message.received'
    order by id`)
  const { responder } = deliveryWorkerOptions(runtime)
  const answered: Answered[] = []
  for (const [index, { eventId, data }] of told.entries()) {
    const { id: tenantId, phoneNumberId } = firm
    const delivery = {
      id: String(index),
      tenantId,
      phoneNumberId,
      eventId,
      data,
    } as ClaimedDelivery
    const body = Buffer.from(JSON.stringify({ messages: [text('one'), text('two')] }))
    const answer = await responder.read(delivery, body)
    if (answer !== 'unavailable') answered.push({ delivery, answer })
  }
  let settling: Promise<Replies> | undefined
  await db.transaction(async (tx) => {
    // As somebody who sends to that contact, and then wants the queue.
    await tx.query(sql`
      select from whatsapp_conversations c
      join whatsapp_messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.id
      where c.tenant_id = ${firm.id} and m.id = ${uuidOf('msg', String(told[1]?.data.message_id)) ?? null}
      for no key update of c`)
    settling = db.transaction((other) => responder.queue(other, answered, telling.clock.now()))
    await until('the answers wait for the conversation', async () => {
      const waiting = await db.query(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%whatsapp_conversations%'`)
      return waiting.length > 0
    })
    await tx.query(sql`
      insert into send_tenants (tenant_id) values (${firm.id}) on conflict do nothing`)
    await tx.query(sql`
      select from send_tenants where tenant_id = ${firm.id} for no key update nowait`)
  })
  expect([...((await settling)?.queued ?? [])].map(([id, ids]) => [id, ids.length])).toEqual([
    ['0', 2],
    ['1', 2],
  ])
  expect((await queued()).map(({ body }) => body)).toEqual(['one', 'two', 'one', 'two'])
})
