import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../../test/support/gateway.ts'
import { sql } from '../db/connect.ts'

let gateway: TestGateway
let tenant: TestTenant
let other: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A')
  other = await gateway.createTenant('Firm B')
})

const keysOf = ({ id }: TestTenant) => `/api/admin/tenants/${id}/api-keys`
const createKey = async (owner: TestTenant, name: string) =>
  (await gateway.call('POST', keysOf(owner), { key: operatorKey, body: { name } })).json
const revoke = (owner: TestTenant, id: string) =>
  gateway.call('DELETE', `${keysOf(owner)}/${id}`, { key: operatorKey })
const read = (headers: Record<string, string>) =>
  gateway.call('GET', '/api/whatsapp/accounts', { headers })

describe('a key of a tenant', () => {
  test('is shown once, and kept as a digest only', async () => {
    const made = await createKey(tenant, 'laptop')
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      name: 'laptop',
      key: expect.stringMatching(/^est_[A-Za-z0-9_-]{43}$/),
    })

    const list = await gateway.call('GET', keysOf(tenant), { key: operatorKey })
    expect(list.json.data[0]).toEqual({
      id: made.id,
      name: 'laptop',
      key_start: made.key.slice(0, 8),
      created_at: expect.any(String),
      revoked_at: null,
      last_used_at: null,
    })
    expectNone(list.text, made.key)

    const [row] = await gateway.db.query(sql<{ hash: Buffer; row: string }>`
      select key_hash as hash, to_jsonb(k)::text as row
      from api_keys k
      where key_start = ${made.key.slice(0, 8)} and name = 'laptop'`)
    expect(row?.hash).toEqual(createHash('sha256').update(made.key).digest())
    expectNone(row?.row, made.key.slice(8))
    expectNone(gateway.logText(), made.key)
  })

  test('that is revoked answers 401 at once, and stays in the list', async () => {
    const made = await createKey(tenant, 'lost')
    expect((await read({ authorization: `Bearer ${made.key}` })).status).toBe(200)

    expect((await revoke(tenant, made.id)).status).toBe(204)

    expect((await read({ authorization: `Bearer ${made.key}` })).status).toBe(401)
    expect((await read({ authorization: `Bearer ${tenant.key}` })).status).toBe(200)
    const list = await gateway.call('GET', keysOf(tenant), { key: operatorKey })
    const listed = list.json.data.find((one: { id: string }) => one.id === made.id)
    expect(listed.revoked_at).toEqual(expect.any(String))
  })

  test('shows when it was last used', async () => {
    const made = await createKey(tenant, 'used')
    const listed = async () =>
      (await gateway.call('GET', keysOf(tenant), { key: operatorKey })).json.data.find(
        (one: { id: string }) => one.id === made.id,
      )
    expect((await listed()).last_used_at).toBeNull()
    await read({ authorization: `Bearer ${made.key}` })
    const first = (await listed()).last_used_at
    expect(first).toEqual(expect.any(String))
    // Again and again is no news; after a while it is.
    await read({ authorization: `Bearer ${made.key}` })
    expect((await listed()).last_used_at).toBe(first)
    await gateway.db.query(sql`
      update api_keys set last_used_at = now() - interval '6 minutes' where name = 'used'`)
    await read({ authorization: `Bearer ${made.key}` })
    expect((await listed()).last_used_at >= first).toBe(true)
  })

  test('cannot be revoked twice, nor as another tenant’s, nor by an id of another kind', async () => {
    const made = await createKey(tenant, 'spare')
    const hex = made.id.slice('key_'.length)

    for (const id of [`acc_${hex}`, `msg_${hex}`, hex, 'key_', `key_${'0'.repeat(32)}`, 'x']) {
      const answer = await revoke(tenant, id)
      expect([answer.status, answer.json.error.code]).toEqual([404, 'KEY_NOT_FOUND'])
    }
    expect((await revoke(other, made.id)).status).toBe(404)
    expect((await read({ authorization: `Bearer ${made.key}` })).status).toBe(200)

    const twice = await Promise.all([revoke(tenant, made.id), revoke(tenant, made.id)])
    expect(twice.map((answer) => answer.status).toSorted()).toEqual([204, 404])
  })
})

describe('who is asking', () => {
  test('nobody, in every way of being nobody, gets one and the same 401', async () => {
    const revoked = await createKey(tenant, 'revoked')
    await revoke(tenant, revoked.id)
    const bearers: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: `Bearer  ${tenant.key}` },
      { authorization: `Bearer ${tenant.key} more` },
      { authorization: tenant.key },
      { authorization: `Basic ${Buffer.from(`x:${tenant.key}`).toString('base64')}` },
      { authorization: `Token ${tenant.key}` },
      { authorization: 'Bearer est_unknown' },
      { authorization: 'Bearer unknown' },
      { authorization: `Bearer ${tenant.key.slice(0, -1)}` },
      { authorization: `Bearer ${tenant.key.toUpperCase()}` },
      { authorization: `Bearer ${operatorKey}x` },
      { authorization: `Bearer ${'x'.repeat(5_000)}` },
      { authorization: "Bearer est_' or '1'='1" },
      { authorization: `Bearer ${revoked.key}` },
      { 'x-api-key': tenant.key },
      { cookie: `key=${tenant.key}` },
    ]

    const answers = []
    for (const headers of bearers) answers.push(await read(headers))
    answers.push(await gateway.call('GET', `/api/whatsapp/accounts?key=${tenant.key}`))
    answers.push(await gateway.call('GET', '/api/admin/tenants'))

    for (const { status, headers, json } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect({ ...json.error, request_id: '' }).toEqual({
        code: 'UNAUTHORIZED',
        message: 'Send a valid key as "Authorization: Bearer …", or sign in to the console.',
        details: {},
        request_id: '',
      })
    }
  })

  test('the scheme is read in any case', async () => {
    expect((await read({ authorization: `bearer ${tenant.key}` })).status).toBe(200)
    expect((await read({ authorization: `BEARER ${tenant.key}` })).status).toBe(200)
  })

  test('nobody is answered before the body is looked at', async () => {
    for (const rawBody of ['{"name":', JSON.stringify({ name: 'x'.repeat(300_000) })]) {
      const answer = await gateway.call('POST', '/api/admin/tenants', {
        rawBody,
        headers: { 'content-type': 'application/json' },
      })
      expect(answer.status).toBe(401)
    }
  })
})

describe('an operator on a tenant’s route', () => {
  const asOperator = (tenantId?: string) =>
    gateway.call('GET', '/api/whatsapp/accounts', {
      key: operatorKey,
      ...(tenantId !== undefined && { headers: { 'x-tenant-id': tenantId } }),
    })

  test('must say for which tenant', async () => {
    for (const header of [undefined, '', 'x', '17', `${tenant.id}, ${other.id}`]) {
      const answer = await asOperator(header)
      expect([answer.status, answer.json.error.code]).toEqual([400, 'TENANT_REQUIRED'])
    }
  })

  test('is told when there is no such tenant', async () => {
    const answer = await asOperator('0195a0b0-0000-7000-8000-00000000dead')
    expect([answer.status, answer.json.error.code]).toEqual([404, 'TENANT_NOT_FOUND'])
  })

  test('sees what that tenant sees', async () => {
    const number = { waba_id: 'waba-1', phone_number_id: 'number-of-c' }
    const c = await gateway.createTenant('Firm C', number)

    for (const id of [c.id, c.id.toUpperCase()]) {
      expect((await asOperator(id)).json.data).toMatchObject([number])
    }
    expect((await asOperator(other.id)).json.data).toEqual([])
  })
})

test('a tenant cannot name another tenant: the header is an operator’s', async () => {
  const number = { waba_id: 'waba-1', phone_number_id: 'number-of-d' }
  const d = await gateway.createTenant('Firm D', number)

  const answer = await gateway.call('GET', '/api/whatsapp/accounts', {
    key: other.key,
    headers: { 'x-tenant-id': d.id },
  })

  expect(answer.json.data).toEqual([])
})
