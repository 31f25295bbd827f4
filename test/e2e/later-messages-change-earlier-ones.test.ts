import { beforeAll, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { entry, payload, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let tenant: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

const mara = '16505550143'

function reaction(id: string, target: string, emoji: string | undefined, timestamp: string) {
  const body = emoji === undefined ? { message_id: target } : { message_id: target, emoji }
  return { from: mara, id, timestamp, type: 'reaction', reaction: body }
}

function edit(id: string, target: string, body: string, timestamp: string) {
  const message = { context: { id: 'M0' }, type: 'text', text: { body } }
  return { from: mara, id, timestamp, type: 'edit', edit: { original_message_id: target, message } }
}

function revoke(id: string, target: string, timestamp: string) {
  return { from: mara, id, timestamp, type: 'revoke', revoke: { original_message_id: target } }
}

async function deliverEach(...messages: unknown[]): Promise<void> {
  for (const message of messages) {
    await gateway.deliver(payload({ messages: [message] }))
    await gateway.drain()
  }
}

async function messageWith(wamid: string) {
  const list = await gateway.call('GET', '/api/whatsapp/messages?limit=200', { key: tenant.key })
  const listed = list.json.data.find((one: { wamid: string }) => one.wamid === wamid)
  const single = await gateway.call('GET', `/api/whatsapp/messages/${listed.id}`, {
    key: tenant.key,
  })
  expect(single.json).toEqual({ ...listed, sends: [] })
  return listed
}

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  )
}

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const start = 1788300000

describe('later messages change earlier ones', () => {
  test('whatever order they come in', async () => {
    const orders = permutations(['original', 'early', 'late', 'revoke'] as const)
    for (const [index, order] of orders.entries()) {
      const target = `wamid.target${index}`
      const parts = {
        original: [
          textMessage(target, 'three planters', {
            timestamp: `${start}`,
            context: { from: '15550172201', id: 'wamid.question' },
          }),
        ],
        early: [
          reaction(`wamid.r1.${index}`, target, '👍', `${start + 10}`),
          edit(`wamid.e1.${index}`, target, 'two planters', `${start + 20}`),
        ],
        late: [
          edit(`wamid.e2.${index}`, target, 'one planter', `${start + 40}`),
          reaction(`wamid.r2.${index}`, target, '❤️', `${start + 30}`),
        ],
        revoke: [revoke(`wamid.x.${index}`, target, `${start + 50}`)],
      }
      await deliverEach(...order.flatMap((part) => parts[part] as unknown[]))

      expect(await messageWith(target), order.join(', ')).toMatchObject({
        type: 'text',
        origin: 'live',
        content: { text: { body: 'one planter' }, context: { id: 'wamid.question' } },
        edited_at: at(start + 40),
        revoked_at: at(start + 50),
        reactions: [{ emoji: '❤️', from: mara, at: at(start + 30) }],
        sender: null,
      })
    }
  })

  test('a removed reaction is gone, also when its removal comes first', async () => {
    await deliverEach(
      textMessage('wamid.bare', 'hello'),
      reaction('wamid.gone2', 'wamid.bare', undefined, `${start + 20}`),
      reaction('wamid.gone1', 'wamid.bare', '👍', `${start + 10}`),
    )

    expect(await messageWith('wamid.bare')).toMatchObject({
      reactions: [],
      edited_at: null,
      revoked_at: null,
      content: { text: { body: 'hello' } },
    })
  })

  test('everybody has one reaction, the business too; within one second the later delivery counts', async () => {
    const business = {
      from: '15550172201',
      to: mara,
      id: 'wamid.echoed',
      timestamp: `${start + 5}`,
      type: 'reaction',
      reaction: { message_id: 'wamid.liked', emoji: '🎉' },
    }
    const echo = entry({})
    await deliverEach(
      textMessage('wamid.liked', 'good news'),
      reaction('wamid.same1', 'wamid.liked', '👍', `${start + 9}`),
      reaction('wamid.same2', 'wamid.liked', '😮', `${start + 9}`),
    )
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [
        {
          ...echo,
          changes: [
            {
              field: 'smb_message_echoes',
              value: { ...echo.changes[0]?.value, message_echoes: [business] },
            },
          ],
        },
      ],
    })
    await gateway.drain()

    expect((await messageWith('wamid.liked')).reactions).toEqual([
      { emoji: '🎉', from: 'business', at: at(start + 5) },
      { emoji: '😮', from: mara, at: at(start + 9) },
    ])
    expect(await messageWith('wamid.echoed')).toMatchObject({
      direction: 'outbound',
      origin: 'echo',
    })
  })

  test('somebody who got to be known by both ids still has one reaction', async () => {
    const lia = { user_id: 'US.13491208655302741918' }
    const withIds = (message: object, ids: object) =>
      payload({
        messages: [{ ...message, ...ids }],
        contacts: [{ profile: { name: 'Lia' }, ...lia, wa_id: '16505550188' }],
      })
    const unnamed = { from: undefined, from_user_id: lia.user_id }
    await gateway.deliver(
      payload({
        messages: [{ ...textMessage('wamid.lia', 'hi'), ...unnamed }],
        contacts: [{ profile: { name: 'Lia' }, ...lia }],
      }),
    )
    await gateway.deliver(
      payload({
        messages: [{ ...reaction('wamid.lia1', 'wamid.lia', '👍', `${start + 1}`), ...unnamed }],
        contacts: [{ profile: { name: 'Lia' }, ...lia }],
      }),
    )
    await gateway.drain()
    await gateway.deliver(
      withIds(reaction('wamid.lia2', 'wamid.lia', '🙏', `${start + 2}`), {
        from: '16505550188',
        from_user_id: lia.user_id,
      }),
    )
    await gateway.drain()

    expect((await messageWith('wamid.lia')).reactions).toEqual([
      { emoji: '🙏', from: '16505550188', at: at(start + 2) },
    ])
  })

  test('a message in a group shows who wrote it', async () => {
    await gateway.deliver(
      payload({
        messages: [textMessage('wamid.group', 'all here?', { group_id: 'group-1' })],
        contacts: [{ wa_id: mara, profile: { name: 'Mara Quint' } }],
      }),
    )
    await gateway.drain()

    expect((await messageWith('wamid.group')).sender).toEqual({
      wa_id: mara,
      user_id: null,
      name: 'Mara Quint',
    })
    const groups = await gateway.call('GET', '/api/whatsapp/conversations?q=group-1', {
      key: tenant.key,
    })
    expect(groups.json.data).toMatchObject([
      { contact_wa_id: 'group-1', contact: { kind: 'group', wa_id: 'group-1', name: null } },
    ])
  })
})
