// Looks at every answer that a test gets: it must be what the route declares, and every error of one shape and one that
// the API's description has for it.
import { expect } from 'vitest'
import { errorAnswer } from '../../src/api/contract.ts'
import { plainOperations } from '../../src/api/plain-operations.ts'
import type { Route } from '../../src/api/route.ts'
import { errorsOf } from '../../src/api/route-errors.ts'
import { errorRows } from '../../src/errors-table.ts'

/** Of an address that is nobody's, or a request that is no HTTP: the `default` of the API's description. */
const beforeAnyRoute = ['NOT_FOUND', 'HEADERS_TOO_LARGE', 'INVALID_REQUEST', 'REQUEST_TIMEOUT']

interface CheckedAnswer {
  status: number
  headers: Headers
  text: string
  json: unknown
}

/** Throws when an answer is not what the contract says. Knows errors everywhere, and the answers of these routes. */
export function createContractCheck(routes: Route[]) {
  const known = routes.map((one) => ({ one, shape: shapeOf(one.path) }))
  const refusals = [...routes, ...plainOperations].map((one) => {
    const declared = errorsOf(one).map(({ status, code }) => `${status} ${code}`)
    return { one, shape: shapeOf(one.path), declared }
  })
  return (method: string, path: string, answer: CheckedAnswer): void => {
    const place = path.split('?')[0] ?? ''
    if (answer.status >= 400) {
      // A probe tells why in a body of its own.
      if (place === '/readyz') return
      const code = checkError(answer)
      if (beforeAnyRoute.includes(code)) return
      const refused = refusals.find(({ one, shape }) => one.method === method && shape.test(place))
      const name = `${method} ${refused?.one.path} declares the error it answers`
      if (refused) expect(refused.declared, name).toContain(`${answer.status} ${code}`)
      return
    }
    const found = known.find(({ one, shape }) => one.method === method && shape.test(place))
    if (!found) return
    // Bytes, and perhaps a part of them.
    if (found.one.givesFile) return
    expect(answer.status, `${method} ${path}`).toBe(found.one.status ?? 200)
    if (answer.status === 204) expect(answer.text).toBe('')
    // Parsing drops what is not declared: equal means that nothing more was said than that.
    else expect(found.one.answer.parse(answer.json), `${method} ${path}`).toEqual(answer.json)
  }
}

function checkError({ json, headers, status }: CheckedAnswer): string {
  expect(errorAnswer.parse(json)).toEqual(json)
  const { error } = json as { error: { code: string; message: string; request_id: string } }
  expect(documentedStatuses(error.code), `${error.code} ${status}`).toContain(status)
  expect(error.message).not.toBe('')
  expect(error.request_id).toBe(headers.get('x-request-id'))
  return error.code
}

/** As docs/errors.md has them. What is not even HTTP is told with whatever of 4xx fits. */
function documentedStatuses(code: string): number[] {
  if (code === 'INVALID_REQUEST') return Array.from({ length: 100 }, (_, more) => 400 + more)
  return [errorRows.get(code)?.status ?? []].flat()
}

/** What an address of this route looks like. */
export function shapeOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`)
}
