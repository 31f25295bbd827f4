// Everything that a tenant can read, as text that is the same for every tenant to whom the same happened.
import type { Route } from '../../src/api/route.ts'
import {
  declaredRoutes,
  type Firm,
  fieldsOf,
  goodCall,
  isTenants,
  routeName,
  type World,
} from './world.ts'

/** By the route. Of a list all pages, each of one item. */
export async function transcriptOf(gateway: World, firm: Firm): Promise<Record<string, string>> {
  const said: Record<string, string> = {}
  for (const route of declaredRoutes().filter(isRead)) {
    const answers = await readAll(gateway, firm, route)
    said[routeName(route)] = answers
      .map((answer) => comparable(answer, firm))
      .toSorted()
      .join('\n')
  }
  return said
}

const isRead = (route: Route) => isTenants(route) && route.method === 'GET'

async function readAll(gateway: World, firm: Firm, route: Route): Promise<unknown[]> {
  const { path, key, headers } = goodCall(route, firm)
  const ask = async (query: string) => {
    const answer = await gateway.call('GET', `${path}${query}`, { key, headers })
    return answer.json ?? { bytes: answer.text.length, type: answer.headers.get('content-type') }
  }
  const whole = await ask('')
  if (!fieldsOf(route.query).includes('limit')) return [whole]
  const items: unknown[] = [...whole.data]
  for (let next = ''; ; ) {
    const page = await ask(`?limit=1${next}`)
    // What a cursor holds, too.
    items.push(...page.data, decoded(page.paging.next))
    if (page.paging.next === null) return items
    next = `&after=${page.paging.next}`
  }
}

const decoded = (cursor: string | null) =>
  cursor === null ? null : { cursor: Buffer.from(cursor, 'base64url').toString() }

/** Without ids, times and the firm's own name; the order of what happened at once is nobody's business. */
function comparable(value: unknown, firm: Firm): string {
  const name = firm.marks.at(-1)?.split('.')[1] ?? ''
  const text = JSON.stringify(value)
    .replaceAll(/"(\w*(?:_ms|seconds))":[^,}]+/g, '"$1":0')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|\+00)?/g, 'TIME')
    .replaceAll(/[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}/g, 'ID')
    // Meta's own.
    .replaceAll(/\d{13,}/g, 'ID')
    .replaceAll(new RegExp(`${name}-[0-9a-f]{6}`, 'g'), 'SLUG')
    .replaceAll(name, 'NAME')
  return JSON.stringify(JSON.parse(text), (_key, inner) =>
    Array.isArray(inner) ? inner.toSorted(byText) : inner,
  )
}

const byText = (one: unknown, other: unknown) =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1
