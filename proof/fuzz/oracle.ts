// Whether an answer of the API may be: its status, its form, and that it tells nobody anything of anybody else.
import { createContractCheck } from '../../test/support/contract-check.ts'
import type { FuzzAnswer, FuzzRequest } from './http.ts'
import type { RouteCase, RoutesPlace, Target } from './model.ts'

/** What any route may answer to what is wrong with a request. */
const general = new Set([400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 416, 422, 429, 431])

export function createOracle(
  { routes, firms }: Pick<RoutesPlace, 'routes' | 'firms'>,
  targets: Target[],
) {
  const checkContract = createContractCheck(routes)
  const byName = new Map(targets.map((target) => [target.name, target]))

  return (one: RouteCase, sent: FuzzRequest, answer: FuzzAnswer): string | undefined => {
    const { status } = answer
    const target = byName.get(one.route)
    const place = `${one.method} ${one.route.split(' ')[1]} as ${one.as}`
    if (!target) return `${place}: the document has no such route`
    const documented = target.operation.responses[String(status)] !== undefined
    if (status >= 500) return `${place}: answered ${status}: ${answer.text.slice(0, 200)}`
    if (!general.has(status) && !documented && one.method === target.method) {
      return `${place}: answered ${status}, which is not documented`
    }
    // Who knows a person's password is that person, and is told of their own firm.
    const isSignedIn = one.route === 'POST /api/console/sign-in' && status === 200
    const leaked = isSignedIn ? undefined : leakIn(one, sent, answer)
    if (leaked !== undefined) return `${place}: tells of another firm: ${leaked}`
    if (one.method === 'HEAD' || isDocumentedPage(target, answer)) return undefined
    try {
      checkContract(one.method, sent.path, answer)
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error)
      return `${place}: ${status} of another form: ${told.slice(0, 400)} ${answer.text.slice(0, 200)}`
    }
    return undefined
  }

  /** Marks of those whom the caller has nothing to do with, unless the caller wrote them itself. */
  function leakIn(one: RouteCase, sent: FuzzRequest, { text }: FuzzAnswer): string | undefined {
    const strangers = strangersTo(one, sent.headers['x-tenant-id'] === firms.A.id)
    const asked = `${decoded(sent.path)} ${JSON.stringify(sent.headers)} ${sent.body?.toString() ?? ''}`
    return strangers
      .flatMap((name) => firms[name].marks)
      .find((mark) => text.includes(mark) && !asked.includes(mark))
  }
}

/** Firms whose marks this caller may not see. Operators see all, except where they speak for one. */
function strangersTo({ as, route }: RouteCase, isForA: boolean): ('A' | 'B')[] {
  const isOfTenant = isForA && !route.includes(' /api/admin/')
  switch (as) {
    case 'A':
    case 'person of A':
      return ['B']
    case 'B':
    case 'person of B':
      return ['A']
    case 'operator for A':
      return isOfTenant ? ['B'] : []
    case 'operator':
    case 'task':
      return []
    default:
      return ['A', 'B']
  }
}

/** Pages, plain texts and streams have no form to look at, but are to be documented. */
function isDocumentedPage({ operation }: Target, { status, headers }: FuzzAnswer): boolean {
  const told = operation.responses[String(status)] ?? operation.responses.default
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  return type !== 'application/json' && told?.content !== undefined && type in told.content
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
