// Every route, field and parameter gets bad input of every sort. Of each sort some, the next one the next: what reads them is
// the same code at many routes, so that all are tried many times without everything being tried everywhere, which is what
// `npm run test:fuzz` is for.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { shapeOf } from '../support/contract-check.ts'
import { type Answer, operatorKey } from '../support/gateway.ts'
import { restorePeople } from '../support/people.ts'
import {
  createFirm,
  declaredRoutes,
  type Firm,
  fieldsOf,
  goodCall,
  pathFor,
  requiredOf,
  routeName,
  startWorld,
  undecide,
  type World,
} from '../support/world.ts'

let gateway: World
let firm: Firm

// A high limit: this file asks a lot, with one key.
beforeAll(async () => {
  gateway = await startWorld({ environment: { API_RATE_LIMIT_PER_SECOND: '100000' } })
  firm = await createFirm(gateway, 'firm')
  // Enough for a second page of everything.
  await gateway.createTenant('another')
  const keys = `/api/admin/tenants/${firm.id}/api-keys`
  await gateway.call('POST', keys, { key: operatorKey, body: { name: 'another' } })
})

const routes = declaredRoutes()
const named = (list: typeof routes) => list.map((route) => [routeName(route), route] as const)

const namesOf = (answer: Answer): string[] =>
  (answer.json?.error?.details?.fields ?? []).map(({ field }: { field: string }) => field)

const json = { 'content-type': 'application/json' }

/** Gives so many of these, and the next time the next ones. Their number and the count have no factor in common, so that whoever
 *  asks every other time gets all of them too. */
function inTurns<T>(all: readonly T[], count: number): () => T[] {
  let next = 0
  return () => Array.from({ length: count }, () => all[next++ % all.length] as T)
}

const notJson = inTurns(
  ['{', '{"name":}', 'name=x', '<xml/>', '{"a":1}}', 'NaN', '\0', '['.repeat(100_000)],
  3,
)
const noObjects = inTurns(['[]', '[{}]', '"x"', '17', 'true'], 2)
const otherTypes = inTurns(
  [
    'text/plain',
    'text/plain; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'x',
  ],
  2,
)
const unkeepable = inTurns(['a\0b', '\0', 'a\ud83d', '\ude00\ud83d', ['\0'], { a: '\0' }], 5)

/** What a client might put into any field, and what must not become a 5xx. */
const oddities = inTurns<[string, unknown]>(
  [
    ['null', null],
    ['true', true],
    ['a list', []],
    ['an object', {}],
    ['nothing but a space', ' '],
    ['a negative number', -1],
    ['a fraction', 0.5],
    ['a number beyond 2^53', 2 ** 60],
    ['the largest number', Number.MAX_VALUE],
    ['100,000 characters', 'x'.repeat(100_000)],
    ['right-to-left marks', '\u202eabc\u2066'],
    ['a BOM', '\ufeff'],
    ['markup', '<script>alert(1)</script>'],
    ['SQL', "'; drop table tenants; --"],
    ['the name of a prototype', '__proto__'],
  ],
  7,
)

describe.each(named(routes.filter((route) => route.body)))('the body of %s', (_name, route) => {
  const send = (rawBody: string | Buffer, headers: Record<string, string> = json) => {
    const { path, ...call } = goodCall(route, firm)
    const all = { ...call.headers, ...headers }
    return gateway.call(route.method, path, { ...call, body: undefined, rawBody, headers: all })
  }
  const sendWith = (field: string, value: unknown) =>
    send(JSON.stringify({ ...goodCall(route, firm).body, [field]: value }))
  const good = () => JSON.stringify(goodCall(route, firm).body)
  const code = route.invalidCode ?? 'INVALID_REQUEST'
  const required = requiredOf(route.body)
  const isConsoles = route.access === 'page' || route.access === 'person'
  beforeEach(async () => {
    if (isConsoles) await restorePeople(gateway.db)
  })
  const wantsReason = required.includes('reason')
  const others = required.filter((field) => field !== 'reason')

  test('must be JSON', async () => {
    for (const text of notJson()) {
      const answer = await send(text)
      expect([answer.status, answer.json.error.code], text).toEqual([400, 'INVALID_REQUEST'])
    }
  })

  test('must be UTF-8', async () => {
    const bytes = Buffer.from(good().replace(/:"[^"]/, ':"\u00ff'), 'latin1')
    expect((await send(bytes)).status).toBe(400)
  })

  test('must be an object', async () => {
    for (const text of ['', 'null', ...noObjects()]) {
      const answer = await send(text)
      // Who decides something without a word is asked for a reason, once nothing else is missing.
      const isSilent = wantsReason && (text === '' || text === 'null')
      const asksReason = isSilent && others.length === 0
      const wanted = asksReason ? 'REASON_REQUIRED' : code
      expect([answer.status, answer.json.error.code], text).toEqual([400, wanted])
      expect(namesOf(answer)).toEqual(asksReason ? ['reason'] : isSilent ? others : ['body'])
    }
  })

  test('must not reach for a prototype', async () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}']) {
      expect((await send(text)).status).toBe(400)
    }
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  test('must be declared as JSON', async () => {
    for (const type of otherTypes()) {
      const answer = await send(good(), { 'content-type': type })
      expect([answer.status, answer.json.error.code], type).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
    // Bytes, because of a string one says that it is text.
    expect((await send(Buffer.from(good()), {})).status).toBe(415)
  })

  test('must not be over 256 kB', async () => {
    const answer = await send(JSON.stringify({ name: 'x'.repeat(300_000) }))
    expect([answer.status, answer.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('must have no field that nobody knows', async () => {
    const answer = await sendWith('surprise', 1)
    expect([answer.status, answer.json.error.code]).toEqual([400, code])
    expect(namesOf(answer)).toEqual(['surprise'])
  })

  test.each(fieldsOf(route.body))('must have text that can be kept in %s', async (field) => {
    for (const value of unkeepable()) {
      const answer = await sendWith(field, value)
      const isNoReason = field === 'reason' && wantsReason && typeof value !== 'string'
      const wanted = isNoReason ? 'REASON_REQUIRED' : code
      expect([answer.status, answer.json.error.code]).toEqual([400, wanted])
      expect(namesOf(answer)[0]?.split(/[.[]/)[0]).toBe(field)
    }
  })

  test.each(fieldsOf(route.body))(
    'is taken or refused by name, whatever is in %s',
    async (field) => {
      for (const [what, value] of oddities()) {
        const answer = await sendWith(field, value)
        // 404: it names what is not there. 409: it is fine, and now taken.
        // 401, 429: a wrong password. 410: a link that was used.
        const fine = [200, 201, 202, 400, 404, 409, ...(isConsoles ? [204, 401, 410, 429] : [])]
        expect(fine, what).toContain(answer.status)
        if (answer.status !== 400) continue
        expect(
          namesOf(answer).map((name) => name.split(/[.[]/)[0]),
          what,
        ).toContain(field)
        expect(answer.text).not.toContain('<script>')
      }
    },
  )

  test('is named in full when it is missing', async () => {
    const answer = await send('{}')
    expect(answer.status).toBe(400)
    const needed = Object.keys(goodCall(route, firm).body ?? {})
    for (const name of namesOf(answer)) expect([...needed, 'body']).toContain(name)
  })
})

/** As some frameworks write lists and objects, with brackets: another name, whatever its value. */
const oddQueries = inTurns(
  [
    ...['=', '=%20', '=%', '=%ff', '=%ed%a0%80', '=-1', '=0', '=1e999', '=NaN'],
    ...[`=${'9'.repeat(400)}`, `=${'x'.repeat(2_000)}`, "='--", '=%F0%9F%8E%89', '=[]', '={}'],
    ...['[]=1', '[]=', '[a]=1'],
  ],
  7,
)
const noLimits = inTurns(['0', '-1', '201', '1.5', '1e9', 'x', ''], 3)

const withQuery = routes.filter((route) => route.query)

describe.each(named(withQuery))('the query of %s', (_name, route) => {
  const ask = (query: string) => {
    const { path, key } = goodCall(route, firm)
    return gateway.call(route.method, `${path}?${query}`, { key })
  }

  test.each(fieldsOf(route.query))('must name %s once', async (field) => {
    const answer = await ask(`${field}=1&${field}=2`)
    expect(answer.status).toBe(400)
    expect(namesOf(answer)).toEqual([field])
  })

  test.each(fieldsOf(route.query))('must have text that Postgres takes in %s', async (field) => {
    const answer = await ask(`${field}=a%00b`)
    expect(answer.status).toBe(400)
    expect(namesOf(answer)).toEqual([field])
  })

  test.each(fieldsOf(route.query))(
    'is taken or refused by name, whatever is in %s',
    async (field) => {
      for (const odd of oddQueries()) {
        const query = field + odd
        const answer = await ask(query)
        expect([200, 400], query).toContain(answer.status)
        if (answer.status === 400) expect(namesOf(answer), query).toEqual([field])
      }
    },
  )

  if (!fieldsOf(route.query).includes('limit')) return
  test('has pages of 1 to 200', async () => {
    for (const limit of noLimits()) {
      expect(namesOf(await ask(`limit=${limit}`)), limit).toEqual(['limit'])
    }
    for (const limit of ['1', '200']) expect((await ask(`limit=${limit}`)).status).toBe(200)
  })
})

const lists = routes.filter((route) => fieldsOf(route.query).includes('limit'))
const date = /\d{4}-\d\d-\d\d/
/** What somebody might make of a cursor. */
const forgeries = inTurns<(cursor: string) => string>(
  [
    ...[
      ...['0000-01-01', '0001-01-01', '9999-12-31', '2026-02-31', '2026-13-01', '2026-00-00'],
      ...['275760-01-01', '+275760-01-01', '-000001-01-01', '294277-01-01'],
    ].map((other) => (cursor: string) => cursor.replace(date, other)),
    (cursor) => cursor.replace(/\d\d:\d\d:\d\d/, '24:00:00'),
    (cursor) => cursor.replace(/:\d\d/, ':60'),
    (cursor) => cursor.replace(/:\d\d(?=[.Z+-])/, ':60'),
    (cursor) => cursor.replace(/\+00/, '+99'),
    (cursor) => cursor.replace(/\+00/, '+16:00'),
    (cursor) => cursor.replace(/\+00/, '-23:59'),
    (cursor) => cursor.replace(/\d+(?=\W*$)/, (digits) => '9'.repeat(digits.length + 1)),
    (cursor) => cursor.replace(/\d+(?=\W*$)/, '9'.repeat(15)),
    (cursor) => `${cursor} `,
    (cursor) => cursor.slice(0, -1),
  ],
  7,
)

describe.each(named(lists))('a cursor of %s', (_name, route) => {
  test('is taken or refused, whatever somebody made of it', async () => {
    await undecide(gateway)
    const { path, key } = goodCall(route, firm)
    const page = await gateway.call('GET', `${path}?limit=1`, { key })
    const cursor = Buffer.from(page.json.paging.next, 'base64url').toString()
    expect(cursor).toMatch(date)
    for (const forge of forgeries()) {
      const text = forge(cursor)
      const after = Buffer.from(text).toString('base64url')
      const answer = await gateway.call('GET', `${path}?after=${after}`, { key })
      expect([200, 400], text).toContain(answer.status)
      if (answer.status === 400) expect(namesOf(answer), text).toEqual(['after'])
    }
  })
})

const noIds = inTurns(
  [
    ...['x', '0', '-1', '%00', 'a%00b', '%20', "'", '%27%3B--', '%F0%9F%8E%89', '%2e%2e%2f'],
    ...['x'.repeat(400), 'x'.repeat(600), `msg_${'f'.repeat(31)}g`, 'null', 'undefined'],
    ...['%ff', '%', '%zz'],
  ],
  7,
)

describe.each(named(routes.filter((route) => route.params)))('the path of %s', (_name, route) => {
  test('leads nowhere with an id that cannot be one', async () => {
    const { key, body } = goodCall(route, firm)
    for (const id of noIds()) {
      for (const word of Object.keys(firm.ids)) {
        if (!route.path.includes(`/${word}/:`)) continue
        const path = pathFor(route, { ids: { ...firm.ids, [word]: id, [`admin/${word}`]: id } })
        const answer = await gateway.call(route.method, path, { key, body })
        expect([400, 404, 414], path).toContain(answer.status)
      }
    }
  })
})

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

describe('a method that a path does not know', () => {
  const paths = [...new Set(routes.map((route) => route.path))]

  test.each(paths)('is a 404 in the usual shape at %s', async (path) => {
    const at = pathFor({ ...routes[0], path } as (typeof routes)[0], firm)
    // Also those that take the last word for an id.
    const known = routes.filter((route) => shapeOf(route.path).test(at)).map(({ method }) => method)
    for (const method of methods) {
      if ((known as string[]).includes(method)) continue
      const answer = await gateway.call(method, at, { key: firm.key })
      expect([answer.status, answer.json.error.code], method).toEqual([404, 'NOT_FOUND'])
    }
  })
})

test('after all this the tables are there and nothing failed on our side', async () => {
  const [row] = await gateway.db.query(sql<{ count: number }>`
    select count(*)::int as count
    from tenants`)
  expect(row?.count).toBeGreaterThan(0)
  expect(gateway.logText()).not.toContain('api_request_failed')
})
