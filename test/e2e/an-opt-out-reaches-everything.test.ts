// Opt-outs beyond the word itself: what was on its way, what is done by hand, and who turns out to be somebody else.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { type Consenting, marketing, startConsenting, utility, wamid } from '../support/consent.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type Firm, sendRowOf, template } from '../support/sending.ts'

let world: Consenting
let firm: Firm

beforeAll(async () => {
  world = await startConsenting()
  firm = world.firm
})

describe('what was on its way when they said stop', () => {
  // Or else a retry may be due at once.
  beforeEach(() => world.catchUp())

  test('and failed in a way that is tried again: it is not', async () => {
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'error', code: 131016, match: { recipient: customer }, count: 1 })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'pending', attempts: 1 })
    await world.write(customer, 'stop')
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'RECIPIENT_SUPPRESSED' },
    })
  })

  test('and may have arrived: it is not sent again, and known as unknown', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'before_accepting', match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.write(customer, 'stop')
    expect((await world.read(firm, id)).status).toBe('queued')
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'unknown',
      error: { code: 'RECIPIENT_SUPPRESSED' },
    })
    expect(await world.lettersOf(id)).toMatchObject([{ kind: 'unknown', may_arrive_twice: true }])
    world.simulator.clearFaults()
  })

  test('and did arrive, as a status tells: it is sent', async () => {
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'reset', when: 'after_accepting', match: { recipient: customer } })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.write(customer, 'stop')
    await world.hearMeta()
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(1)
    expect((await world.read(firm, id)).status).toBe('read')
    expect(await world.lettersOf(id)).toEqual([])
    world.simulator.clearFaults()
  })
})

describe('by hand', () => {
  const post = (path: string, body: unknown, key = firm.key) =>
    world.gateway.call('POST', `/api/whatsapp/suppressions${path}`, { key, body })
  const reason = 'asked us on the phone'
  const acts = () =>
    world.gateway.db.query(sql<{ action: string; reason: string; details: object }>`
      select action, reason, details
      from audit_log
      where action like 'suppression.%' and tenant_id = ${firm.id}
      order by position desc
      limit 2`)

  test('somebody is sent nothing more, listed, lifted, and what died is sent again', async () => {
    const customer = await world.customerOf(firm)
    const whom = { phone_number_id: firm.phoneNumberId, to: `+${customer}` }
    const id = await world.send(firm, customer)
    const made = await post('', { ...whom, reason })
    expect(made.json).toMatchObject({
      state: 'active',
      scope: 'everything',
      reason: 'operator',
      note: reason,
      set_by: expect.any(String),
      contact: { wa_id: customer },
    })
    await world.expectEnded(id)
    expect(await world.statusOf(customer)).toBe(409)
    // Twice is once.
    expect((await post('', { ...whom, reason: 'again' })).json).toEqual(made.json)

    const found = `q=${customer}&reason=operator&scope=everything`
    expect(await world.suppressions(`${found}&phone_number_id=${firm.phoneNumberId}`)).toEqual([
      made.json,
    ])
    for (const other of ['scope=marketing', 'reason=blocked', 'state=lifted', 'q=nobody']) {
      expect(
        await world.suppressions(`phone_number_id=${firm.phoneNumberId}&${other}`),
      ).not.toContainEqual(made.json)
    }

    const lifted = await post(`/${made.json.id}/lift`, { reason: 'asked for it' })
    expect(lifted.json).toMatchObject({ state: 'lifted', lift_note: 'asked for it' })
    expect((await post(`/${made.json.id}/lift`, { reason: 'again' })).json).toEqual(lifted.json)
    expect(await acts()).toMatchObject([
      { action: 'suppression.lifted', reason: 'asked for it', details: { scope: 'everything' } },
      { action: 'suppression.made', reason, details: { because: 'operator' } },
    ])

    const [letter] = await world.lettersOf(id)
    await world.gateway.call('POST', `/api/admin/whatsapp/dlq/${letter?.id}/requeue`, {
      key: operatorKey,
      body: { reason: 'they want it after all' },
    })
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('requeued while it is in force, it dies again', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    await world.write(customer, 'stop')
    const [letter] = await world.lettersOf(id)
    await world.gateway.call('POST', `/api/admin/whatsapp/dlq/${letter?.id}/requeue`, {
      key: operatorKey,
      body: { reason: 'by mistake' },
    })
    await world.gateway.sendDue()
    expect(world.postsTo(customer)).toEqual([])
    await world.expectEnded(id)
  })

  test('a stop that came after the one that was lifted counts, also in the same second', async () => {
    const customer = await world.customerOf(firm)
    const at = world.seconds() + 5
    await world.write(customer, 'stop', { at })
    const [row] = await world.suppressions(`q=${customer}`)
    await post(`/${row.id}/lift`, { reason })
    expect(await world.statusOf(customer)).toBe(202)
    await world.write(customer, 'I said stop', { at: at - 1 })
    await world.write(customer, 'stop', { at })
    expect(await world.statusOf(customer)).toBe(409)
  })

  test('a block ends when they write, and whom nobody knows yet can be blocked', async () => {
    const stranger = '16505559001'
    const made = await post('', { ...firmNumber(), to: stranger, scope: 'marketing', reason })
    expect(made.json.scope).toBe('marketing')
    expect(await world.statusOf(stranger, marketing)).toBe(409)
    expect(await world.statusOf(stranger, utility)).toBe(202)
    await post('', { ...firmNumber(), to: stranger, reason })
    expect(await world.statusOf(stranger, utility)).toBe(409)
    world.clock.advance(2000)
    await world.write(stranger, 'hello')
    expect(await world.statusOf(stranger, utility)).toBe(202)
    expect(await world.statusOf(stranger, marketing)).toBe(409)
  })

  const firmNumber = () => ({ phone_number_id: firm.phoneNumberId })

  test('what is wrong is named', async () => {
    const wrong = async (body: unknown, path = '') => {
      const { status, json } = await post(path, body)
      return [status, json.error.code, json.error.details?.fields?.[0]?.field]
    }
    const to = '16505559002'
    expect(await wrong({ ...firmNumber(), to })).toEqual([400, 'REASON_REQUIRED', 'reason'])
    expect(await wrong({ ...firmNumber(), reason })).toEqual([400, 'INVALID_REQUEST', 'to'])
    expect(await wrong({ ...firmNumber(), to: '0171', reason })).toEqual([
      400,
      'INVALID_REQUEST',
      'to',
    ])
    expect(await wrong({ phone_number_id: 'other', to, reason })).toEqual([
      404,
      'ACCOUNT_NOT_FOUND',
      undefined,
    ])
    await world.addNumber(firm)
    expect(await wrong({ to, reason })).toEqual([400, 'INVALID_REQUEST', 'phone_number_id'])
    expect(await wrong({}, `/sup_${'0'.repeat(32)}/lift`)).toEqual([
      400,
      'REASON_REQUIRED',
      'reason',
    ])
    expect(await wrong({ reason }, `/sup_${'0'.repeat(32)}/lift`)).toEqual([
      404,
      'SUPPRESSION_NOT_FOUND',
      undefined,
    ])
  })
})

describe('two contacts become one', () => {
  let users = 1_000_000
  const user = () => `ES.${++users}`
  const wroteAs = async (names: { waId?: string; userId?: string }, body: string, at: number) => {
    const { waId, userId } = names
    const message = textMessage(wamid(), body, { timestamp: String(at) })
    const { from: _from, ...rest } = message
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    await world.gateway.deliver(
      payload({
        number,
        contacts: [{ ...(waId && { wa_id: waId }), ...(userId && { user_id: userId }) }],
        messages: [
          { ...rest, ...(waId && { from: waId }), ...(userId && { from_user_id: userId }) },
        ],
      }),
    )
    await world.gateway.drain()
  }

  test('the stop goes along, and ends what waits for the other', async () => {
    const waId = await world.customerOf(firm)
    const userId = user()
    const id = await world.send(firm, waId, marketing)
    await world.tell('user_preferences', {
      user_preferences: [{ user_id: userId, value: 'stop', timestamp: world.seconds() }],
    })
    expect((await world.read(firm, id)).status).toBe('queued')
    await wroteAs({ waId, userId }, 'hello', world.seconds() + 1)

    await world.expectEnded(id)
    expect(await world.statusOf(waId, marketing)).toBe(409)
    expect(await world.statusOf(waId, utility)).toBe(202)
  })

  test('the latest word of both counts', async () => {
    const waId = await world.customerOf(firm)
    const userId = user()
    const at = world.seconds()
    await world.tell('user_preferences', {
      user_preferences: [
        { user_id: userId, value: 'resume', timestamp: at + 9 },
        { wa_id: waId, value: 'stop', timestamp: at + 5 },
      ],
    })
    expect(await world.statusOf(waId, marketing)).toBe(409)
    await wroteAs({ waId, userId }, 'hello', at + 10)
    expect(await world.statusOf(waId, marketing)).toBe(202)
  })

  test('who said stop under one name and wrote later under the other has written again', async () => {
    const waId = await world.customerOf(firm)
    const userId = user()
    const at = world.seconds()
    await wroteAs({ userId }, 'stop', at + 5)
    await world.write(waId, 'hello', { at: at + 8 })
    await world.tell('user_id_update', {
      user_id_update: [
        { wa_id: waId, user_id: { previous: userId, current: user() }, timestamp: at + 9 },
      ],
    })
    expect(await world.statusOf(waId)).toBe(202)
    expect(await world.suppressions(`q=${waId}&state=all`)).toMatchObject([{ state: 'lifted' }])
  })
})

test('a fallback template is held back where it would be sent', async () => {
  const customer = await world.customerOf(firm)
  const fallback_template = marketing.template
  const id = await world.send(firm, customer, { fallback_template })
  const harmless = await world.send(firm, customer, { fallback_template: template })
  await world.prefer(customer, 'stop')
  expect((await world.read(firm, id)).status).toBe('queued')
  expect(await world.statusOf(customer, { fallback_template })).toBe(202)

  world.clock.advance(24 * 3_600_000)
  expect(await world.statusOf(customer, { fallback_template })).toBe(409)
  expect(await world.statusOf(customer, { fallback_template: template })).toBe(202)
  await world.sendWhatWaits()
  await world.expectEnded(id)
  expect((await world.read(firm, harmless)).status).toBe('sent')
})
