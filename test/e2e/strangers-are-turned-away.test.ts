// Who may call what: every door of every process × everybody who may knock. The doors are those that the server really has,
// so a new one is in here or the first test fails.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Access, Route } from '../../src/api/route.ts'
import { sql } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { expectNone } from '../support/canaries.ts'
import { createTestDb } from '../support/database.ts'
import { operatorKey, startTestGateway } from '../support/gateway.ts'
import { seedPerson } from '../support/people.ts'
import { registeredBy } from '../support/registered-routes.ts'
import {
  bodyFor,
  createFirm,
  declaredRoutes,
  type Firm,
  internalToken,
  pathFor,
  routeName,
  startWorld,
  type World,
} from '../support/world.ts'

let gateway: World
let firm: Firm
let registered: string[]

beforeAll(async () => {
  const environment = { API_RATE_LIMIT_PER_SECOND: '100000', ROLES: 'api,console' }
  const watched = await registeredBy(() => startWorld({ environment }))
  gateway = watched.started
  registered = watched.routes
  firm = await createFirm(gateway, 'alderwood')
})

const declared = declaredRoutes()

/** Mounted by hand. Anybody: says the same to all. State, signature: whoever brings a good one. */
type Door = Access | 'anybody' | 'state' | 'signature'
const ofEveryRole: Record<string, Door> = {
  'GET /healthz': 'anybody',
  'GET /readyz': 'anybody',
  'GET /metrics': 'operator',
}
const ofTheConsole: Record<string, Door> = {
  'GET /console': 'anybody',
  'GET /console/*': 'anybody',
}
const ofTheApi: Record<string, Door> = {
  'GET /openapi.json': 'anybody',
  'GET /docs': 'anybody',
  'GET /docs/:page': 'anybody',
  'GET /llms.txt': 'anybody',
  'GET /api/whatsapp/events': 'agent',
  'GET /connect/whatsapp': 'state',
  'GET /connect/whatsapp/redirect': 'state',
  'GET /api/integrations/meta/whatsapp/callback': 'state',
  'GET /api/webhooks/meta/whatsapp': 'signature',
  'POST /api/webhooks/meta/whatsapp': 'signature',
  'GET /webhooks/whatsapp': 'signature',
  'POST /webhooks/whatsapp': 'signature',
}
const byHand = { ...ofEveryRole, ...ofTheConsole, ...ofTheApi }

const doors: { name: string; method: string; path: string; door: Door; route?: Route }[] = [
  ...declared.map((route) => ({
    name: routeName(route),
    method: route.method as string,
    path: route.path,
    door: route.access as Door,
    route,
  })),
  ...Object.entries(byHand).map(([name, door]) => {
    const [method = '', path = ''] = name.split(' ')
    return { name, method, path, door }
  }),
]

describe('the doors of a process', () => {
  test('are those that are written down, and those of its own roles', async () => {
    const own = (...lists: Record<string, Door>[]) => lists.flatMap(Object.keys)
    const names = [...declared.map(routeName), ...own(byHand)]
    expect(registered).toEqual(names.toSorted())

    const { url, db } = await createTestDb()
    const alone = async (role: string) => {
      const options = { database: { url, db }, environment: { ROLES: role } }
      return (await registeredBy(() => startTestGateway(options))).routes
    }
    expect(await alone('worker')).toEqual(own(ofEveryRole).toSorted())
    expect(await alone('console')).toEqual(own(ofEveryRole, ofTheConsole).toSorted())
  })

  /** The matrix below follows what a route declares; this is what it may declare. */
  test('ask for what their address promises', () => {
    const promised: [RegExp, Access[]][] = [
      [/^\/api\/admin\//, ['operator']],
      [/^\/internal\//, ['internal']],
      [/^\/api\/console\/(sign-in|link|link\/accept)$/, ['page']],
      [/^\/api\/console\//, ['person']],
      [/^\/api\/(whatsapp|integrations)(\/|$)/, ['agent', 'tenant']],
    ]
    for (const { path, access } of declared) {
      expect(promised.find(([place]) => place.test(path))?.[1], path).toContain(access)
    }
    // Conversations, messages, sending, templates to read; and what their pages need.
    const agents = declared.filter(({ access }) => access === 'agent').map(routeName)
    expect(agents.toSorted()).toEqual([
      'GET /api/whatsapp/colleagues',
      'GET /api/whatsapp/conversations',
      'GET /api/whatsapp/conversations/:id',
      'GET /api/whatsapp/conversations/:id/messages',
      'GET /api/whatsapp/conversations/counts',
      'GET /api/whatsapp/messages',
      'GET /api/whatsapp/messages/:id',
      'GET /api/whatsapp/meta/media/:id',
      'GET /api/whatsapp/meta/templates',
      'GET /api/whatsapp/meta/templates/:id',
      'GET /api/whatsapp/numbers',
      'PATCH /api/whatsapp/conversations/:id',
      'POST /api/whatsapp/conversations/:id/read',
      'POST /api/whatsapp/messages/:id/cancel',
      'POST /api/whatsapp/meta/media',
      'POST /api/whatsapp/meta/send',
      'POST /api/whatsapp/meta/templates/:id/preview',
      'POST /api/whatsapp/meta/templates/preview',
    ])
  })

  test('say the same to everybody where anybody may ask', async () => {
    for (const { name, method, path } of doors.filter(({ door }) => door === 'anybody')) {
      const at = path.replace('*', 'inbox')
      const [nobodys, operators] = await Promise.all([
        gateway.call(method, at),
        gateway.call(method, at, { key: operatorKey }),
      ])
      const bare = (text: string) => text.replaceAll(/"request_id":"[^"]*"/g, '')
      expect(bare(nobodys.text), name).toBe(bare(operators.text))
      // A redirect has no body.
      if (nobodys.text !== '') expectNone(nobodys.text, ...firm.marks)
    }
  })

  test('stay shut without a state or a signature, whoever asks', async () => {
    const guarded = doors.filter(({ door }) => ['state', 'signature'].includes(door))
    expect(guarded.length).toBeGreaterThan(5)
    for (const { name, method, path, door } of guarded) {
      for (const who of [undefined, firm.key, operatorKey]) {
        const headers = who === undefined ? {} : { authorization: `Bearer ${who}` }
        for (const query of ['', '?state=&hub.challenge=1', `?state=${'x'.repeat(43)}`]) {
          const answer = await fetch(`${gateway.url}${path}${query}`, { method, headers })
          const wanted = door === 'state' ? 400 : method === 'GET' ? 403 : 401
          expect(answer.status, name).toBe(wanted)
          const text = await answer.text()
          expectNone(text, ...firm.marks)
        }
      }
    }
  })
})

/** What becomes of a call: let in, or refused with this. */
type Fate = 'in' | 400 | 401 | 403
type Fates = Record<Access, Fate>
interface Caller {
  /** At every door. The others, whose credentials are looked at in the one place where all are, at some of every kind. */
  isEverywhere?: true
  headers(): Promise<Record<string, string>> | Record<string, string>
  query?: () => string
  fates: Fates
  /** What is told of whoever only reads; the same as of the others unless said. */
  reading?: Partial<Fates>
}

const turnedAway: Fates = {
  ...{ public: 'in', page: 403, person: 401, agent: 401, tenant: 401, operator: 401 },
  internal: 401,
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const browserOf = async (role: 'agent' | 'admin' | 'operator') => {
  const tenantId = role === 'operator' ? null : firm.id
  return (await seedPerson(gateway.db, { role, tenantId })).headers(new URL(gateway.url).host)
}

/** Somebody who was let in once, until `update` was made. */
function formerly(update: (personId: string) => Promise<unknown>): Caller {
  return {
    fates: { ...turnedAway, page: 'in' },
    headers: async () => {
      const { id, headers } = await seedPerson(gateway.db, { role: 'admin', tenantId: firm.id })
      await update(uuidOf('usr', id) ?? '')
      return headers(new URL(gateway.url).host)
    },
  }
}

const asAdmin: Fates = {
  ...{ public: 'in', page: 'in', person: 'in', agent: 'in', tenant: 'in', operator: 403 },
  internal: 401,
}
const asKey: Fates = { ...asAdmin, page: 403, person: 403 }
const forged: Fates = { ...asAdmin, person: 403, agent: 403, tenant: 403, operator: 403 }
const forgedReading: Partial<Fates> = { person: 'in', agent: 'in', tenant: 'in' }

const callers: Record<string, Caller> = {
  nobody: { headers: () => ({}), fates: turnedAway, isEverywhere: true },
  'a name of a tenant': { headers: () => ({ 'x-tenant-id': firm.id }), fates: turnedAway },
  'a key that never was': { headers: () => bearer('est_nobody'), fates: turnedAway },
  'a revoked key': {
    headers: async () => {
      const keys = `/api/admin/tenants/${firm.id}/api-keys`
      const asOperator = { key: operatorKey, body: { name: 'revoked' } }
      const { json } = await gateway.call('POST', keys, asOperator)
      await gateway.call('DELETE', `${keys}/${json.id}`, { key: operatorKey })
      return bearer(json.key)
    },
    fates: turnedAway,
  },
  'a key in the address': {
    headers: () => ({}),
    query: () => `?key=${firm.key}&api_key=${firm.key}&access_token=${operatorKey}`,
    fates: turnedAway,
  },
  'a key as a password': {
    headers: () => ({
      authorization: `Basic ${Buffer.from(`x:${operatorKey}`).toString('base64')}`,
    }),
    fates: turnedAway,
  },
  'two keys': { headers: () => bearer(`${firm.key}, Bearer ${operatorKey}`), fates: turnedAway },
  'a cookie of nobody': {
    headers: () => ({ cookie: `__Host-estafet=${'x'.repeat(43)}`, 'sec-fetch-site': 'same-site' }),
    fates: turnedAway,
  },
  'an ended session': formerly((id) =>
    gateway.db.query(sql`update sessions set ended_at = now() where person_id = ${id}`),
  ),
  'an idle session': formerly((id) =>
    gateway.db.query(
      sql`update sessions set last_seen_at = now() - interval '2 days' where person_id = ${id}`,
    ),
  ),
  'a session of long ago': formerly((id) =>
    gateway.db.query(
      sql`update sessions set created_at = now() - interval '31 days' where person_id = ${id}`,
    ),
  ),
  'somebody who was disabled': formerly((id) =>
    gateway.db.query(sql`update people set disabled_at = now() where id = ${id}`),
  ),
  'a good cookie with a wrong key': {
    headers: async () => ({ ...(await browserOf('admin')), ...bearer('est_nobody') }),
    fates: { ...turnedAway, page: 'in' },
  },
  'a task with a wrong token': {
    headers: () => ({ 'x-internal-token': `${internalToken}x`, 'x-forwarded-for': '127.0.0.1' }),
    query: () => `?token=${internalToken}&x-internal-token=${internalToken}`,
    fates: turnedAway,
  },
  'the tasks’ token as a key': { headers: () => bearer(internalToken), fates: turnedAway },
  'an agent': {
    headers: () => browserOf('agent'),
    fates: { ...asAdmin, tenant: 403 },
    isEverywhere: true,
  },
  'an agent who names the tenant': {
    headers: async () => ({ ...(await browserOf('agent')), 'x-tenant-id': firm.id }),
    fates: { ...asAdmin, tenant: 403 },
  },
  'an admin': { headers: () => browserOf('admin'), fates: asAdmin, isEverywhere: true },
  'a tenant’s key': { headers: () => bearer(firm.key), fates: asKey, isEverywhere: true },
  'an operator’s key without a tenant': {
    headers: () => bearer(operatorKey),
    fates: { ...asKey, agent: 400, tenant: 400, operator: 'in' },
  },
  'an operator’s key': {
    headers: () => ({ ...bearer(operatorKey), 'x-tenant-id': firm.id }),
    fates: { ...asKey, operator: 'in' },
    isEverywhere: true,
  },
  'an operator': {
    headers: async () => ({ ...(await browserOf('operator')), 'x-tenant-id': firm.id }),
    fates: { ...asAdmin, operator: 'in' },
  },
  'an admin’s page without its token': {
    headers: async () => ({
      ...(await browserOf('admin')),
      'x-csrf-token': '',
      'x-http-method-override': 'GET',
    }),
    isEverywhere: true,
    fates: forged,
    reading: forgedReading,
  },
  'an admin’s page with another’s token': {
    headers: async () => ({
      ...(await browserOf('admin')),
      'x-csrf-token': firm.browser['x-csrf-token'] ?? '',
    }),
    fates: forged,
    reading: forgedReading,
  },
  'another page with an admin’s cookie': {
    headers: async () => ({ ...(await browserOf('admin')), origin: 'https://evil.example' }),
    fates: { ...forged, page: 403 },
    reading: forgedReading,
  },
  // Last: it sets everything going that waits.
  'a task of ours': {
    headers: () => ({ 'x-internal-token': internalToken }),
    fates: { ...turnedAway, internal: 'in' },
  },
}

const isAccess = (door: Door): door is Access => door in turnedAway
const matrix = doors.filter(({ door }) => isAccess(door))

/** What callers could change, table by table, without when somebody was last seen. What processes note of themselves is
 *  elsewhere. */
async function snapshot(): Promise<Record<string, string>> {
  const tables = await gateway.db.query(sql<{ name: string; content: string }>`
    select relname as name,
      md5(query_to_xml(format(
        'select to_jsonb(t) - array[''last_seen_at'', ''last_used_at''] from %I t order by 1', relname
      ), true, false, '')::text) as content
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname ~ '^(whatsapp_|audit|tenants|api_keys|people|person_|sessions|sign|dead_|alert_channels|event_endpoints)'`)
  expect(tables.length).toBeGreaterThan(20)
  return Object.fromEntries(tables.map(({ name, content }) => [name, content]))
}

/** The same things, and none of them there. */
const absent = (ids: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(ids).map(([word, id]) => [word, `${id.slice(0, -12)}000000000000`]),
  )

/** One in so many, and the first of each kind. */
const share = 8

describe.each(Object.entries(callers))('%s', (name, { isEverywhere, ...caller }) => {
  const place = Object.keys(callers).indexOf(name)
  const tried = matrix.filter(
    ({ door }, index) =>
      isEverywhere === true ||
      index % share === place % share ||
      matrix.findIndex((one) => one.door === door) === index,
  )
  const fateOf = ({ method, door }: (typeof doors)[number]): Fate =>
    (method === 'GET' ? caller.reading?.[door as Access] : undefined) ??
    caller.fates[door as Access]

  /** Not to its end: one of them has none. */
  const knock = async (
    method: string,
    { route, path }: (typeof doors)[number],
    request: { ids: Firm['ids']; body: unknown; headers: Record<string, string> },
  ) => {
    const { ids, body, headers } = request
    const isJson = body !== undefined && !(body instanceof FormData)
    const at = route ? pathFor(route, { ids }) : path
    const answer = await fetch(`${gateway.url}${at}${caller.query?.() ?? ''}`, {
      method,
      headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    })
    if (answer.status >= 400) return { status: answer.status, text: await answer.text() }
    await answer.body?.cancel()
    return { status: answer.status, text: '' }
  }

  test('is refused where it must be, with a good request, and nothing comes of it', async () => {
    const headers = await caller.headers()
    const before = await snapshot()
    const refused = tried.filter((one) => fateOf(one) !== 'in')
    await Promise.all(
      refused.map(async (one) => {
        const body = one.route && bodyFor(one.route, firm)
        const asked = { ids: firm.ids, body, headers }
        const { status, text } = await knock(one.method, one, asked)
        expect(status, one.name).toBe(fateOf(one))
        expectNone(text, ...firm.marks)
        if (one.method !== 'GET' || !isEverywhere) return
        // The stream answers no HEAD.
        const wanted = one.path === '/api/whatsapp/events' ? 404 : status
        expect(await knock('HEAD', one, asked), one.name).toEqual({ status: wanted, text: '' })
      }),
    )
    expect(await snapshot()).toEqual(before)
  })

  test('is let in where it may be', async () => {
    let headers = await caller.headers()
    for (const one of tried) {
      if (fateOf(one) !== 'in') continue
      // What a good request would do is not the question here: this one is about what is not there.
      const body = one.route?.body ? [] : one.route && bodyFor(one.route, firm)
      const { status, text } = await knock(one.method, one, {
        ids: absent(firm.ids),
        body,
        headers,
      })
      expect([401, 403, 500], `${one.name} ${text}`).not.toContain(status)
      if (one.path.includes('/sign-out')) headers = await caller.headers()
    }
  })
})
