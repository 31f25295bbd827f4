import { beforeAll, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let tenant: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

async function bodies(): Promise<string[]> {
  const conversations = await gateway.call('GET', '/api/whatsapp/conversations', {
    key: tenant.key,
  })
  const { id } = conversations.json.data[0]
  const messages = await gateway.call(
    'GET',
    `/api/whatsapp/conversations/${id}/messages?limit=200`,
    {
      key: tenant.key,
    },
  )
  return messages.json.data
    .map((message: { content: { text: { body: string } } }) => message.content.text.body)
    .reverse()
}

test('messages of one second are read in the order they came, from one delivery or from many', async () => {
  const text = (index: number) =>
    textMessage(`wamid.order-${index}`, `n${index}`, { timestamp: '1788300037' })
  await gateway.deliver(
    payload({ messages: Array.from({ length: 30 }, (_, index) => text(index)) }),
  )
  for (let index = 30; index < 40; index++)
    await gateway.deliver(payload({ messages: [text(index)] }))

  await Promise.all([gateway.drain(), gateway.drain()])
  await gateway.drain()

  expect(await bodies()).toEqual(Array.from({ length: 40 }, (_, index) => `n${index}`))
})

test('also when they had to be applied one by one', async () => {
  const text = (index: number) =>
    textMessage(`wamid.single-${index}`, `n${40 + index}`, { timestamp: '1788300037' })
  await gateway.deliver(
    payload({ messages: Array.from({ length: 10 }, (_, index) => text(index)) }),
  )

  await gateway.drain({
    beforeApply: (_event, items) => {
      if (items.length > 1) throw new Error('not together')
    },
  })

  expect(await bodies()).toEqual(Array.from({ length: 50 }, (_, index) => `n${index}`))
})
