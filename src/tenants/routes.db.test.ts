import { beforeAll, describe, expect, test } from 'vitest'
import { operatorKey, startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { sql } from '../db/connect.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway()
})

const create = (body: unknown) =>
  gateway.call('POST', '/api/admin/tenants', { key: operatorKey, body })
const change = (id: string, body: unknown) =>
  gateway.call('PATCH', `/api/admin/tenants/${id}`, { key: operatorKey, body })
const show = (id: string) => gateway.call('GET', `/api/admin/tenants/${id}`, { key: operatorKey })

interface AuditRow {
  chain: string
  actor: string
  action: string
  subject: string
  reason: string | null
  details: Record<string, unknown>
}

const auditOf = (tenantId: string) =>
  gateway.db.query(sql<AuditRow>`
    select chain, actor, action, subject, reason, details
    from audit_log
    where tenant_id = ${tenantId}
    order by position`)

const unknownId = '0195a0b0-0000-7000-8000-00000000dead'

describe('a tenant', () => {
  test('is created, shown and listed', async () => {
    const created = await create({ name: '  Firm A ', max_concurrency: 5, retry_policy: 'patient' })

    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Firm A',
      slug: expect.stringMatching(/^firm-a-[0-9a-f]{6}$/),
      status: 'active',
      max_concurrency: 5,
      max_queued: null,
      retry_policy: 'patient',
      stop_words: null,
      created_at: expect.any(String),
    })
    expect((await show(created.json.id)).json).toEqual(created.json)
    const list = await gateway.call('GET', '/api/admin/tenants', { key: operatorKey })
    expect(list.json.data).toContainEqual(created.json)
  })

  test('is changed field by field, and null gives the default back', async () => {
    const { json: tenant } = await create({ name: 'Changing', max_concurrency: 5 })

    const renamed = await change(tenant.id, { name: 'Changed' })
    expect(renamed.json).toEqual({ ...tenant, name: 'Changed' })

    const reset = await change(tenant.id, { max_concurrency: null, retry_policy: 'standard' })
    expect(reset.json).toEqual({
      ...tenant,
      name: 'Changed',
      max_concurrency: null,
      retry_policy: 'standard',
    })
    expect((await show(tenant.id)).json).toEqual(reset.json)
  })

  test('is suspended and let go on; its keys still read', async () => {
    const tenant = await gateway.createTenant('Suspended')

    const suspended = await change(tenant.id, { status: 'suspended', reason: 'unpaid' })

    expect(suspended.json.status).toBe('suspended')
    const read = await gateway.call('GET', '/api/whatsapp/conversations', { key: tenant.key })
    expect(read.status).toBe(200)
    expect((await change(tenant.id, { status: 'active' })).json.status).toBe('active')
  })

  test('that nobody made is not found, for every verb', async () => {
    const calls = await Promise.all([
      show(unknownId),
      change(unknownId, { name: 'x' }),
      gateway.call('POST', `/api/admin/tenants/${unknownId}/api-keys`, {
        key: operatorKey,
        body: { name: 'x' },
      }),
      gateway.call('GET', `/api/admin/tenants/${unknownId}/api-keys`, { key: operatorKey }),
    ])
    for (const answer of calls) {
      expect(answer.status).toBe(404)
      expect(answer.json.error.code).toBe('TENANT_NOT_FOUND')
    }
  })

  test('that nothing is asked of is refused', async () => {
    const { json: tenant } = await create({ name: 'Unchanged' })

    for (const body of [{}, { reason: 'just because' }]) {
      const answer = await change(tenant.id, body)
      expect(answer.status).toBe(400)
      expect(answer.json.error.message).toBe('body: names nothing to change')
    }
  })

  test('is the same one when its id is written in capitals', async () => {
    const { json: tenant } = await create({ name: 'Capitals' })
    const capitals = tenant.id.toUpperCase()

    expect((await show(capitals)).json).toEqual(tenant)
    const key = await gateway.call('POST', `/api/admin/tenants/${capitals}/api-keys`, {
      key: operatorKey,
      body: { name: 'x' },
    })
    expect(key.status).toBe(201)
    expect((await change(capitals, { name: 'Changed' })).status).toBe(200)

    // One chain: an audit that splits by spelling could be cut without a trace.
    expect((await auditOf(tenant.id)).map((row) => row.chain)).toEqual(Array(3).fill(tenant.id))
  })
})

describe('a slug', () => {
  test('that is given is taken', async () => {
    expect((await create({ name: 'Given', slug: 'given-1' })).json.slug).toBe('given-1')
  })

  test('that another tenant has is refused, also in a race', async () => {
    const racers = await Promise.all(
      [...Array(10).keys()].map((count) => create({ name: `Racer ${count}`, slug: 'wanted' })),
    )

    expect(racers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array(9).fill(409)])
    const refused = racers.find((answer) => answer.status === 409)
    expect(refused?.json.error).toMatchObject({
      code: 'SLUG_TAKEN',
      details: { fields: [{ field: 'slug' }] },
    })
  })

  test.each(['', '-a', 'a-', 'A', 'a b', 'a_b', 'é', 'a'.repeat(64), 'a\n'])(
    'that is %j is refused by name',
    async (slug) => {
      const answer = await create({ name: 'x', slug })
      expect(answer.status).toBe(400)
      expect(answer.json.error.details.fields[0].field).toBe('slug')
    },
  )

  test.each([
    ['emoji only', '🎉🎉', 'tenant'],
    ['another script only', '株式会社', 'tenant'],
    ['accents', 'Crème Brûlée', 'creme-brulee'],
    ['ligatures and full-width letters', 'ﬁrm Ｆ１', 'firm-f1'],
    ['punctuation', '--Müller & Söhne, GmbH!!', 'muller-sohne-gmbh'],
    ['two hundred letters', 'x'.repeat(200), 'x'.repeat(48)],
    ['a dash where it is cut', `${'x'.repeat(47)} yy`, 'x'.repeat(47)],
    ['characters that unfold to many', 'ﷺ'.repeat(200), 'tenant'],
  ])('is made of a name of %s', async (_what, name, start) => {
    const { status, json } = await create({ name })

    expect(status).toBe(201)
    expect(json.slug).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
    expect(json.slug.slice(0, -7)).toBe(start)
  })

  test('of two tenants with one name differs', async () => {
    const [one, other] = await Promise.all([create({ name: 'Twin' }), create({ name: 'Twin' })])
    expect(one.json.slug).not.toBe(other.json.slug)
  })
})

describe('the audit', () => {
  test('tells who did what, by the name of the operator’s key, and why', async () => {
    const bob = 'operator-key-of-bob-00000002'
    const { json: tenant } = await create({ name: 'Audited' })
    await gateway.call('PATCH', `/api/admin/tenants/${tenant.id}`, {
      key: bob,
      body: { status: 'suspended', reason: 'unpaid' },
    })
    const key = await gateway.call('POST', `/api/admin/tenants/${tenant.id}/api-keys`, {
      key: bob,
      body: { name: 'laptop' },
    })
    await gateway.call('DELETE', `/api/admin/tenants/${tenant.id}/api-keys/${key.json.id}`, {
      key: operatorKey,
    })

    const by = { chain: tenant.id, reason: null }
    expect(await auditOf(tenant.id)).toEqual([
      {
        ...by,
        actor: 'alice',
        action: 'tenant.created',
        subject: tenant.id,
        details: { name: 'Audited', slug: tenant.slug },
      },
      {
        ...by,
        actor: 'bob',
        action: 'tenant.changed',
        subject: tenant.id,
        reason: 'unpaid',
        details: { status: 'suspended' },
      },
      {
        ...by,
        actor: 'bob',
        action: 'api_key.created',
        subject: key.json.id,
        details: { name: 'laptop' },
      },
      { ...by, actor: 'alice', action: 'api_key.revoked', subject: key.json.id, details: {} },
    ])
  })

  test('has no row for what was refused', async () => {
    const { json: tenant } = await create({ name: 'Quiet', slug: 'quiet' })
    await create({ name: 'Loud', slug: 'quiet' })
    await change(tenant.id, { status: 'gone' })

    expect(await auditOf(tenant.id)).toHaveLength(1)
  })
})
