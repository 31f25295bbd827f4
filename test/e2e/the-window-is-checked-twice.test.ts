// Outside 24 hours only templates: judged when a message is accepted and again when it is sent, and Meta has the last
// word. Also what else can make a message too late.
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorKey } from '../support/gateway.ts'
import {
  type Firm,
  openWindows,
  type Sending,
  sendRowOf,
  sendRowsOf,
  startSending,
  template,
} from '../support/sending.ts'

const hourMs = 60 * 60 * 1000
const fallback_template = template

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

const trySend = (to: string, more: Record<string, unknown> = {}) =>
  world.gateway.call('POST', '/api/whatsapp/meta/send', {
    key: firm.key,
    body: { to, type: 'text', text: { body: 'Good morning' }, ...more },
  })

const typesFor = (customer: string) => world.acceptedFor(customer).map((send) => send.type)

async function lettersOf(messageId: string): Promise<Record<string, unknown>[]> {
  const path = `/api/admin/whatsapp/dlq?message_id=${messageId}`
  return (await world.gateway.call('GET', path, { key: operatorKey })).json.data
}

const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString()

describe('when it is accepted', () => {
  test('a stranger and a silent contact get templates only', async () => {
    const stranger = await trySend('16505559999')
    expect(stranger.status).toBe(422)
    expect(stranger.json.error).toMatchObject({
      code: 'WINDOW_CLOSED',
      details: { window_expired_at: null },
    })

    const customer = await world.customerOf(firm)
    const wroteAt = Math.floor(world.clock.now().getTime() / 1000) * 1000
    world.clock.advance(24 * hourMs)
    const silent = await trySend(customer)
    expect(silent.status).toBe(422)
    expect(silent.json.error.details.window_expired_at).toBe(
      new Date(wroteAt + 24 * hourMs).toISOString(),
    )
    expect((await trySend(customer, { type: 'template', template, text: undefined })).status).toBe(
      202,
    )
    expect((await trySend(customer, { fallback_template })).status).toBe(202)
    await world.gateway.sendDue()
    expect(typesFor(customer)).toEqual(['template', 'template'])
  })

  test('send_at is judged at that time', async () => {
    const customer = await world.customerOf(firm)

    const tooLate = await trySend(customer, { send_at: later(25 * hourMs) })
    expect(tooLate.status).toBe(422)
    expect(tooLate.json.error.code).toBe('WINDOW_CLOSED')
    expect((await trySend(customer, { send_at: later(23 * hourMs) })).status).toBe(202)
    await world.gateway.sendDue()
    expect(world.postsTo(customer)).toEqual([])

    world.clock.advance(23 * hourMs)
    await world.sendWhatWaits()
    expect(typesFor(customer)).toEqual(['text'])
  })
})

describe('when it is sent', () => {
  test('a window that closed meanwhile: a dead letter, and no POST', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    world.clock.advance(24 * hourMs)
    await world.gateway.sendDue()

    expect(world.postsTo(customer)).toEqual([])
    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: { code: 'WINDOW_CLOSED', provider: null },
    })
    expect(await lettersOf(id)).toMatchObject([{ error_code: 'WINDOW_CLOSED', kind: 'outbound' }])
  })

  test('with a fallback template: that goes out instead, once', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer, { fallback_template })
    world.clock.advance(24 * hourMs)
    await world.gateway.sendDue()
    await world.sendWhatWaits()

    expect(typesFor(customer)).toEqual(['template'])
    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 1 })
    expect(await lettersOf(id)).toEqual([])
  })

  test('while the window is open the fallback is not used; a contact who writes again keeps it open', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer, { fallback_template })
    world.clock.advance(20 * hourMs)
    await openWindows(world.gateway, firm, [customer], world.clock.now())
    world.clock.advance(20 * hourMs)
    await world.gateway.sendDue()

    expect(typesFor(customer)).toEqual(['text'])
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('expires_at: what could not be sent before is not sent after', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'error', code: 131016, match, count: 1 })
    const id = await world.send(firm, customer, { expires_at: later(hourMs) })
    const unhurried = await world.send(firm, customer, { expires_at: later(3 * hourMs) })
    await world.gateway.sendDue()
    world.clock.advance(hourMs)
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(2)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'EXPIRED' },
    })
    expect(await lettersOf(id)).toMatchObject([{ error_code: 'EXPIRED' }])
    expect((await world.read(firm, unhurried)).status).toBe('sent')
  })
})

describe('when Meta says so', () => {
  test.each([
    ['in a status', { fault: 'fail' as const, code: 131047 }],
    ['in its answer', { fault: 'error' as const, code: 131047 }],
  ])('%s: the fallback template goes out, once', async (_, fault) => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ ...fault, match, count: 1 })
    world.fault({ fault: 'duplicate', times: 3, match: { kind: 'status', ...match } })
    const id = await world.send(firm, customer, { fallback_template })
    for (let round = 0; round < 3; round++) {
      await world.sendWhatWaits()
      await world.hearMeta()
    }

    expect(world.postsTo(customer)).toHaveLength(2)
    expect(typesFor(customer).at(-1)).toBe('template')
    const message = await world.read(firm, id)
    expect(message).toMatchObject({
      status: 'read',
      attempts: 2,
      wamid: world.acceptedFor(customer).at(-1)?.wamid,
      error: null,
    })
    const steps = message.timeline.map((step: { status: string }) => step.status)
    expect(steps).toEqual(['queued', 'sent', 'delivered', 'read'])
    expect(await lettersOf(id)).toEqual([])
    world.simulator.clearFaults()
  })

  test.each([
    [131047, 'WINDOW_CLOSED'],
    [131026, 'UNDELIVERABLE'],
    [131049, 'MARKETING_NOT_DELIVERED'],
    [131000, 'META_TROUBLE'],
    [999_999, 'FAILED'],
  ])(
    'a status that it failed with %i: one dead letter, however often it comes',
    async (code, name) => {
      const customer = await world.customerOf(firm)
      const match = { recipient: customer }
      world.fault({ fault: 'fail', code, match })
      world.fault({ fault: 'duplicate', times: 3, match: { kind: 'status', ...match } })
      const id = await world.send(firm, customer)
      await world.gateway.sendDue()
      await world.hearMeta()
      await world.sendWhatWaits()
      await world.hearMeta()

      expect(world.postsTo(customer)).toHaveLength(1)
      expect(await world.read(firm, id)).toMatchObject({
        status: 'failed',
        wamid: world.acceptedFor(customer)[0]?.wamid,
        error: { code: name, provider: { code } },
      })
      expect(await lettersOf(id)).toMatchObject([{ error_code: name, kind: 'outbound' }])
      world.simulator.clearFaults()
    },
  )

  test('it failed after it was delivered somewhere: that it was delivered counts', async () => {
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'fail', code: 131026, after: 'delivered', match: { recipient: customer } })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.hearMeta()

    expect((await world.read(firm, id)).status).toBe('delivered')
    expect(await lettersOf(id)).toEqual([])
  })
})

test('rows of a message that fell back: the first is done, the second its child', async () => {
  const customer = await world.customerOf(firm)
  world.fault({ fault: 'fail', code: 131047, match: { recipient: customer }, count: 1 })
  const id = await world.send(firm, customer, { fallback_template })
  await world.gateway.sendDue()
  await world.hearMeta()
  await world.sendWhatWaits()

  const [first, second, ...more] = await sendRowsOf(world.gateway.db, id)
  expect(more).toEqual([])
  expect(first).toMatchObject({ status: 'done', parent_id: null })
  expect(second).toMatchObject({ status: 'done', parent_id: first?.id })
  expect((await sendRowOf(world.gateway.db, id)).id).toBe(second?.id)
})
