import { operatorKey } from '../../test/support/gateway.ts'
import { bodyFor, internalToken } from '../../test/support/world.ts'
import type { Dice } from './dice.ts'
import { askPatiently, headerText } from './http.ts'
import type { Kind } from './kind.ts'
import type { RouteCase, RoutesPlace, Target } from './model.ts'
import { toJson } from './mutations.ts'
import { createOracle } from './oracle.ts'
import { jsonHeaders, makeBody } from './route-bodies.ts'
import { oddTexts, valueFor } from './schema-values.ts'

/** They take from whoever calls them what later cases need: they come last before everything is put back. */
export const consuming: Record<string, string> = {
  'DELETE /api/admin/tenants/{id}/api-keys/{keyId}': 'revokes the key that a firm calls with',
  'DELETE /api/admin/tenants/{id}/accounts/{accountId}': 'takes a firm its number',
  'PATCH /api/admin/tenants/{id}': 'may suspend a firm',
  'PATCH /api/admin/people/{id}': 'may disable whoever calls',
  'PATCH /api/whatsapp/people/{id}': 'may disable whoever calls',
  'POST /api/admin/people/{id}/sign-out': 'ends the session of whoever calls',
  'POST /api/whatsapp/people/{id}/sign-out': 'ends the session of whoever calls',
  'POST /api/console/sign-out': 'ends the session of whoever calls',
  'POST /api/console/sign-out-everywhere': 'ends the session of whoever calls',
  'POST /api/console/password': 'ends every other session of whoever calls',
  'POST /api/console/link/accept': 'ends every session of the person, and uses up the link',
}

/** They hash a password with scrypt each time, or call many others: one case in so many of theirs is kept. */
const costly: Record<string, number> = {
  'POST /api/console/sign-in': 20,
  'POST /api/console/password': 20,
  'POST /api/console/link/accept': 20,
  'POST /internal/sweep': 20,
}

export function targetsOf({
  document,
  routes,
}: Pick<RoutesPlace, 'document' | 'routes'>): Target[] {
  const declared = new Map(
    routes.map((one) => [`${one.method} ${one.path.replace(/:(\w+)/g, '{$1}')}`, one]),
  )
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, operation]) => {
      const method = verb.toUpperCase()
      const name = `${method} ${path}`
      return { name, method, path, operation, declared: declared.get(name) }
    }),
  )
}

export function routesKind(place: RoutesPlace): Kind<RouteCase> {
  const counts = new Map<string, number>()
  const targets = targetsOf(place)
  const judge = createOracle(place, targets)
  const fill = (text: string) =>
    text.replace(/<<(\w)\.([^<>]+)>>/g, (_, who, word) => idOf(place, who, word))
  const last: RouteCase[] = []
  /** Of each route: the first digits of what it answered. */
  const answered = new Map(targets.map(({ name }) => [name, new Set<number>()]))
  const run = async (one: RouteCase) => {
    const request = {
      method: one.method,
      path: fill(one.path),
      headers: { ...credentialsOf(place, one.as), ...filled(one.headers, fill) },
      body: one.body && filledBody(one.body, fill),
    }
    const answer = await askPatiently(place.ask, request, counts)
    const key = `${answer.status}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (one.method === one.route.split(' ')[0]) {
      answered.get(one.route)?.add(Math.floor(answer.status / 100))
    }
    return judge(one, request, answer)
  }
  return {
    name: 'routes',
    chunkSize: 1_500,
    inFlight: 16,
    // The first ask every route, the costly ones too, for what it is there for.
    make: (dice, number) => {
      const target = targets[number]
      return target ? goodCase(place, target, dice) : makeCase(place, targets, dice)
    },
    run: (one) => {
      if (!(one.route in consuming)) return run(one)
      last.push(one)
      return undefined
    },
    *smaller(one) {
      if (one.body) yield { ...one, body: undefined }
      const [path = '', query] = one.path.split('?')
      if (query !== undefined) yield { ...one, path }
      for (const name of Object.keys(one.headers)) {
        const { [name]: _, ...headers } = one.headers
        yield { ...one, headers }
      }
    },
    async settle(chunk) {
      const problems = new Map<number, string>()
      for (const one of last.splice(0)) {
        const problem = await run(one)
        if (problem !== undefined) problems.set(chunk.indexOf(one), problem)
      }
      const [trouble] = place.troubles()
      if (trouble !== undefined && !problems.has(0)) {
        problems.set(0, `among the cases from here on: ${trouble}`)
      }
      await place.restore()
      return problems
    },
    counts: () => counts,
    missed: (made) => missedOf(answered, made),
  }
}

/** Of all routes so many are to have done what they were asked at least once. Four of five do: the rest are pages that send
 *  elsewhere, the door of Meta, and what others have decided or ended before. */
const leastDone = 0.7
/** Chance needs so many cases for that. */
const enough = 1_500

/** Fewer cases are not expected to come by everything. */
export function missedOf(answered: Map<string, Set<number>>, made: number): string[] {
  if (made < enough) return []
  const routes = [...answered]
  const undone = routes.filter(([, digits]) => !digits.has(2)).map(([name]) => name)
  return [
    ...routes.filter(([, { size }]) => size === 0).map(([name]) => `${name} was never asked`),
    ...(undone.length > routes.length * (1 - leastDone)
      ? [`${undone.length} of ${routes.length} routes never did what they were asked: ${undone}`]
      : []),
  ]
}

/** Who calls, and how they show it. */
export function credentialsOf({ firms, url }: RoutesPlace, as: string): Record<string, string> {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const { host } = new URL(url)
  switch (as) {
    case 'A':
    case 'B':
      return bearer(firms[as].key)
    case 'operator':
      return bearer(operatorKey)
    case 'operator for A':
      return { ...bearer(operatorKey), 'x-tenant-id': firms.A.id }
    case 'person of A':
      return firms.A.person.headers(host)
    case 'person of B':
      return firms.B.person.headers(host)
    case 'page':
      return { origin: `http://${host}` }
    case 'task':
      return { 'x-internal-token': internalToken }
    case 'somebody':
      return bearer('est_of_nobody_that_we_know_0000000000')
    default:
      return {}
  }
}

const everybody = [
  ...['A', 'A', 'A', 'B', 'operator', 'operator', 'operator for A', 'person of A', 'person of A'],
  ...['person of B', 'page', 'task', 'somebody', 'nobody'],
]

/** By somebody whom the route lets in, with nothing wrong in it. */
function goodCase(place: RoutesPlace, target: Target, dice: Dice): RouteCase {
  const good = target.declared && bodyFor(target.declared, place.firms.A)
  const { body, headers } =
    good === undefined || good instanceof FormData
      ? makeBody(target, dice, () => good)
      : { body: Buffer.from(JSON.stringify(good)), headers: jsonHeaders }
  const path = target.path.replace(pathIds, (_, word: string) => `${word}/<<A.${word}>>`)
  const [as = ''] = fitting(target)
  return { route: target.name, as, method: target.method, path, headers, ...(body && { body }) }
}

function makeCase(place: RoutesPlace, targets: Target[], dice: Dice): RouteCase {
  const target = pickTarget(targets, dice)
  const as = dice.isOneIn(2) ? dice.pick(fitting(target)) : dice.pick(everybody)
  const method = dice.isOneIn(60)
    ? dice.pick(['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'])
    : target.method
  const { body, headers } = makeBody(target, dice, () => goodBody(place, target, dice))
  return {
    route: target.name,
    as,
    method,
    path: makePath(target, dice) + makeQuery(target, dice),
    headers: { ...makeHeaders(target, dice), ...headers },
    ...(body && method !== 'GET' && method !== 'HEAD' && { body }),
  }
}

function pickTarget(targets: Target[], dice: Dice): Target {
  for (;;) {
    const target = dice.pick(targets)
    if (dice.isOneIn(costly[target.name] ?? 1)) return target
  }
}

/** Those who get further than the door. */
function fitting({ declared }: Target): string[] {
  switch (declared?.access) {
    case 'operator':
      return ['operator']
    case 'page':
      return ['page']
    case 'person':
      return ['person of A']
    case 'internal':
      return ['task']
    default:
      return ['A', 'person of A', 'operator for A']
  }
}

function goodBody({ firms }: RoutesPlace, { name, declared }: Target, dice: Dice): unknown {
  const good = declared && bodyFor(declared, dice.isOneIn(8) ? firms.B : firms.A)
  // Its number has the firm's id in it, and may go to another: that would look like a leak ever after.
  return name === 'POST /api/admin/tenants/{id}/accounts'
    ? { ...good, phone_number_id: `new-number-${dice.below(1_000_000)}` }
    : good
}

const plausible: Record<string, (dice: Dice) => string> = {
  limit: (dice) => String(dice.below(120)),
  phone_number_id: () => 'number-of-alder',
  conversation_id: () => '<<A.conversations>>',
  account_id: () => '<<A.accounts>>',
  tenant_id: () => '<<A.tenants>>',
  message_id: () => '<<A.messages>>',
}

/** The word before a parameter says what it is the id of. */
const pathIds = /((?:admin\/)?[\w-]+)\/\{\w+\}/g

function makePath({ path }: Target, dice: Dice): string {
  return path.replace(pathIds, (_, word: string) => {
    const dial = dice.below(10)
    const id =
      dial < 6
        ? `<<A.${word}>>`
        : dial < 8
          ? `<<B.${word}>>`
          : encodeURIComponent(
              dice.pick([...oddTexts, 'msg_0', '%00', `conv_${'0'.repeat(32)}`]).toWellFormed(),
            )
    return `${word}/${id}`
  })
}

function makeQuery({ operation, path }: Target, dice: Dice): string {
  const asked = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const pairs = asked.flatMap(({ name, schema, required }) => {
    if (!required && !dice.isOneIn(3)) return []
    const plausibly = name === 'after' ? () => `<<A.${nextOf(path)}>>` : plausible[name]
    const value = dice.isOneIn(2) ? plausibly?.(dice) : undefined
    const given = value ?? asText(valueFor(schema, dice, { oddOneIn: 12, known: () => undefined }))
    const pair = `${name}=${/^<<.*>>$/.test(given) ? given : encodeURIComponent(given.toWellFormed())}`
    return dice.isOneIn(40) ? [pair, pair] : [pair]
  })
  if (dice.isOneIn(20))
    pairs.push(
      dice.pick(['x=1', 'limit[]=1', '%zz', 'a=%00', '=', '&&', '__proto__=1', 'limit=1&limit=2']),
    )
  return pairs.length === 0 ? '' : `?${pairs.join('&').slice(0, 12_000)}`
}

const strays: [string, string[]][] = [
  ['accept', ['text/html', '*/*', 'application/json', 'nonsense']],
  ['x-tenant-id', ['<<A.tenants>>', '<<B.tenants>>', 'x', '']],
  ['idempotency-key', ['x', 'x'.repeat(300), 'é', '']],
  ['range', ['bytes=0-1', 'bytes=-1', 'bytes=99999999-', 'bytes=5-1', 'x']],
  ['last-event-id', ['evt_0', 'x', '']],
  ['x-idle', ['1']],
  ['x-forwarded-for', ['127.0.0.1', 'x']],
  ['host', ['evil.example', 'x:99999']],
  ['cookie', ['__Host-estafet=x', '=', '%%%', '__Host-estafet=x; __Host-estafet=y']],
  ['origin', ['null', 'http://evil.example', 'x']],
  ['expect', ['100-continue']],
]

function makeHeaders({ operation }: Target, dice: Dice): Record<string, string> {
  const made: Record<string, string> = {}
  for (const { name, schema } of (operation.parameters ?? []).filter(
    (one) => one.in === 'header',
  )) {
    if (!dice.isOneIn(3)) continue
    const value = valueFor(schema, dice, { oddOneIn: 12, known: () => undefined })
    made[name.toLowerCase()] = headerText(Buffer.from(asText(value)))
  }
  if (dice.isOneIn(8)) {
    const [name, values] = dice.pick(strays)
    // undici takes care of this one itself.
    if (name !== 'expect') made[name] = dice.pick(values)
  }
  return made
}

/** As somebody would put it into an address. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value)
}

/** What a firm's cursor of a list is kept under, among its ids. */
const nextOf = (path: string) => `next of ${path}`

/** Where the first page of each list ends that is longer than one row. */
export async function learnCursors(place: RoutesPlace): Promise<void> {
  const { ids } = place.firms.A
  for (const target of targetsOf(place)) {
    const isList = target.operation.parameters?.some(({ name }) => name === 'after')
    if (target.method !== 'GET' || !isList) continue
    const path = target.path.replace(pathIds, (_, word) => `${word}/${idOf(place, 'A', word)}`)
    const headers = credentialsOf(place, fitting(target)[0] ?? '')
    const { json } = await place.ask({ method: 'GET', path: `${path}?limit=1`, headers })
    const { paging, next = paging?.next } = json as { paging?: { next?: unknown }; next?: unknown }
    if (typeof next === 'string') ids[nextOf(target.path)] = next
  }
}

function idOf({ firms }: RoutesPlace, who: string, word: string): string {
  const { ids } = who === 'B' ? firms.B : firms.A
  return ids[word] ?? ids[word.replace('admin/', '')] ?? 'unknown'
}

function filled(headers: Record<string, string>, fill: (text: string) => string) {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]))
}

function filledBody(body: Buffer, fill: (text: string) => string): Buffer {
  return body.includes('<<') ? Buffer.from(fill(body.toString('latin1')), 'latin1') : body
}
