import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Route } from '../../src/api/route.ts'
import { sql } from '../../src/db/connect.ts'
import { publicId } from '../../src/ids.ts'
import { expectNone } from '../support/canaries.ts'
import { openStream } from '../support/event-stream.ts'
import { type Answer, type CallOptions, operatorKey, type TestTenant } from '../support/gateway.ts'
import {
  addSubjects,
  callsNaming,
  type NamedFirm,
  naming,
  nobodys,
  subjects,
  wordsOnly,
} from '../support/named-subjects.ts'
import { transcriptOf } from '../support/transcript.ts'
import {
  bodyFor,
  createFirm,
  declaredRoutes,
  type Firm,
  fieldsOf,
  goodCall,
  isTenants,
  pathFor,
  routeName,
  startWorld,
  undecide,
  type World,
} from '../support/world.ts'

let gateway: World
let a: NamedFirm
let b: NamedFirm
let suspended: TestTenant
/** What alder reads while there is nobody else. */
let alone: Record<string, string>

beforeAll(async () => {
  gateway = await startWorld()
  const alder = await createFirm(gateway, 'alderwood')
  alone = await transcriptOf(gateway, alder)
  a = await addSubjects(gateway, alder)
  b = await addSubjects(gateway, await createFirm(gateway, 'birchwood'))
  suspended = await gateway.createTenant('Cedar')
  const path = `/api/admin/tenants/${suspended.id}`
  await gateway.call('PATCH', path, { key: operatorKey, body: { status: 'suspended' } })
})

const routes = declaredRoutes()
const named = (wanted: (route: Route) => boolean) =>
  routes.filter(wanted).map((route) => [routeName(route), route] as const)
const hasId = ({ path }: Route) => path.includes('/:')

/** Calls for what is `owner`'s. */
const callFor = (route: Route, owner: Firm, options: CallOptions) =>
  gateway.call(route.method, pathFor(route, owner), { body: bodyFor(route, owner), ...options })

function expectNothingOf(firm: Firm, answer: Answer): void {
  expectNone(answer.text, ...firm.marks)
}

const isShown = (firm: Firm, answer: Answer) =>
  firm.marks.some((mark) => answer.text.includes(mark))

/** An answer without what is different in every answer. */
const bare = ({ status, json }: Answer) => ({
  status,
  error: { ...json.error, request_id: '' },
})

test('there are routes of every kind to look at', () => {
  expect(named((route) => isTenants(route) && hasId(route)).length).toBeGreaterThan(2)
  expect(named((route) => isTenants(route) && !hasId(route)).length).toBeGreaterThan(1)
  expect(named((route) => route.access === 'operator').length).toBeGreaterThan(5)
  // A route for anybody belongs into this test by hand.
  expect(named((route) => route.access === 'public')).toEqual([])
  // As does one below an id that is neither a tenant's nor the operator's.
  const isOthers = (route: Route) => !isTenants(route) && route.access !== 'operator'
  expect(named((route) => isOthers(route) && hasId(route))).toEqual([])
  expect([nested, many, searches, below].map(({ length }) => length)).not.toContain(0)
})

const byId = named((route) => isTenants(route) && hasId(route))

describe.each(byId)('%s', (_name, route) => {
  test('answers another tenant as if it were not there', async () => {
    const nothing = {
      ids: Object.fromEntries(
        Object.entries(a.ids).map(([word, id]) => [word, `${id.slice(0, -12)}000000000000`]),
      ),
    }

    const foreign = await callFor(route, a, { key: b.key })
    const absent = await gateway.call(route.method, pathFor(route, nothing), {
      key: b.key,
      body: bodyFor(route, a),
    })
    expect(foreign.status).toBe(404)
    expect(bare(foreign)).toEqual(bare(absent))
    expectNothingOf(a, foreign)
    for (const other of [
      { headers: b.browser },
      { key: suspended.key },
      { key: operatorKey, headers: { 'x-tenant-id': b.id } },
    ]) {
      expect(bare(await callFor(route, a, other))).toEqual(bare(absent))
    }
    if (route.method !== 'GET') return
    const headers = { authorization: `Bearer ${b.key}` }
    const head = await fetch(gateway.url + pathFor(route, a), { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([404, ''])
  })

  test('answers its own tenant, and the operator in its name', async () => {
    await undecide(gateway)
    const own = await callFor(route, a, { key: a.key })
    await undecide(gateway)
    const asOperator = await callFor(route, a, {
      key: operatorKey,
      headers: { 'x-tenant-id': a.id },
    })

    expect(own.status).toBeLessThan(300)
    expect(asOperator.status).toBeLessThan(300)
  })

  test('does not take an id of another kind', async () => {
    for (const [word, id] of Object.entries(a.ids)) {
      const others = Object.fromEntries(Object.keys(a.ids).map((key) => [key, id]))
      const path = pathFor(route, { ids: others })
      if (path === pathFor(route, a)) continue
      const answer = await gateway.call(route.method, path, {
        key: a.key,
        body: bodyFor(route, a),
      })
      expect(answer.status, word).toBe(404)
    }
  })
})

const nested = named(({ path }) => (path.match(/\/:/g)?.length ?? 0) > 1)

describe.each(nested)('%s', (_name, route) => {
  test('does not take what is somebody else’s below what is one’s own', async () => {
    const { key, headers } = goodCall(route, b)
    const words = [...route.path.matchAll(/([\w-]+)\/:\w+/g)].map(([, word = '']) => word)
    for (const word of words) {
      const mixed = { ids: { ...b.ids, [word]: a.ids[word] ?? '' } }
      const options = { body: bodyFor(route, b), ...(key === undefined ? { headers } : { key }) }
      const answer = await gateway.call(route.method, pathFor(route, mixed), options)
      expect(answer.status, word).toBe(404)
      expectNothingOf(a, answer)
    }
  })
})

/** What names its subjects in its body. */
const many = named(
  (route) => isTenants(route) && !hasId(route) && fieldsOf(route.body).includes('ids'),
)

describe.each(many)('%s', (_name, route) => {
  /** With this firm's ids, under another's key. */
  const asOther = (ids: Record<string, string>, options: CallOptions) =>
    gateway.call(route.method, pathFor(route, a), {
      body: bodyFor(route, { ...a, ids }),
      ...options,
    })

  test('does nothing to what is of another tenant, as if it were not there', async () => {
    await undecide(gateway)
    const before = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })

    const absent = await asOther({ ...a.ids, dlq: `dlq_${'0'.repeat(32)}` }, { key: b.key })
    const foreign = await asOther(a.ids, { key: b.key })
    const asOperator = await asOther(a.ids, {
      key: operatorKey,
      headers: { 'x-tenant-id': b.id },
    })

    expect(foreign.json).toMatchObject({ matched: 0, decided: 0, skipped: { not_found: 1 } })
    expect(foreign.json).toEqual(absent.json)
    expect(asOperator.json).toEqual(absent.json)
    const after = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })
    expect(after.json).toEqual(before.json)
  })

  test('reaches only what is its own when it asks for everything', async () => {
    await undecide(gateway)
    const before = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })
    for (const filter of [{}, { tenant_id: a.id }, { phone_number_id: a.phoneNumberId }]) {
      const body = { filter, reason: 'why' }
      const answer = await gateway.call(route.method, pathFor(route, b), { key: b.key, body })
      expect(answer.status).toBe(200)
    }
    const after = await gateway.call('GET', '/api/whatsapp/dlq', { key: a.key })
    expect(after.json).toEqual(before.json)
    const own = await gateway.call('GET', '/api/whatsapp/dlq', { key: b.key })
    expect(own.json.data).toEqual([])
    await undecide(gateway)
  })

  test('does it to its own, also for the operator in its name', async () => {
    for (const options of [
      { key: a.key },
      { key: operatorKey, headers: { 'x-tenant-id': a.id } },
    ]) {
      await undecide(gateway)
      expect((await callFor(route, a, options)).json).toMatchObject({ matched: 1, decided: 1 })
    }
    await undecide(gateway)
  })
})

const fields = naming()

test('what a field can name is known of every field of every route', () => {
  const known = [...Object.keys(subjects), ...wordsOnly]
  expect(fields.map(([, name]) => name).filter((name) => !known.includes(name))).toEqual([])
  expect(new Set(fields.map(([, name]) => name))).toEqual(new Set(Object.keys(subjects)))
})

test.each(fields)(
  '%s answers another’s %s as one that is not there',
  async (_n, name, part, route) => {
    await undecide(gateway)
    const of = subjects[name] ?? expect.fail(name)
    const field = { gateway, firm: b, route, part, name }
    const calls = [of(a), nobodys(of(a)), of(b)].map((one) => callsNaming(field, one))
    const [foreign = [], absent = [], own = []] = calls
    expect(foreign.length).toBeGreaterThan(0)
    for (const [index, ask] of foreign.entries()) {
      const answer = await ask()
      const other = await absent[index]?.()
      expect([200, 202, 400, 404], answer.text).toContain(answer.status)
      expect(withoutRequest(answer)).toEqual(withoutRequest(other))
      expectNothingOf(a, answer)
      // Or else this would prove nothing.
      expect(withoutRequest(await own[index]?.())).not.toEqual(withoutRequest(other))
    }
  },
)

const withoutRequest = (answer: Answer | undefined) => [
  answer?.status,
  answer?.text.replace(/"request_id":"[^"]*"/, ''),
]

const gets = named((route) => isTenants(route) && !hasId(route) && route.method === 'GET')
/** What is no list is a sum, and names nobody. */
const lists = gets.filter(([, route]) => fieldsOf(route.query).includes('limit'))

describe.each(gets)('%s', (_name, route) => {
  test('says nothing of another, whatever is asked for', async () => {
    const { path } = goodCall(route, a)
    for (const query of ['', `tenant_id=${a.id}`, `phone_number_id=${a.phoneNumberId}`]) {
      const answer = await gateway.call('GET', `${path}?${query}`, { key: b.key })
      // Where a tenant can be named, another's is not there.
      expect([200, 404]).toContain(answer.status)
      expectNothingOf(a, answer)
    }
  })
})

/** Words that find what belongs to a firm, in some list or other. */
const findableOf = ({ marks, ids, phoneNumberId }: Firm) => {
  const [contact = '', text = '', wamid = ''] = marks.slice(-3)
  return [contact, text, `${wamid}16505550143.1`, phoneNumberId, ids.messages, ids.conversations]
}
const searches = named((route) => isTenants(route) && fieldsOf(route.query).includes('q'))

test.each(searches)('%s finds nothing of another', async (_name, route) => {
  const look = (word: string | undefined) =>
    gateway.call('GET', `${pathFor(route, b)}?q=${encodeURIComponent(word ?? '')}`, { key: b.key })
  const nothing = withoutRequest(await look('nobody-wrote-this'))
  for (const word of findableOf(a)) {
    expect(withoutRequest(await look(word)), word).toEqual(nothing)
  }
})

test('at least one search finds each of a firm’s own words', async () => {
  for (const word of findableOf(b)) {
    const found = await Promise.all(
      searches.map(async ([, route]) => {
        const path = `${pathFor(route, b)}?q=${encodeURIComponent(word ?? '')}`
        const { json } = await gateway.call('GET', path, { key: b.key })
        return json.data?.length ?? 0
      }),
    )
    expect(Math.max(...found), word).toBeGreaterThan(0)
  }
})

test('an Idempotency-Key of one tenant means nothing to another', async () => {
  const headers = { 'idempotency-key': 'the same for both' }
  const [first, second] = await Promise.all(
    [a, b].map(({ key, phoneNumberId }) => {
      const template = { name: 'hello_world', language: { code: 'en_US' } }
      const message = { to: '16505550143', type: 'template', template }
      const body = { ...message, phone_number_id: phoneNumberId }
      return gateway.call('POST', '/api/whatsapp/meta/send', { key, body, headers })
    }),
  )
  expect([first?.status, second?.status]).toEqual([202, 202])
  expect(second?.headers.get('idempotent-replayed')).toBeNull()
  expect(second?.json.message_id).not.toBe(first?.json.message_id)
})

test('the stream knows no event of another, not even where it was', async () => {
  const events = await gateway.db.query(sql<{ id: string; tenant_id: string }>`
    select id, tenant_id from events where position is not null`)
  const idOf = (firm: Firm) => {
    const found = events.find((one) => one.tenant_id === firm.id)
    return publicId('evt', found?.id ?? expect.fail('no event'))
  }
  const told = async (lastEventId: string) => {
    const stream = await openStream(gateway.url, b.key, { lastEventId })
    await stream.untilTold(1)
    stream.close()
    return stream.events[0]
  }
  const absent = await told(publicId('evt', '00000000-0000-7000-8000-000000000000'))
  expect(absent?.type).toBe('stream.reset')
  expect(await told(idOf(a))).toEqual(absent)
  expect((await told(idOf(b)))?.type).not.toBe('stream.reset')
})

const countsPath = '/api/whatsapp/conversations/counts'

/** It names nothing that could be somebody else's: how much it counts is what tells. */
test('everybody’s conversations are counted for themselves', async () => {
  for (const firm of [a, b]) {
    const { json } = await gateway.call('GET', countsPath, { key: firm.key })
    const own = await gateway.call('GET', '/api/whatsapp/conversations?limit=200', {
      key: firm.key,
    })
    expect(json.open + json.closed).toBe(own.json.data.length)
  }
  const nobody = await gateway.createTenant('Nobody Wrote')
  const { json } = await gateway.call('GET', countsPath, { key: nobody.key })
  expect(json).toEqual({ open: 0, closed: 0, mine: null, unassigned: 0, waiting: 0 })
})

const below = named(
  (route) => isTenants(route) && hasId(route) && fieldsOf(route.query).includes('after'),
)

test.each(below)('%s goes on from another’s cursor with one’s own', async (_name, route) => {
  await undecide(gateway)
  const ask = ({ key }: Firm, query: string) =>
    gateway.call('GET', `${pathFor(route, key === a.key ? a : b)}?limit=1${query}`, { key })
  const { next } = (await ask(a, '')).json.paging
  expect(next).toEqual(expect.any(String))
  const answer = await ask(b, `&after=${next}`)
  expect(answer.status).toBe(200)
  expectNothingOf(a, answer)
})

describe.each(lists)('%s', (_name, route) => {
  beforeAll(() => undecide(gateway))

  test('shows everybody their own and nothing else', async () => {
    const { path } = goodCall(route, a)
    for (const [firm, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const answer = await gateway.call('GET', path, { key: firm.key })
      expect(isShown(firm, answer)).toBe(true)
      expectNothingOf(other, answer)
    }
  })

  test('shows nothing of another, whatever is asked for and from wherever on', async () => {
    const { path } = goodCall(route, a)
    const page = await gateway.call('GET', `${path}?limit=1`, { key: a.key })
    expect(page.json.paging.next).toEqual(expect.any(String))

    for (const query of [
      `after=${page.json.paging.next}`,
      `phone_number_id=${a.phoneNumberId}`,
      `tenant_id=${a.id}`,
      `tenantId=${a.id}`,
    ]) {
      const answer = await gateway.call('GET', `${path}?${query}`, { key: b.key })
      expect(answer.status).toBe(200)
      expectNothingOf(a, answer)
    }
  })
})

test('whatever others do, a tenant reads what it would read alone', async () => {
  const among = await createFirm(gateway, 'aspenwood')
  await createFirm(gateway, 'beechwood')

  expect(Object.keys(alone).length).toBeGreaterThan(30)
  expect(Object.values(alone).filter((said) => said.includes('NAME')).length).toBeGreaterThan(15)
  expect(await transcriptOf(gateway, among)).toEqual(alone)
})

test('an answer or a reaction to another’s message says nothing of it', async () => {
  const path = '/api/whatsapp/meta/send'
  const good = bodyFor({ ...routes[0], method: 'POST', path, body: z.any() } as Route, b)
  const shown = async (wamid: string, content: (wamid: string) => object) => {
    const { text: _, ...rest } = { text: undefined, ...good }
    const sent = await gateway.call('POST', path, {
      key: b.key,
      body: { ...rest, ...content(wamid) },
    })
    expect(sent.status).toBe(202)
    const message = `/api/whatsapp/messages/${sent.json.message_id}`
    const { text } = await gateway.call('GET', message, { key: b.key })
    const told = text.replaceAll(wamid, 'WAMID').replaceAll(sent.json.message_id, 'ID')
    return told.replaceAll(/"(20\d\d-|[0-9a-f]{8}-)[^"]+"/g, '""')
  }
  const answering = (message_id: string) => ({ text: { body: 'x' }, context: { message_id } })
  const reacting = (message_id: string) => ({
    type: 'reaction',
    reaction: { message_id, emoji: '' },
  })
  for (const content of [answering, reacting]) {
    const foreign = await shown(findableOf(a)[2] ?? '', content)
    expect(foreign).toEqual(await shown('wamid.nobody.16505550143.1', content))
    expectNone(foreign, ...a.marks)
  }
})
