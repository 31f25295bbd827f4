// A time that cannot be true must not move a conversation to the year 9999 or hold its window open for ever.
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../support/clock.ts'
import { startTestGateway, type TestGateway, tenantANumber } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let key: string
const clock = createTestClock('2026-11-15T12:00:00.000Z')
const received = '2026-11-15T12:00:00.000Z'

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  key = (await gateway.createTenant('Firm A', tenantANumber)).key
})

describe('a message that says it was sent at', () => {
  test.each<[string, unknown, string]>([
    ['a good time', '1788300037', '2026-09-01T22:00:37.000Z'],
    ['a good time, as a number', 1788300037, '2026-09-01T22:00:37.000Z'],
    ['no time', undefined, received],
    ['zero', '0', received],
    ['a negative time', '-5', received],
    ['a time in milliseconds', '1788300037000', received],
    ['the year 9999', '253402300799', received],
    ['tomorrow', '1794830400', received],
    ['a word', 'asdf', received],
    ['an object', { seconds: 1 }, received],
  ])('%s', async (name, timestamp, expected) => {
    const message = { ...textMessage(`wamid ${name}`, 'x', { from: name }), timestamp }
    await gateway.deliver(payload({ messages: [message] }))
    await gateway.drain()

    const list = await gateway.call('GET', '/api/whatsapp/conversations?limit=200', { key })
    const [conversation] = list.json.data.filter(
      (one: { contact_wa_id: string }) => one.contact_wa_id === name,
    )
    expect(conversation.last_message_at).toBe(expected)
    expect(Date.parse(conversation.window_expires_at) - Date.parse(expected)).toBe(86_400_000)
  })
})
