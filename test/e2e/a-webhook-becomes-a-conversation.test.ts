import { beforeAll, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { fixture } from '../support/payloads.ts'

let gateway: TestGateway
let tenant: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

describe('a webhook becomes a conversation', () => {
  test('a signed text message is acknowledged, processed and readable', async () => {
    const answer = await gateway.deliver(fixture('001-msg-text.json'))
    expect(answer.status).toBe(200)

    await gateway.drain()

    const conversations = await gateway.call('GET', '/api/whatsapp/conversations', {
      key: tenant.key,
    })
    expect(conversations.status).toBe(200)
    expect(conversations.json.data).toMatchObject([
      { contact_wa_id: '16505550143', contact_name: 'Mara Quint', status: 'open' },
    ])
    const [conversation] = conversations.json.data
    expect(
      Date.parse(conversation.window_expires_at) - Date.parse(conversation.last_message_at),
    ).toBe(86_400_000)

    const messages = await gateway.call(
      'GET',
      `/api/whatsapp/conversations/${conversation.id}/messages`,
      {
        key: tenant.key,
      },
    )
    expect(messages.json.data).toMatchObject([
      {
        direction: 'inbound',
        type: 'text',
        status: 'received',
        content: { text: { body: 'Hi, is the blue planter still in stock?' } },
      },
    ])
    const message = await gateway.call(
      'GET',
      `/api/whatsapp/messages/${messages.json.data[0].id}`,
      {
        key: tenant.key,
      },
    )
    expect(message.json.timeline).toEqual([
      { status: 'received', at: messages.json.data[0].occurred_at },
    ])
  })
})
