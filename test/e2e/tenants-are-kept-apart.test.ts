import { beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/api/route.ts'
import { type Answer, type CallOptions, operatorKey } from '../support/gateway.ts'
import {
  bodyFor,
  createFirm,
  declaredRoutes,
  type Firm,
  fieldsOf,
  goodCall,
  isTenants,
  pathFor,
  routeName,
  startWorld,
  undecide,
  type World,
} from '../support/world.ts'

let gateway: World
let a: Firm
let b: Firm

beforeAll(async () => {
  gateway = await startWorld()
  a = await createFirm(gateway, 'alder')
  b = await createFirm(gateway, 'birch')
})

const routes = declaredRoutes()
const named = (wanted: (route: Route) => boolean) =>
  routes.filter(wanted).map((route) => [routeName(route), route] as const)
const hasId = ({ path }: Route) => path.includes('/:')

/** Calls for what is `owner`'s. */
const callFor = (route: Route, owner: Firm, options: CallOptions) =>
  gateway.call(route.method, pathFor(route, owner), { body: bodyFor(route, owner), ...options })

function expectNothingOf(firm: Firm, answer: Answer): void {
  for (const mark of firm.marks) expect(answer.text).not.toContain(mark)
}

const isShown = (firm: Firm, answer: Answer) =>
  firm.marks.some((mark) => answer.text.includes(mark))

/** An answer without what is different in every answer. */
const bare = ({ status, json }: Answer) => ({
  status,
  error: { ...json.error, request_id: '' },
})

test('there are routes of every kind to look at', () => {
  expect(named((route) => isTenants(route) && hasId(route)).length).toBeGreaterThan(2)
  expect(named((route) => isTenants(route) && !hasId(route)).length).toBeGreaterThan(1)
  expect(named((route) => route.access === 'operator').length).toBeGreaterThan(5)
  // A route for anybody belongs into this test by hand.
  expect(named((route) => route.access === 'public')).toEqual([])
})

describe.each(named((route) => route.access !== 'page'))('%s', (_name, route) => {
  test('answers nobody with 401', async () => {
    for (const headers of [{}, { authorization: 'Bearer est_nobody' }, { 'x-tenant-id': a.id }]) {
      const answer = await callFor(route, a, { headers })
      expect(answer.status).toBe(401)
      expectNothingOf(a, answer)
    }
  })
})

describe.each(named((route) => route.access === 'operator'))('%s', (_name, route) => {
  test('answers a tenant with 403, also about itself', async () => {
    for (const owner of [a, b]) {
      const answer = await callFor(route, owner, { key: b.key })
      expect([answer.status, answer.json.error.code]).toEqual([403, 'FORBIDDEN'])
    }
  })
})

const byId = named((route) => isTenants(route) && hasId(route))

describe.each(byId)('%s', (_name, route) => {
  test('answers another tenant as if it were not there', async () => {
    const nothing = {
      ids: Object.fromEntries(
        Object.entries(a.ids).map(([word, id]) => [word, `${id.slice(0, -12)}000000000000`]),
      ),
    }

    const foreign = await callFor(route, a, { key: b.key })
    const absent = await gateway.call(route.method, pathFor(route, nothing), {
      key: b.key,
      body: bodyFor(route, a),
    })
    const asOperator = await callFor(route, a, {
      key: operatorKey,
      headers: { 'x-tenant-id': b.id },
    })

    expect(foreign.status).toBe(404)
    expect(bare(foreign)).toEqual(bare(absent))
    expect(bare(asOperator)).toEqual(bare(absent))
    expectNothingOf(a, foreign)
  })

  test('answers its own tenant, and the operator in its name', async () => {
    await undecide(gateway)
    const own = await callFor(route, a, { key: a.key })
    await undecide(gateway)
    const asOperator = await callFor(route, a, {
      key: operatorKey,
      headers: { 'x-tenant-id': a.id },
    })

    expect(own.status).toBeLessThan(300)
    expect(asOperator.status).toBeLessThan(300)
  })

  test('does not take an id of another kind', async () => {
    for (const [word, id] of Object.entries(a.ids)) {
      const others = Object.fromEntries(Object.keys(a.ids).map((key) => [key, id]))
      const path = pathFor(route, { ids: others })
      if (path === pathFor(route, a)) continue
      const answer = await gateway.call(route.method, path, {
        key: a.key,
        body: bodyFor(route, a),
      })
      expect(answer.status, word).toBe(404)
    }
  })
})

/** What names its subjects in its body. */
const many = named(
  (route) => isTenants(route) && !hasId(route) && fieldsOf(route.body).includes('ids'),
)

describe.each(many)('%s', (_name, route) => {
  /** With this firm's ids, under another's key. */
  const asOther = (ids: Record<string, string>, options: CallOptions) =>
    gateway.call(route.method, pathFor(route, a), {
      body: bodyFor(route, { ...a, ids }),
      ...options,
    })

  test('does nothing to what is of another tenant, as if it were not there', async () => {
    await undecide(gateway)
    const before = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })

    const absent = await asOther({ ...a.ids, dlq: `dlq_${'0'.repeat(32)}` }, { key: b.key })
    const foreign = await asOther(a.ids, { key: b.key })
    const asOperator = await asOther(a.ids, {
      key: operatorKey,
      headers: { 'x-tenant-id': b.id },
    })

    expect(foreign.json).toMatchObject({ matched: 0, decided: 0, skipped: { not_found: 1 } })
    expect(foreign.json).toEqual(absent.json)
    expect(asOperator.json).toEqual(absent.json)
    const after = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })
    expect(after.json).toEqual(before.json)
  })

  test('reaches only what is its own when it asks for everything', async () => {
    await undecide(gateway)
    const before = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })
    for (const filter of [{}, { tenant_id: a.id }, { phone_number_id: a.phoneNumberId }]) {
      const body = { filter, reason: 'why' }
      const answer = await gateway.call(route.method, pathFor(route, b), { key: b.key, body })
      expect(answer.status).toBe(200)
    }
    const after = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })
    expect(after.json).toEqual(before.json)
    const own = await gateway.call('GET', '/api/whatsapp/dlq', { key: b.key })
    expect(own.json.data).toEqual([])
    await undecide(gateway)
  })

  test('does it to its own, also for the operator in its name', async () => {
    for (const options of [
      { key: a.key },
      { key: operatorKey, headers: { 'x-tenant-id': a.id } },
    ]) {
      await undecide(gateway)
      expect((await callFor(route, a, options)).json).toMatchObject({ matched: 1, decided: 1 })
    }
    await undecide(gateway)
  })
})

const gets = named((route) => isTenants(route) && !hasId(route) && route.method === 'GET')
/** What is no list is a sum, and names nobody. */
const lists = gets.filter(([, route]) => fieldsOf(route.query).includes('limit'))

describe.each(gets)('%s', (_name, route) => {
  test('says nothing of another, whatever is asked for', async () => {
    const { path } = goodCall(route, a)
    for (const query of ['', `tenant_id=${a.id}`, `phone_number_id=${a.phoneNumberId}`]) {
      const answer = await gateway.call('GET', `${path}?${query}`, { key: b.key })
      // Where a tenant can be named, another's is not there.
      expect([200, 404]).toContain(answer.status)
      expectNothingOf(a, answer)
    }
  })
})

const countsPath = '/api/whatsapp/conversations/counts'

/** It names nothing that could be somebody else's: how much it counts is what tells. */
test('everybody’s conversations are counted for themselves', async () => {
  for (const firm of [a, b]) {
    const { json } = await gateway.call('GET', countsPath, { key: firm.key })
    const own = await gateway.call('GET', '/api/whatsapp/conversations?limit=200', {
      key: firm.key,
    })
    expect(json.open + json.closed).toBe(own.json.data.length)
  }
  const nobody = await gateway.createTenant('Nobody Wrote')
  const { json } = await gateway.call('GET', countsPath, { key: nobody.key })
  expect(json).toEqual({ open: 0, closed: 0, mine: null, unassigned: 0, waiting: 0 })
})

describe.each(lists)('%s', (_name, route) => {
  beforeAll(() => undecide(gateway))

  test('shows everybody their own and nothing else', async () => {
    const { path } = goodCall(route, a)
    for (const [firm, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const answer = await gateway.call('GET', path, { key: firm.key })
      expect(isShown(firm, answer)).toBe(true)
      expectNothingOf(other, answer)
    }
  })

  test('shows nothing of another, whatever is asked for and from wherever on', async () => {
    const { path } = goodCall(route, a)
    const page = await gateway.call('GET', `${path}?limit=1`, { key: a.key })
    expect(page.json.paging.next).toEqual(expect.any(String))

    for (const query of [
      `after=${page.json.paging.next}`,
      `phone_number_id=${a.phoneNumberId}`,
      `tenant_id=${a.id}`,
      `tenantId=${a.id}`,
    ]) {
      const answer = await gateway.call('GET', `${path}?${query}`, { key: b.key })
      expect(answer.status).toBe(200)
      expectNothingOf(a, answer)
    }
  })
})
