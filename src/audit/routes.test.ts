import { beforeAll, describe, expect, test } from 'vitest'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../../test/support/gateway.ts'

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
    })
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
    expect(stolen.text).not.toContain(a.id)
  })

  test('a tenant’s key does not open the operators’ audit', async () => {
    const answer = await gateway.call('GET', '/api/admin/audit', { key: a.key })
    expect(answer.status).toBe(403)
  })

  test.each([
    ['%00', 'INVALID_REQUEST'],
    ['x', 'INVALID_CURSOR'],
    [Buffer.from('2026-01-01 operators 1x').toString('base64url'), 'INVALID_CURSOR'],
  ])('a cursor that is none (%s) is 400 %s', async (after, code) => {
    const answer = await asOperator(`/api/admin/audit?after=${after}`)
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(code)
    expect(answer.json.error.details.fields[0].field).toBe('after')
  })
})
