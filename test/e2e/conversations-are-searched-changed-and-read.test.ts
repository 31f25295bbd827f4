import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { sql } from '../../src/db/connect.ts'
import { afterFile } from '../support/after-file.ts'
import { expectNone } from '../support/canaries.ts'
import {
  accessTokenOf,
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
  testSecrets,
} from '../support/gateway.ts'
import { fixture, payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { seedPerson } from '../support/people.ts'

let gateway: TestGateway
let simulator: Simulator
let tenant: TestTenant
let other: TestTenant

const token = accessTokenOf('Firm A')

beforeAll(async () => {
  simulator = await startSimulator({ appSecret: testSecrets.META_APP_SECRET })
  afterFile(() => simulator.close())
  gateway = await startTestGateway({ environment: { META_GRAPH_URL: simulator.url } })
  tenant = await gateway.createTenant('Firm A', tenantANumber)
  other = await gateway.createTenant('Firm B', tenantBNumber)
  register(token)
})

function register(accessToken: string): void {
  simulator.registerNumber({
    ...tenantANumber,
    display_phone_number: '+1 555 017 2201',
    access_token: accessToken,
  })
}

const call = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/api/whatsapp${path}`, {
    key: tenant.key,
    ...(body !== undefined && { body }),
  })

let second = 1_788_300_000

async function write(from: string, name: string, more: Record<string, unknown> = {}) {
  second++
  const id = `wamid.${from}.${second}`
  await gateway.deliver(
    payload({
      messages: [{ ...textMessage(id, 'hello', { from, timestamp: `${second}` }), ...more }],
      contacts: [{ wa_id: from, profile: { name } }],
    }),
  )
  await gateway.drain()
  return id
}

async function conversationOf(contact: string) {
  const { json } = await call('GET', '/conversations?limit=200')
  return json.data.find((one: { contact_wa_id: string }) => one.contact_wa_id === contact)
}

const found = async (query: string): Promise<string[]> => {
  const { status, json } = await call('GET', `/conversations?${query}`)
  expect(status).toBe(200)
  return json.data.map((one: { contact_wa_id: string }) => one.contact_wa_id).sort()
}

describe('conversations are searched', () => {
  beforeAll(async () => {
    await write('15550100201', 'Élodie 100% Fleurs')
    await write('15550100202', 'Under_score')
    await write('15550100203', 'Back\\slash')
    await write('15550100204', 'Undersscore')
  })

  test('by part of a name, whatever its case, and by id', async () => {
    expect(await found(`q=${encodeURIComponent('éLODIE')}`)).toEqual(['15550100201'])
    expect(await found('q=0100202')).toEqual(['15550100202'])
    expect(await found('q=nobody-like-this')).toEqual([])
  })

  test('wildcards stand for themselves', async () => {
    expect(await found(`q=${encodeURIComponent('%')}`)).toEqual(['15550100201'])
    expect(await found(`q=${encodeURIComponent('R_S')}`)).toEqual(['15550100202'])
    expect(await found(`q=${encodeURIComponent('\\')}`)).toEqual(['15550100203'])
    expect(await found(`q=${encodeURIComponent("' or 1=1 --")}`)).toEqual([])
    expect((await call('GET', `/conversations?q=${encodeURIComponent('a\0')}`)).status).toBe(400)
  })

  test('by username and business-scoped id', async () => {
    await gateway.deliver(
      payload({
        messages: [
          {
            id: 'wamid.bsuid',
            from_user_id: 'US.1234567890123',
            timestamp: `${second}`,
            type: 'text',
            text: { body: 'x' },
          },
        ],
        contacts: [
          { profile: { name: 'Ana', username: 'ana.prefers' }, user_id: 'US.1234567890123' },
        ],
      }),
    )
    await gateway.drain()

    expect(await found('q=ANA.PREF')).toEqual(['US.1234567890123'])
    expect(await found('q=us.12345')).toEqual(['US.1234567890123'])
    expect(await conversationOf('US.1234567890123')).toMatchObject({
      contact: {
        wa_id: null,
        user_id: 'US.1234567890123',
        name: 'Ana',
        username: 'ana.prefers',
        kind: 'person',
      },
      contact_user_id: 'US.1234567890123',
    })
  })

  test('another tenant finds nothing', async () => {
    const { json } = await gateway.call('GET', '/api/whatsapp/conversations?q=15550', {
      key: other.key,
    })
    expect(json.data).toEqual([])
  })

  test('messages are listed by status and page by page', async () => {
    await gateway.deliver(fixture('109-echo-text.json'))
    await gateway.drain()
    const [sent] = (await call('GET', '/messages?status=sent')).json.data
    expect(sent).toMatchObject({ direction: 'outbound', origin: 'echo', status: 'sent' })
    await gateway.deliver(payload({ statuses: [statusUpdate(sent.wamid, 'delivered')] }))
    await gateway.drain()
    expect((await call('GET', '/messages?status=sent')).json.data).toEqual([])

    const all = (await call('GET', '/messages?limit=200')).json.data
    const paged: unknown[] = []
    let after = ''
    do {
      const page = (await call('GET', `/messages?limit=2${after}`)).json
      paged.push(...page.data)
      after = page.paging.next === null ? '' : `&after=${page.paging.next}`
    } while (after !== '')
    expect(paged).toEqual(all)
    expect(new Set(all.map((one: { id: string }) => one.id)).size).toBe(all.length)
  })

  test('messages are found by client reference', async () => {
    await gateway.db.query(sql`
      update whatsapp_messages set client_reference = 'order-7' where wamid = 'wamid.bsuid'`)
    const mine = await call('GET', '/messages?client_reference=order-7')
    expect(mine.json.data).toMatchObject([{ wamid: 'wamid.bsuid', client_reference: 'order-7' }])
    const wrong = await call('GET', '/messages?client_reference=order-7&status=failed')
    expect(wrong.json.data).toEqual([])
    expect((await call('GET', '/messages?status=nonsense')).status).toBe(400)
  })
})

describe('conversations are changed', () => {
  async function acts(): Promise<Record<string, unknown>[]> {
    const { json } = await call('GET', '/audit')
    return json.data.filter((act: { action: string }) => act.action === 'conversation.changed')
  }

  test('closing and assigning is audited, once', async () => {
    await write('15550100301', 'Assigned')
    const { id } = await conversationOf('15550100301')
    const someone = { role: 'agent', tenantId: tenant.id, name: 'Damar' } as const
    const { id: person } = await seedPerson(gateway.db, someone)

    const first = await call('PATCH', `/conversations/${id}`, {
      status: 'closed',
      assigned_user_id: person,
    })
    const again = await call('PATCH', `/conversations/${id}`, {
      status: 'closed',
      assigned_user_id: person,
    })

    expect(first.json).toMatchObject({ id, status: 'closed', assigned_user_id: person })
    expect(again.json).toEqual(first.json)
    expect(await acts()).toMatchObject([
      {
        subject: id,
        details: {
          status: { from: 'open', to: 'closed' },
          assigned_user_id: { from: null, to: person },
        },
      },
    ])
    expect(await found(`assigned_user_id=${person}`)).toEqual(['15550100301'])
    expect(await found(`assigned_user_id=${person}&status=open`)).toEqual([])

    const freed = await call('PATCH', `/conversations/${id}`, { assigned_user_id: null })
    expect(freed.json).toMatchObject({ status: 'closed', assigned_user_id: null })
    expect(await acts()).toHaveLength(2)
    await write('15550100301', 'Assigned')
    expect((await conversationOf('15550100301')).status).toBe('open')
  })

  test.each([
    [{}],
    [{ status: 'archived' }],
    [{ assigned_user_id: 'bob' }],
    [{ status: 'open', colour: 'red' }],
    [undefined],
  ])('%j is refused', async (body) => {
    const { id } = await conversationOf('15550100301')
    const answer = await call('PATCH', `/conversations/${id}`, body)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe('INVALID_REQUEST')
  })

  test('another tenant’s conversation is not there', async () => {
    const { id } = await conversationOf('15550100301')
    for (const [method, path, body] of [
      ['GET', `/api/whatsapp/conversations/${id}`, undefined],
      ['GET', `/api/whatsapp/conversations/${id}/messages`, undefined],
      ['PATCH', `/api/whatsapp/conversations/${id}`, { status: 'closed' }],
      ['POST', `/api/whatsapp/conversations/${id}/read`, undefined],
    ] as const) {
      const answer = await gateway.call(method, path, {
        key: other.key,
        ...(body !== undefined && { body }),
      })
      expect(answer.json.error.code, path).toBe('CONVERSATION_NOT_FOUND')
    }
  })
})

describe('conversations are read', () => {
  test('here and at Meta, up to the latest message', async () => {
    await write('15550100401', 'Reader')
    const latest = await write('15550100401', 'Reader')
    const reaction = { message_id: latest, emoji: '👍' }
    await write('15550100401', 'Reader', { type: 'reaction', text: undefined, reaction })
    const before = await conversationOf('15550100401')
    expect(before.unread_count).toBe(2)

    const answer = await call('POST', `/conversations/${before.id}/read`)

    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ unread_count: 0, meta: 'marked', error: null })
    expect(simulator.ledger(tenantANumber.phone_number_id).reads).toMatchObject([
      { message_id: latest, phone_number_id: tenantANumber.phone_number_id },
    ])
    expect((await conversationOf('15550100401')).unread_count).toBe(0)
    const marked = await call('GET', `/messages/${answer.json.message_id}`)
    expect(marked.json.wamid).toBe(latest)
  })

  test('there may be nothing to mark', async () => {
    await gateway.deliver(fixture('109-echo-text.json'))
    const echo = (await call('GET', '/messages?status=delivered')).json.data[0]
    const answer = await call('POST', `/conversations/${echo.conversation_id}/read`)
    expect(answer.json).toMatchObject({ unread_count: 0, meta: 'nothing_to_mark', error: null })
  })

  test('Meta refusing is told, and nothing of it is logged that is secret', async () => {
    await write('15550100402', 'Refused')
    const { id } = await conversationOf('15550100402')
    register('another-token')

    const refused = await call('POST', `/conversations/${id}/read`)
    register(token)
    const retried = await call('POST', `/conversations/${id}/read`)

    expect(refused.status).toBe(200)
    expect(refused.json).toMatchObject({
      unread_count: 0,
      meta: 'failed',
      error: { code: 'PROVIDER_REFUSED', provider: { code: 190 } },
    })
    expect(retried.json.meta).toBe('marked')
    const line = gateway
      .logText()
      .split('\n')
      .find((one) => one.includes('message_marked_read') && one.includes('"statusCode":401'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'warn', provider_code: 190 })
    expectNone(gateway.logText(), token, '15550100402')
  })

  test('an account that needs reconnecting, or is gone, is not called for', async () => {
    await write('15550100403', 'Parked')
    const { id } = await conversationOf('15550100403')
    const readsBefore = simulator.ledger().reads.length
    await gateway.db.query(sql`update whatsapp_accounts set auth_status = 'needs_reauth'`)
    const parked = await call('POST', `/conversations/${id}/read`)
    await gateway.db.query(sql`update whatsapp_accounts set auth_status = 'ok'`)
    expect(parked.json).toMatchObject({
      meta: 'failed',
      error: { code: 'WHATSAPP_REAUTH_REQUIRED' },
    })
    expect(simulator.ledger().reads).toHaveLength(readsBefore)
  })
})

describe('Meta being away is not our failure', () => {
  async function readWith(environment: Record<string, string>) {
    const away = await startTestGateway({ environment })
    const firm = await away.createTenant('Firm A', tenantANumber)
    await away.deliver(payload({ messages: [textMessage('wamid.away', 'hello')] }))
    await away.drain()
    const list = await away.call('GET', '/api/whatsapp/conversations', { key: firm.key })
    const path = `/api/whatsapp/conversations/${list.json.data[0].id}/read`
    return away.call('POST', path, { key: firm.key })
  }

  test('nobody listens', async () => {
    const answer = await readWith({ META_GRAPH_URL: 'http://127.0.0.1:9' })
    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({
      unread_count: 0,
      meta: 'failed',
      error: { code: 'PROVIDER_UNREACHABLE', provider: null },
    })
  })

  test.each([
    ['it never answers', 'hang', 'PROVIDER_UNREACHABLE', 'TIMEOUT'],
    ['it answers with something else', 'junk', 'PROVIDER_UNREACHABLE', 'UNREADABLE'],
    ['it answers without end', 'flood', 'PROVIDER_UNREACHABLE', 'EXCEEDED'],
    ['it sends us elsewhere', 'redirect', 'PROVIDER_UNREACHABLE', 'UNREADABLE'],
    ['it fails', 'fail', 'PROVIDER_REFUSED', 'refused'],
  ])('%s', async (_title, mood, code, why) => {
    const elsewhere: string[] = []
    const server = createServer((request, response) => {
      if (request.url === '/elsewhere') elsewhere.push(request.headers.authorization ?? '')
      if (mood === 'hang') return
      if (mood === 'junk') return void response.end('<html>')
      if (mood === 'fail') return void response.writeHead(503).end('down')
      if (mood === 'redirect') {
        return void response.writeHead(307, { location: '/elsewhere' }).end()
      }
      response.write('"'.padEnd(2 * 1024 * 1024, 'x'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterFile(async () => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo

    const answer = await readWith({
      META_GRAPH_URL: `http://127.0.0.1:${port}`,
      SEND_TIMEOUT_MS: mood === 'hang' ? '200' : '60000',
    })

    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({ unread_count: 0, meta: 'failed', error: { code } })
    expect(answer.json.error.message).toContain(why)
    expect(elsewhere).toEqual([])
  })
})

describe('a conversation that became one with another', () => {
  test('is still found by its old id, and listed once', async () => {
    const ids = { phone: '16505550199', user: 'US.9999999999999' }
    await write(ids.phone, 'Lia')
    await gateway.deliver(
      payload({
        messages: [
          {
            id: 'wamid.lia.unnamed',
            from_user_id: ids.user,
            timestamp: `${second}`,
            type: 'text',
            text: { body: 'same person' },
          },
        ],
        contacts: [{ profile: { name: 'Lia' }, user_id: ids.user }],
      }),
    )
    await gateway.drain()
    const kept = await conversationOf(ids.phone)
    const merged = await conversationOf(ids.user)
    await gateway.deliver(
      payload({
        messages: [
          textMessage('wamid.lia.both', 'both ids', {
            from: ids.phone,
            from_user_id: ids.user,
            timestamp: `${second + 1}`,
          }),
        ],
        contacts: [{ profile: { name: 'Lia' }, wa_id: ids.phone, user_id: ids.user }],
      }),
    )
    await gateway.drain()

    const answer = await call('GET', `/conversations/${merged.id}`)
    expect(answer.json).toMatchObject({
      id: kept.id,
      unread_count: 3,
      contact: { wa_id: ids.phone, user_id: ids.user },
    })
    const messages = await call('GET', `/conversations/${merged.id}/messages`)
    expect(messages.json.data).toHaveLength(3)
    expect(await found('q=Lia')).toEqual([ids.phone])
    const changed = await call('PATCH', `/conversations/${merged.id}`, { status: 'closed' })
    expect(changed.json).toMatchObject({ id: kept.id, status: 'closed' })
    const read = await call('POST', `/conversations/${merged.id}/read`)
    expect(read.json).toMatchObject({ id: kept.id, meta: 'marked' })
  })
})

describe('what Meta says about accounts', () => {
  test('is listed by field, for the tenant and for operators who name it', async () => {
    await gateway.deliver(fixture('077-template-status-approved.json'))
    await gateway.deliver(fixture('099-account-alert.json'))
    await gateway.drain()

    const all = (await call('GET', '/account-events')).json.data
    const fields = all.map((one: { field: string }) => one.field).sort()
    expect(fields).toEqual(['account_alerts', 'message_template_status_update'])
    const some = (await call('GET', '/account-events?field=account_alerts')).json.data
    expect(some).toHaveLength(1)
    const page = (await call('GET', '/account-events?limit=1')).json
    const next = (await call('GET', `/account-events?limit=1&after=${page.paging.next}`)).json
    expect([...page.data, ...next.data]).toEqual(all)

    const path = '/api/whatsapp/account-events'
    const asOperator = (tenantId: string) =>
      gateway.call('GET', path, { key: operatorKey, headers: { 'x-tenant-id': tenantId } })
    expect((await asOperator(tenant.id)).json.data).toEqual(all)
    expect((await asOperator(other.id)).json.data).toEqual([])
    expect((await gateway.call('GET', path, { key: operatorKey })).status).toBe(400)
  })
})
