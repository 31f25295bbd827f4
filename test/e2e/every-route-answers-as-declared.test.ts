import { beforeAll, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/api/openapi-model.ts'
import type { Route } from '../../src/api/route.ts'
import { createAnswerCheck } from '../support/described-answers.ts'
import { type Answer, type CallOptions, operatorKey } from '../support/gateway.ts'
import {
  createFirm,
  declaredRoutes,
  type Firm,
  goodCall,
  routeName,
  startWorld,
  undecide,
  type World,
} from '../support/world.ts'

let gateway: World
/** Whom everybody asks who only reads or adds. */
let reader: Firm
/** Whom everybody asks who changes something that can be undone. */
let changed: Firm
let problemsOf: ReturnType<typeof createAnswerCheck>

beforeAll(async () => {
  gateway = await startWorld()
  reader = await createFirm(gateway, 'reader')
  changed = await createFirm(gateway, 'changed')
  const { json } = await gateway.call('GET', '/openapi.json')
  problemsOf = createAnswerCheck(json as OpenApiDocument)
})

const routes = declaredRoutes()
/** They take away what nothing gives back: each has a firm of its own. */
const takingAway = [
  'DELETE /api/admin/tenants/:id/api-keys/:keyId',
  'DELETE /api/admin/tenants/:id/accounts/:accountId',
]
const described = ({ path }: { path: string }) => path.replace(/:(\w+)/g, '{$1}')

/** Calls, and compares the answer with the API's description. */
async function ask(
  route: { method: string; path: string },
  path: string,
  options: CallOptions,
): Promise<Answer> {
  const answer = await gateway.call(route.method, path, options)
  expect(problemsOf(route.method, described(route), answer), answer.text).toEqual([])
  return answer
}

test('there is one route for each method and path', () => {
  const names = routes.map(routeName)
  expect(new Set(names).size).toBe(names.length)
})

/** One that can be asked this, whatever was asked before. */
async function firmFor(route: Route): Promise<Firm> {
  const isAdded = route.status === 201 || route.status === 202
  if (route.method === 'GET' || isAdded) return reader
  const place = takingAway.indexOf(routeName(route))
  if (place !== -1) return createFirm(gateway, `firm-${place}`)
  await undecide(gateway)
  return changed
}

test.each(routes.map((route) => [routeName(route), route] as const))(
  '%s answers what its schema and the API’s description say',
  async (_name, route) => {
    const firm = await firmFor(route)
    const { path, ...call } = goodCall(route, firm)

    // The gateway of the tests compares every answer with the route's schema too.
    const answer = await ask(route, path, call)

    expect(answer.status).toBe(route.status ?? 200)
  },
)

test('refusals are as described, at every route', async () => {
  for (const route of routes) {
    const { path, ...call } = goodCall(route, reader)
    const nobody = await ask(route, path, { body: call.body })
    expect([401, 403], routeName(route)).toContain(nobody.status)
    if (route.method === 'GET') continue
    const mumbled = { ...call, body: undefined, rawBody: '{' }
    const headers = { ...call.headers, 'content-type': 'application/json' }
    const unread = await ask(route, path, { ...mumbled, headers })
    expect([400, 415], routeName(route)).toContain(unread.status)
    // The same for all: a few will do.
    if (route.form || routes.indexOf(route) % 10 !== 0) continue
    const far = await ask(route, path, { ...mumbled, rawBody: 'x'.repeat(300_000), headers })
    expect(far.status, routeName(route)).toBe(413)
  }
})

test.each([
  ['/healthz', {}, 200],
  ['/readyz', {}, 200],
  ['/openapi.json', {}, 200],
  ['/docs', {}, 200],
  ['/metrics', {}, 401],
  ['/metrics', { key: operatorKey }, 200],
  ['/api/whatsapp/events', {}, 401],
  ['/api/integrations/meta/whatsapp/callback?state=nobodys', {}, 400],
  ['/api/webhooks/meta/whatsapp', {}, 403],
  ['/webhooks/whatsapp', {}, 403],
])('GET %s %j answers %i as described', async (path, call, status) => {
  const place = { method: 'GET', path: path.split('?')[0] ?? '' }
  expect((await ask(place, path, call)).status).toBe(status)
})

test('a page that refuses is as described', async () => {
  const path = '/connect/whatsapp'
  const page = await fetch(`${gateway.url}${path}?state=nobodys`)
  const { status, headers } = page
  expect(status).toBe(400)
  expect(
    problemsOf('GET', path, { status, headers, text: await page.text(), json: undefined }),
  ).toEqual([])
})

test('a delivery is answered as described, good or bad', async () => {
  const path = '/api/webhooks/meta/whatsapp'
  const check = (answer: Answer) => problemsOf('POST', path, answer)
  expect(check(await gateway.deliver({ entry: [] }))).toEqual([])
  expect(check(await gateway.deliver({ entry: [] }, {}))).toEqual([])
})
