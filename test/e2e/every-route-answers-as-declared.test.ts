import { beforeAll, expect, test } from 'vitest'
import {
  createFirm,
  declaredRoutes,
  goodCall,
  routeName,
  startWorld,
  type World,
} from '../support/world.ts'

let gateway: World

beforeAll(async () => {
  gateway = await startWorld()
})

const routes = declaredRoutes()

test('there is one route for each method and path', () => {
  const names = routes.map(routeName)
  expect(new Set(names).size).toBe(names.length)
})

test.each(routes.map((route, index) => [routeName(route), `firm-${index}`, route] as const))(
  '%s answers what its schema says',
  async (_name, firmName, route) => {
    const firm = await createFirm(gateway, firmName)
    const { path, key, body } = goodCall(route, firm)

    // The gateway of the tests compares every answer with the route's schema.
    const answer = await gateway.call(route.method, path, { key, body })

    expect(answer.status).toBe(route.status ?? 200)
  },
)
