import { beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../src/api/route.ts'
import {
  type Answer,
  type CallOptions,
  operatorKey,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts'
import {
  bodyFor,
  createFirm,
  declaredRoutes,
  type Firm,
  goodCall,
  pathFor,
  routeName,
} from '../support/world.ts'

let gateway: TestGateway
let a: Firm
let b: Firm

beforeAll(async () => {
  gateway = await startTestGateway()
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
  expect(named((route) => route.access === 'tenant' && hasId(route)).length).toBeGreaterThan(2)
  expect(named((route) => route.access === 'tenant' && !hasId(route)).length).toBeGreaterThan(1)
  expect(named((route) => route.access === 'operator').length).toBeGreaterThan(5)
  // A route for anybody belongs into this test by hand.
  expect(named((route) => route.access === 'public')).toEqual([])
})

describe.each(named(() => true))('%s', (_name, route) => {
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

const byId = named((route) => route.access === 'tenant' && (hasId(route) || route.method !== 'GET'))

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
    const own = await callFor(route, a, { key: a.key })
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
      if (!hasId(route) || path === pathFor(route, a)) continue
      const answer = await gateway.call(route.method, path, {
        key: a.key,
        body: bodyFor(route, a),
      })
      expect(answer.status, word).toBe(404)
    }
  })
})

const lists = named((route) => route.access === 'tenant' && !hasId(route) && route.method === 'GET')

describe.each(lists)('%s', (_name, route) => {
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
