import { beforeAll, describe, expect, test } from 'vitest'
import { canary, expectNone } from '../../test/support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'
import { tokenOwner } from './vault.ts'

let gateway: TestGateway
let a: TestTenant
let b: TestTenant
const token = canary('access token').text

beforeAll(async () => {
  gateway = await startTestGateway()
  a = await gateway.createTenant('Firm A')
  b = await gateway.createTenant('Firm B')
})

const path = (tenant: { id: string }) => `/api/admin/tenants/${tenant.id}/accounts`
const bodyFor = (phoneNumberId: string, more: Record<string, unknown> = {}) => ({
  waba_id: 'waba-1',
  phone_number_id: phoneNumberId,
  display_phone_number: '+1 555-0100',
  access_token: token,
  ...more,
})
const connect = (tenant: { id: string }, number: string, more?: Record<string, unknown>) =>
  gateway.call('POST', path(tenant), { key: operatorKey, body: bodyFor(number, more) })
const list = (tenant: { id: string }) => gateway.call('GET', path(tenant), { key: operatorKey })
const disconnect = (tenant: { id: string }, id: string) =>
  gateway.call('DELETE', `${path(tenant)}/${id}`, { key: operatorKey })

const sealedTokenOf = async (number: string) => {
  const [row] = await gateway.db.query(sql<{ id: string; tenant: string; sealed: string }>`
    select id, tenant_id as tenant, access_token as sealed
    from whatsapp_accounts
    where phone_number_id = ${number}`)
  if (!row) throw new Error('no such account')
  return row
}

describe('an account', () => {
  test('is connected and shown to its tenant and the operator, without its token', async () => {
    const made = await connect(a, 'first')

    expect(made.json).toEqual({
      id: expect.stringMatching(/^acc_[0-9a-f]{32}$/),
      waba_id: 'waba-1',
      phone_number_id: 'first',
      display_phone_number: '+1 555-0100',
      app_id: '990000000000001',
      auth_status: 'ok',
      auth_last_error: null,
      templates_auth_status: 'ok',
      templates_auth_last_error: null,
      token_expires_at: null,
      token_expires_soon: false,
      token_checked_at: null,
      throughput_level: 'standard',
      hold: null,
      replies_only_until: null,
      standing: {},
      responder: 'off',
      auto_reply_text: null,
      created_at: expect.any(String),
    })
    const seen = await gateway.call('GET', '/api/whatsapp/accounts', { key: a.key })
    const listed = {
      ...made.json,
      waiting_count: 0,
      last_inbound_at: null,
      circuit: null,
      throttled_until: null,
    }
    expect(seen.json.data).toContainEqual(listed)
    expect((await list(a)).json.data).toContainEqual(listed)
    expect((await list(b)).json.data).toEqual([])
  })

  test('can be of another app', async () => {
    expect((await connect(a, 'other-app', { app_id: '17' })).json.app_id).toBe('17')
  })

  test('has its token sealed for this tenant and row, also when the address was in capitals', async () => {
    for (const [number, id] of [
      ['sealed', a.id],
      ['sealed-capitals', a.id.toUpperCase()],
    ] as const) {
      expect((await connect({ id }, number)).status).toBe(201)

      const row = await sealedTokenOf(number)
      expectNone(row.sealed, token)
      const owner = tokenOwner(row.tenant, row.id)
      expect(gateway.runtime.vault.open(row.sealed, owner)).toBe(token)
    }
  })

  test('has its token without the line’s end that came with pasting', async () => {
    await connect(a, 'pasted', { access_token: `  ${token}\n` })

    const row = await sealedTokenOf('pasted')
    expect(gateway.runtime.vault.open(row.sealed, tokenOwner(row.tenant, row.id))).toBe(token)
  })

  test.each([
    ['a token with a line break', { access_token: `${token}\nX-Header: 1` }, 'access_token'],
    ['a token with a space', { access_token: `${token} secret` }, 'access_token'],
    ['a token of 5,000 characters', { access_token: 'x'.repeat(5_000) }, 'access_token'],
    ['no token', { access_token: undefined }, 'access_token'],
    ['a number with a space', { phone_number_id: 'a b' }, 'phone_number_id'],
    ['a numeric id', { waba_id: 17 }, 'waba_id'],
    ['an empty display number', { display_phone_number: ' ' }, 'display_phone_number'],
  ])('with %s is refused by name, and the token is not repeated', async (_what, more, field) => {
    const answer = await connect(a, 'refused', more)

    expect(answer.status).toBe(400)
    expect(answer.json.error.details.fields[0].field).toBe(field)
    expectNone(answer.text, token)
  })

  test('of a tenant that nobody made is not found', async () => {
    const nobody = { id: '0195a0b0-0000-7000-8000-00000000dead' }
    for (const answer of [await connect(nobody, 'nowhere'), await list(nobody)])
      expect([answer.status, answer.json.error.code]).toEqual([404, 'TENANT_NOT_FOUND'])
  })
})

describe('a number', () => {
  test('that is connected is taken, for its tenant and for every other', async () => {
    await connect(a, 'taken')

    for (const tenant of [a, b]) {
      const answer = await connect(tenant, 'taken')
      expect(answer.status).toBe(409)
      expect(answer.json.error.code).toBe('NUMBER_TAKEN')
      // Nothing about whose it is.
      expectNone(answer.text, a.id)
    }
  })

  test('that twenty want at once goes to one of them', async () => {
    const racers = await Promise.all(
      [...Array(20).keys()].map((count) => connect(count % 2 === 0 ? a : b, 'raced')),
    )

    expect(racers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array(19).fill(409)])
    const accounts = [...(await list(a)).json.data, ...(await list(b)).json.data]
    expect(accounts.filter((one) => one.phone_number_id === 'raced')).toHaveLength(1)
  })

  test('is free again once its account is disconnected, and the conversations stay', async () => {
    const number = { waba_id: 'waba-1', phone_number_id: 'moving' }
    const { json: account } = await connect(a, 'moving')
    await gateway.deliver(payload({ number, messages: [textMessage('wamid.moving', 'hello')] }))
    await gateway.drain()

    expect((await disconnect(a, account.id)).status).toBe(204)

    expect((await disconnect(a, account.id)).status).toBe(404)
    expect((await connect(b, 'moving')).status).toBe(201)
    const conversationsOf = async (tenant: TestTenant) =>
      (
        await gateway.call('GET', '/api/whatsapp/conversations?phone_number_id=moving', {
          key: tenant.key,
        })
      ).json.data
    expect(await conversationsOf(a)).toHaveLength(1)
    expect(await conversationsOf(b)).toEqual([])
  })

  test('is not disconnected by another tenant’s address, nor by an id of another kind', async () => {
    const { json: account } = await connect(a, 'mine')
    const hex = account.id.slice('acc_'.length)

    expect((await disconnect(b, account.id)).status).toBe(404)
    for (const id of [`key_${hex}`, `conv_${hex}`, hex, account.id.toUpperCase(), 'first', '..'])
      expect((await disconnect(a, id)).status).toBe(404)
    expect((await list(a)).json.data).toContainEqual(expect.objectContaining(account))
  })
})

test('what operators did to accounts is in the audit under their names, without a token', async () => {
  const c = await gateway.createTenant('Firm C')
  const { json: account } = await connect(c, 'audited')
  await gateway.call('DELETE', `${path(c)}/${account.id}`, { key: 'operator-key-of-bob-00000002' })

  const rows = await gateway.db.query(sql`
    select actor, action, subject, details
    from audit_log
    where tenant_id = ${c.id} and action like 'account.%'
    order by position`)

  expect(rows).toEqual([
    {
      actor: 'alice',
      action: 'account.connected',
      subject: account.id,
      details: { phone_number_id: 'audited', waba_id: 'waba-1' },
    },
    {
      actor: 'bob',
      action: 'account.disconnected',
      subject: account.id,
      details: { phone_number_id: 'audited' },
    },
  ])
})

test('no answer, log line or row ever held a token', async () => {
  const [dump] = await gateway.db.query(sql<{ text: string }>`
    select coalesce((select string_agg(to_jsonb(a)::text, ' ') from whatsapp_accounts a), '')
      || coalesce((select string_agg(to_jsonb(l)::text, ' ') from audit_log l), '') as text`)
  expect(dump?.text).toContain('audited')
  expectNone(dump?.text, token)
  expect(gateway.logText()).toContain('api_request')
  expectNone(gateway.logText(), token)
  for (const tenant of [a, b]) expectNone((await list(tenant)).text, token)
})
