// Looks at every answer that a test gets: it must be what the route declares, and every error of one shape and one that
// the API's description has for it.
import { isDeepStrictEqual } from 'node:util'
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
  const refusing = [...routes, ...plainOperations]
  return (method: string, path: string, answer: CheckedAnswer): void => {
    const place = path.split('?')[0] ?? ''
    const isAsked = (one: { method: string; path: string }) =>
      one.method === method && shapeOf(one.path).test(place)
    if (answer.status >= 400) {
      // A probe tells why in a body of its own.
      if (place === '/readyz') return
      const code = checkError(answer)
      if (beforeAnyRoute.includes(code)) return
      const refused = refusing.find(isAsked)
      if (!refused) return
      const isDeclared = errorsOf(refused).some((one) => {
        return one.status === answer.status && one.code === code
      })
      if (isDeclared) return
      expect.fail(`${method} ${refused.path} does not declare ${answer.status} ${code}`)
    }
    const found = routes.find(isAsked)
    if (!found) return
    // Bytes, and perhaps a part of them.
    if (found.givesFile) return
    expectEqual(answer.status, found.status ?? 200, `${method} ${path}`)
    if (answer.status === 204) expectEqual(answer.text, '', `${method} ${path}`)
    // Parsing drops what is not declared: equal means that nothing more was said than that.
    else expectEqual(found.answer.parse(answer.json), answer.json, `${method} ${path}`)
  }
}

/** `expect` takes its time also where all is well, and this is asked some times for each of a hundred thousand answers. */
function expectEqual(given: unknown, wanted: unknown, what: string): void {
  if (!isDeepStrictEqual(given, wanted)) expect(given, what).toEqual(wanted)
}

function checkError({ json, headers, status }: CheckedAnswer): string {
  expectEqual(errorAnswer.parse(json), json, 'the form of an error')
  const { error } = json as { error: { code: string; message: string; request_id: string } }
  if (!documentedStatuses(error.code).includes(status)) {
    expect.fail(`${error.code} is not to be answered with ${status}`)
  }
  if (error.message === '') expect.fail('an error without a word')
  expectEqual(error.request_id, headers.get('x-request-id'), 'the request’s id')
  return error.code
}

/** As docs/errors.md has them. What is not even HTTP is told with whatever of 4xx fits. */
function documentedStatuses(code: string): number[] {
  if (code === 'INVALID_REQUEST') return Array.from({ length: 100 }, (_, more) => 400 + more)
  return [errorRows.get(code)?.status ?? []].flat()
}

const shapes = new Map<string, RegExp>()

/** What an address of this route looks like. */
export function shapeOf(path: string): RegExp {
  const known = shapes.get(path)
  if (known) return known
  const shape = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`)
  shapes.set(path, shape)
  return shape
}
