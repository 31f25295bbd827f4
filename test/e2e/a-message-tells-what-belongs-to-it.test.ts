// What a message says of itself besides its content: who wrote it, what it refers to, how it looks, why it waits.
import { beforeAll, expect, test } from 'vitest'
import { payload, textMessage } from '../support/payloads.ts'
import { seedPerson } from '../support/people.ts'
import { type Firm, type Sending, startSending, template } from '../support/sending.ts'

let world: Sending
let firm: Firm
let customer: string

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Quay Street Advocates')
  customer = await world.customerOf(firm)
})

async function receive(id: string, more: Record<string, unknown>): Promise<void> {
  const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  const messages = [{ ...textMessage(id, 'hello', { from: customer, timestamp }), ...more }]
  await world.gateway.deliver(payload({ number, messages }))
  await world.gateway.drain()
}

async function withWamid(wamid: string) {
  const { json } = await world.gateway.call('GET', '/api/whatsapp/messages?limit=200', {
    key: firm.key,
  })
  return json.data.find((one: { wamid: string }) => one.wamid === wamid)
}

test('who wrote it in the console; nobody, where a program sent it', async () => {
  const { host } = new URL(world.gateway.url)
  const people = [
    await seedPerson(world.gateway.db, { role: 'agent', tenantId: firm.id, name: 'Damar' }),
    await seedPerson(world.gateway.db, { role: 'operator', tenantId: null, name: 'Olga' }),
  ]
  const found: unknown[] = []
  for (const person of people) {
    const { json } = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      headers: { ...person.headers(host), 'x-tenant-id': firm.id },
      body: {
        phone_number_id: firm.phoneNumberId,
        to: `+${customer}`,
        type: 'text',
        text: { body: 'Hi' },
      },
    })
    found.push((await world.read(firm, json.message_id)).sent_by)
  }
  const byProgram = await world.read(firm, await world.send(firm, customer))
  // What an operator is called is not for a tenant to see.
  expect([...found, byProgram.sent_by]).toEqual([
    { id: people[0]?.id, name: 'Damar' },
    { id: people[1]?.id, name: null },
    null,
  ])
})

test('what it answers, reacts to or edits, and what it said before', async () => {
  await receive('wamid.asked', { text: { body: 'Three planters?' } })
  await receive('wamid.answer', { context: { id: 'wamid.asked', from: customer } })
  await receive('wamid.edit', {
    type: 'edit',
    text: undefined,
    edit: {
      original_message_id: 'wamid.asked',
      message: { type: 'text', text: { body: 'Two planters?' } },
    },
  })
  const asked = await withWamid('wamid.asked')
  expect(asked).toMatchObject({
    refers_to: null,
    content: { text: { body: 'Two planters?' } },
    original_content: { text: { body: 'Three planters?' } },
  })
  expect((await withWamid('wamid.answer')).refers_to).toMatchObject({
    id: asked.id,
    direction: 'inbound',
    type: 'text',
  })
  expect((await withWamid('wamid.edit')).refers_to.id).toBe(asked.id)

  const reaction = { message_id: 'wamid.asked', emoji: '👍' }
  await world.send(firm, customer, { type: 'reaction', text: undefined, reaction })
  const own = { emoji: '👍', from: 'business' }
  expect((await withWamid('wamid.asked')).reactions).toMatchObject([own])
  world.clock.advance(1000)
  await world.send(firm, customer, {
    type: 'reaction',
    text: undefined,
    reaction: { ...reaction, emoji: '' },
  })
  expect((await withWamid('wamid.asked')).reactions).toEqual([])
})

test('a template as its contact sees it, once the mirror has it', async () => {
  const id = await world.send(firm, customer, { type: 'template', text: undefined, template })
  await world.gateway.call('POST', '/api/whatsapp/meta/templates/sync', { key: firm.key })
  const { rendered } = await world.read(firm, id)
  expect(rendered.body).toContain('88231')
  expect((await world.read(firm, await world.send(firm, customer))).rendered).toBeNull()
})

test('why it waits, as long as it does', async () => {
  const other = await world.customerOf(firm)
  const sendAt = new Date(world.clock.now().getTime() + 7_200_000).toISOString()
  const later = await world.send(firm, other, { send_at: sendAt })
  expect((await world.read(firm, later)).waits_for).toEqual({
    reason: 'scheduled',
    until: sendAt,
    error_code: null,
  })
  const now = await world.send(firm, other)
  const next = await world.send(firm, other)
  expect((await world.read(firm, now)).waits_for).toBeNull()
  expect((await world.read(firm, next)).waits_for?.reason).toBe('behind')
  world.fault({ fault: 'error', code: 131016, match: { recipient: other }, count: 1 })
  await world.gateway.sendDue()
  expect((await world.read(firm, now)).waits_for).toMatchObject({
    reason: 'retry_wait',
    error_code: 'META_TROUBLE',
  })
})

test('Meta’s own words, where it failed after it was accepted', async () => {
  const other = await world.customerOf(firm)
  const details = 'Message Undeliverable.'
  world.fault({ fault: 'fail', code: 131026, details, match: { recipient: other }, count: 1 })
  const failed = await world.send(firm, other)
  await world.sendWhatWaits()
  await world.hearMeta()
  expect((await world.read(firm, failed)).error).toMatchObject({
    code: 'UNDELIVERABLE',
    provider: { code: 131026, message: details },
  })
})
