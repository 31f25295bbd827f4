import { beforeAll, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../../test/support/gateway.ts'
import { seedPerson } from '../../test/support/people.ts'

let gateway: TestGateway
let a: TestTenant
let b: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  a = await gateway.createTenant('Firm A')
  b = await gateway.createTenant('Firm B')
  for (let index = 0; index < 5; index++) {
    await gateway.call('PATCH', `/api/admin/tenants/${a.id}`, {
      key: operatorKey,
      body: { max_concurrency: index + 1, reason: `step ${index}` },
    })
  }
})

const asOperator = (path: string) => gateway.call('GET', path, { key: operatorKey })

describe('the audit over HTTP', () => {
  test('says who did what, to what, why, the latest first', async () => {
    const { json } = await asOperator(`/api/admin/audit?tenant_id=${a.id}`)

    expect(json.paging.next).toBeNull()
    expect(json.data.map((act: { position: number }) => act.position)).toEqual([
      7, 6, 5, 4, 3, 2, 1,
    ])
    expect(json.data[0]).toEqual({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: 'alice',
      action: 'tenant.changed',
      subject: a.id,
      reason: 'step 4',
      details: { max_concurrency: 5 },
      tenant_id: a.id,
      position: 7,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      actor_name: null,
      subject_name: 'Firm A',
    })
  })

  test('people and keys have names, for whoever may know them', async () => {
    const operator = await seedPerson(gateway.db, { role: 'operator', tenantId: null, name: 'Ola' })
    const admin = await seedPerson(gateway.db, { role: 'admin', tenantId: a.id, name: 'Ada' })
    const host = new URL(gateway.url).host
    const body = { email: 'new@firm.example', name: 'Nia', role: 'agent' }
    const headers = admin.headers(host)
    const invited = await gateway.call('POST', '/api/whatsapp/people', { body, headers })
    await gateway.call('POST', `/api/admin/people/${invited.json.person.id}/sign-out`, {
      headers: operator.headers(host),
    })

    const { json } = await gateway.call('GET', '/api/whatsapp/audit?action=person.', { headers })

    const told = json.data.map((act: Record<string, string>) => [
      act.action,
      act.actor_name,
      act.subject_name,
    ])
    expect(told).toEqual([
      ['person.signed_out_everywhere', 'Ola', 'Nia'],
      ['person.link_made', 'Ada', 'Nia'],
      ['person.invited', 'Ada', 'Nia'],
    ])
    const keys = await gateway.call('GET', '/api/whatsapp/audit?action=api_key.', { headers })
    expect(keys.json.data[0].subject_name).not.toBeNull()
  })

  test.each([
    ['one tenant’s', () => `tenant_id=${a.id}&`],
    ['everybody’s', () => ''],
  ])('%s can be asked by what, who, whom and when', async (_whose, scope) => {
    const ask = async (wish: string) =>
      (await asOperator(`/api/admin/audit?${scope()}${wish}`)).json.data as {
        action: string
        at: string
        reason: string | null
      }[]
    const changes = await ask('action=tenant.changed')
    expect(changes.map(({ reason }) => reason)).toEqual([4, 3, 2, 1, 0].map((n) => `step ${n}`))
    const tenants = (await ask('action=tenant.')).map(({ action }) => action)
    expect(new Set(tenants)).toEqual(new Set(['tenant.changed', 'tenant.created']))
    expect(await ask('action=tenant')).toEqual([])
    expect((await ask(`subject=${a.id}`)).length).toBe(6)
    expect((await ask(`subject=${a.id}&actor=alice`)).length).toBe(6)
    expect(await ask(`subject=${a.id}&actor=bob`)).toEqual([])
    const middle = changes[2]?.at ?? ''
    const from = await ask(`action=tenant.changed&from=${middle}`)
    const to = await ask(`action=tenant.changed&to=${middle}`)
    expect([...from, ...to]).toEqual(changes)
    expect(from.at(-1)?.at).toBe(middle)
  })

  test('says in parts whether it is whole', async () => {
    const own = await gateway.call('GET', '/api/whatsapp/audit/verification', { key: b.key })
    expect(own.json).toMatchObject({
      rows: 2,
      total_rows: 2,
      whole: [{ tenant_id: b.id, position: 2 }],
      broken: [],
      next: null,
    })
    const all = (await asOperator('/api/admin/audit/verification')).json
    expect([all.rows, all.broken]).toEqual([all.total_rows, []])
    const one = (await asOperator(`/api/admin/audit/verification?tenant_id=${a.id}`)).json
    expect(one.whole.map((end: { tenant_id: string }) => end.tenant_id)).toEqual([a.id])
  })

  test.each([
    ['one tenant’s', () => `/api/admin/audit?tenant_id=${a.id}&`],
    ['everybody’s', () => '/api/admin/audit?'],
  ])('%s pages hold every act once', async (_whose, path) => {
    const whole = await asOperator(`${path()}limit=200`)
    const paged: unknown[] = []
    let next: string | null = ''
    while (next !== null) {
      const page = await asOperator(`${path()}limit=2${next && `&after=${next}`}`)
      paged.push(...page.json.data)
      next = page.json.paging.next
    }

    expect(paged).toEqual(whole.json.data)
    expect(paged.length).toBeGreaterThanOrEqual(7)
  })

  test('a tenant sees its own only, whichever tenant it names', async () => {
    const own = await gateway.call('GET', '/api/whatsapp/audit', { key: b.key })
    expect(own.json.data.map((act: { action: string }) => act.action)).toEqual([
      'api_key.created',
      'tenant.created',
    ])
    const others = await gateway.call('GET', `/api/whatsapp/audit?tenant_id=${a.id}`, {
      key: b.key,
    })
    expect(others.json.data).toEqual([])
    const cursor = (await asOperator(`/api/admin/audit?tenant_id=${a.id}&limit=1`)).json.paging.next
    const stolen = await gateway.call('GET', `/api/whatsapp/audit?after=${cursor}`, { key: b.key })
    expectNone(stolen.text, a.id)
  })

  test('a tenant’s key does not open the operators’ audit', async () => {
    const answer = await gateway.call('GET', '/api/admin/audit', { key: a.key })
    expect(answer.status).toBe(403)
  })

  test.each([
    ['%00', 'INVALID_REQUEST'],
    ['x', 'INVALID_CURSOR'],
    [Buffer.from('2026-01-01 operators 1x').toString('base64url'), 'INVALID_CURSOR'],
    // JavaScript knows years that the database does not.
    [Buffer.from('-271821-04-20T00:00:00Z operators 1').toString('base64url'), 'INVALID_CURSOR'],
    [Buffer.from('+275760-09-13T00:00:00Z operators 1').toString('base64url'), 'INVALID_CURSOR'],
  ])('a cursor that is none (%s) is 400 %s', async (after, code) => {
    const answer = await asOperator(`/api/admin/audit?after=${after}`)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(code)
    expect(answer.json.error.details.fields[0].field).toBe('after')
  })
})
