// What the API does for an operator, done for the command line by the very same code.
import { parsePart, type Route } from '../api/route.ts'
import { apiRoutes } from '../gateway.ts'
import type { Runtime } from '../runtime.ts'
import { actor } from './manage.ts'
import { readOptions } from './read-options.ts'

interface Given {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

export async function callRoute<Answer>(
  runtime: Runtime,
  method: Route['method'],
  path: string,
  { params = {}, query = {}, body = {} }: Given,
): Promise<Answer> {
  const route = apiRoutes(runtime).find((one) => one.method === method && one.path === path)
  if (!route) throw new Error(`bug: there is no ${method} ${path}`)
  const answer = await route.handle({
    params: parsePart(route.params, params, 'arguments', 'INVALID_REQUEST'),
    query: route.query && readOptions(route.query, query),
    body: route.body && readOptions(route.body, body),
    actor,
    headers: {},
    setHeader: () => undefined,
    parts: async function* () {},
    tenantId: '',
    person: undefined,
    requestId: actor,
    origin: '',
  })
  return answer as Answer
}
