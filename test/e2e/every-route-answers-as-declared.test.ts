import { beforeAll, expect, test } from 'vitest'
import {
  createFirm,
  declaredRoutes,
  type Firm,
  goodCall,
  routeName,
  startWorld,
  type World,
} from '../support/world.ts'

let gateway: World
/** Whom everybody asks who only reads or adds. */
let reader: Firm

beforeAll(async () => {
  gateway = await startWorld()
  reader = await createFirm(gateway, 'reader')
})

const routes = declaredRoutes()

test('there is one route for each method and path', () => {
  const names = routes.map(routeName)
  expect(new Set(names).size).toBe(names.length)
})

test.each(routes.map((route, index) => [routeName(route), `firm-${index}`, route] as const))(
  '%s answers what its schema says',
  async (_name, firmName, route) => {
    const isAdded = route.status === 201 || route.status === 202
    const firm = route.method === 'GET' || isAdded ? reader : await createFirm(gateway, firmName)
    const { path, ...call } = goodCall(route, firm)

    // The gateway of the tests compares every answer with the route's schema.
    const answer = await gateway.call(route.method, path, call)

    expect(answer.status).toBe(route.status ?? 200)
  },
)
