import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { checkPassword } from '../../src/people/sign-in.ts'
import { type Clock, systemClock } from '../../src/time-and-chance.ts'
import { expectNone } from '../support/canaries.ts'
import { createTestClock } from '../support/clock.ts'
import { type Answer, operatorKey, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { password, seedPerson } from '../support/people.ts'
import { until } from '../support/program.ts'

const startedMs = systemClock.now().getTime()
let movedMs = 0
/** Stands still but for `movedMs`: no machine is so slow that a lock or a session ends before its time. */
const clock: Clock = { ...systemClock, now: () => new Date(startedMs + movedMs) }
const minuteMs = 60_000

let gateway: TestGateway
let origin: string
let firm: { id: string; key: string }

beforeAll(async () => {
  // High: the people of this file sign in from one address.
  gateway = await startTestGateway({
    clock,
    environment: { API_RATE_LIMIT_PER_SECOND: '100000' },
  })
  origin = gateway.url
  firm = await gateway.createTenant('Aspen')
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.call('POST', path, { body, headers: { origin, ...headers } })

const cookieOf = ({ headers }: Answer) => headers.get('set-cookie')?.split(';')[0] ?? ''

/** As the page of somebody who was just let in would call. */
const browserOf = (answer: Answer) => ({
  cookie: cookieOf(answer),
  'x-csrf-token': answer.json.csrf_token,
  origin,
})

async function invite(role: 'admin' | 'agent', email: string) {
  const answer = await gateway.call('POST', '/api/whatsapp/people', {
    key: firm.key,
    body: { email, name: 'Ana Example', role },
  })
  expect(answer.status).toBe(201)
  return { id: answer.json.person.id, token: answer.json.link.url.split('#')[1], ...answer.json }
}

async function arrive(role: 'admin' | 'agent') {
  const { id, email } = await seedPerson(gateway.db, { role, tenantId: firm.id })
  const answer = await signIn(email)
  expect(answer.status).toBe(200)
  return { id, email, browser: browserOf(answer) }
}

const me = (browser: Record<string, string>) =>
  gateway.call('GET', '/api/console/me', { headers: browser })
const signIn = (email: string, given = password) =>
  post('/api/console/sign-in', { email, password: given })

describe('a link', () => {
  test('lets its person choose a password, once, and signs them in', async () => {
    const { token, link, person } = await invite('agent', 'First@Aspen.example')
    expect(link.purpose).toBe('invitation')
    expect(person).toMatchObject({ email: 'first@aspen.example', status: 'invited' })
    expect((await post('/api/console/link', { token })).json).toEqual({
      name: 'Ana Example',
      email: 'first@aspen.example',
      purpose: 'invitation',
    })
    const short = await post('/api/console/link/accept', { token, password: 'too short' })
    expect([short.status, short.json.error.details.fields[0].field]).toEqual([400, 'password'])

    const twins = await Promise.all(
      [1, 2].map(() => post('/api/console/link/accept', { token, password })),
    )
    expect(twins.map(({ status }) => status).sort()).toEqual([200, 410])
    const accepted = twins.find(({ status }) => status === 200) as Answer
    expect(accepted.headers.get('set-cookie')).toMatch(
      /^__Host-estafet=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    )
    expect((await me(browserOf(accepted))).json).toMatchObject({
      person: { status: 'active', role: 'agent' },
      tenant: { name: 'Aspen' },
    })
    expect((await post('/api/console/link', { token })).json.error.code).toBe('LINK_INVALID')
  })

  test('ends with a newer one, with its time, and with its person', async () => {
    const { id, token } = await invite('agent', 'second@aspen.example')
    const again = () => gateway.call('POST', `/api/whatsapp/people/${id}/link`, { key: firm.key })
    const newer = (await again()).json.url.split('#')[1]
    expect((await post('/api/console/link', { token })).status).toBe(410)
    expect((await post('/api/console/link', { token: newer })).status).toBe(200)
    movedMs += 7 * 24 * 60 * minuteMs + 1000
    expect((await post('/api/console/link', { token: newer })).status).toBe(410)
    movedMs = 0
    const disable = { key: firm.key, body: { status: 'disabled' } }
    await gateway.call('PATCH', `/api/whatsapp/people/${id}`, disable)
    expect((await post('/api/console/link', { token: newer })).status).toBe(410)
    expect((await again()).json.error.code).toBe('PERSON_DISABLED')
  })

  test('gives who forgot it a new password, and ends what was open', async () => {
    const { id, email, browser } = await arrive('agent')
    const { json } = await gateway.call('POST', `/api/whatsapp/people/${id}/link`, {
      key: firm.key,
    })
    expect(json.purpose).toBe('new_password')
    const token = json.url.split('#')[1]
    const other = 'another password altogether'
    expect((await post('/api/console/link/accept', { token, password: other })).status).toBe(200)
    expect((await me(browser)).status).toBe(401)
    expect((await signIn(email)).status).toBe(401)
    expect((await signIn(email, other)).status).toBe(200)
  })
})

describe('signing in', () => {
  test('tells nobody who is known here', async () => {
    const { email } = await arrive('agent')
    const answers = [await signIn(email, 'wrong'), await signIn('nobody@aspen.example', 'wrong')]
    for (const { status, json, headers } of answers) {
      expect([status, json.error.code]).toEqual([401, 'SIGN_IN_FAILED'])
      expect(headers.get('set-cookie')).toBeNull()
    }
    expect(answers[0]?.json.error.message).toBe(answers[1]?.json.error.message)
  })

  test.each([true, false])(
    'who guesses waits longer and longer, whether somebody is there: %s',
    async (isKnown) => {
      const email = isKnown ? (await arrive('agent')).email : 'not-there@aspen.example'
      // Made at once: each is counted before it is looked at.
      const tries = await Promise.all(Array.from({ length: 6 }, () => signIn(email, 'wrong')))
      expect(tries.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401])
      const locked = await signIn(email)
      expect([locked.status, locked.json.error.code]).toEqual([429, 'SIGN_IN_LOCKED'])
      expect(Number(locked.headers.get('retry-after'))).toBeLessThanOrEqual(30)
      movedMs += 31_000
      expect((await signIn(email, 'wrong')).status).toBe(401)
      movedMs += 31_000
      expect((await signIn(email)).status).toBe(429)
      movedMs += 31_000
      expect((await signIn(email)).status).toBe(isKnown ? 200 : 401)
      movedMs = 0
    },
  )

  test.each([
    ['another password was set', { hash: 'another', disabledAt: null }],
    ['the person was shut out', { hash: null, disabledAt: new Date() }],
  ])('comes to nothing when %s meanwhile', async (_what, { hash, disabledAt }) => {
    const { id, email } = await seedPerson(gateway.db, { role: 'agent', tenantId: firm.id })
    const { answering } = await gateway.db.transaction(async (tx) => {
      await tx.query(sql`
        update people
        set password_hash = coalesce(${hash}, password_hash), disabled_at = ${disabledAt}
        where id = ${uuidOf('usr', id)}`)
      await tx.query(
        sql`update sessions set ended_at = now() where person_id = ${uuidOf('usr', id)}`,
      )
      let isAnswered = false
      const answering = signIn(email).finally(() => {
        isAnswered = true
      })
      await until('it is answered, or waits for the change', async () => {
        const waiting = await gateway.db.query(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
        return isAnswered || waiting.length > 0
      })
      return { answering }
    })
    expect((await answering).status).toBe(401)
    const open = await gateway.db.query(sql`
      select from sessions where person_id = ${uuidOf('usr', id)} and ended_at is null`)
    expect(open).toEqual([])
  })

  test('that nobody had time to look at is no wrong one', async () => {
    const { email } = await seedPerson(gateway.db, { role: 'agent', tenantId: firm.id })
    const busy = new Error('busy')
    const passwords = {
      hash: () => Promise.reject(busy),
      verify: () => Promise.reject(busy),
    }
    for (let tries = 0; tries < 7; tries++) {
      const options = { db: gateway.runtime.db.api, clock, passwords }
      const tried = checkPassword(options, { email, password, known: undefined })
      await expect(tried).rejects.toBe(busy)
    }
    expect((await signIn(email)).status).toBe(200)
  })

  test('is for pages of this host', async () => {
    const { email } = await arrive('agent')
    const body = { email, password }
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }]) {
      const answer = await post('/api/console/sign-in', body, headers)
      expect([answer.status, answer.json.error.code]).toEqual([403, 'WRONG_ORIGIN'])
    }
    const silent = await gateway.call('POST', '/api/console/sign-in', { body })
    expect(silent.status).toBe(403)
  })

  test('is in the audit, with nobody’s address or password in it', async () => {
    const { id, email } = await arrive('agent')
    const { text, json } = await gateway.call('GET', '/api/whatsapp/audit', { key: firm.key })
    const acts = json.data.filter(({ subject }: { subject: string }) => subject === id)
    expect(acts.map(({ action }: { action: string }) => action)).toEqual(['person.signed_in'])
    expectNone(text, email)
    expectNone(gateway.logText(), email, password)
  })
})

describe('a session', () => {
  test('ends by idleness, by age, by signing out, and everywhere at once', async () => {
    const { id, email, browser } = await arrive('agent')
    movedMs += 29 * minuteMs
    expect((await me(browser)).status).toBe(200)
    movedMs += 29 * minuteMs
    expect((await me(browser)).status).toBe(200)
    movedMs += 31 * minuteMs
    expect((await me(browser)).status).toBe(401)
    movedMs = 0

    const second = browserOf(await signIn(email))
    for (let minutes = 0; minutes < 12 * 60; minutes += 29) {
      expect((await me(second)).status).toBe(200)
      movedMs += 29 * minuteMs
    }
    expect((await me(second)).status).toBe(401)
    movedMs = 0

    const [third, fourth, fifth] = [
      browserOf(await signIn(email)),
      browserOf(await signIn(email)),
      browserOf(await signIn(email)),
    ]
    expect((await post('/api/console/sign-out', undefined, third)).status).toBe(204)
    expect((await me(third)).status).toBe(401)
    expect((await me(fourth)).status).toBe(200)
    const everywhere = `/api/whatsapp/people/${id}/sign-out`
    await gateway.call('POST', everywhere, { key: firm.key })
    for (const browser of [fourth, fifth]) expect((await me(browser)).status).toBe(401)
    const last = browserOf(await signIn(email))
    expect((await post('/api/console/sign-out-everywhere', undefined, last)).status).toBe(204)
    expect((await me(last)).status).toBe(401)
  })

  test('is a new one with every sign-in, whatever cookie was there before', async () => {
    const { email, browser } = await arrive('agent')
    const planted = `__Host-estafet=${'A'.repeat(43)}`
    const cookies = [planted, browser.cookie]
    for (const cookie of cookies) {
      const answer = await post('/api/console/sign-in', { email, password }, { cookie })
      expect(answer.status).toBe(200)
      expect(cookieOf(answer)).toMatch(/^__Host-estafet=[\w-]{43}$/)
      expect(cookies).not.toContain(cookieOf(answer))
    }
    expect((await me({ ...browser, cookie: planted })).status).toBe(401)
  })

  test('is not prolonged by what its page asks by itself', async () => {
    const { browser } = await arrive('agent')
    const idle = { ...browser, 'x-idle': '1' }
    for (const minutes of [20, 9]) {
      movedMs += minutes * minuteMs
      expect((await me(idle)).status).toBe(200)
    }
    const stream = await fetch(`${gateway.url}/api/whatsapp/events`, { headers: idle })
    await stream.body?.cancel()
    expect(stream.status).toBe(200)
    movedMs += 2 * minuteMs
    expect((await me(idle)).status).toBe(401)
    expect((await me(browser)).status).toBe(401)
    movedMs = 0
  })

  test('is not in the database as the browser carries it', async () => {
    const { browser } = await arrive('agent')
    const [row] = await gateway.db.query(sql<{ everything: string }>`
      select string_agg(to_jsonb(s)::text, '') as everything from sessions s`)
    expectNone(row?.everything, browser.cookie.split('=')[1] ?? '')
  })

  test('ends when its person loses something', async () => {
    for (const change of [{ status: 'disabled' }, { role: 'admin' }]) {
      const { id, browser } = await arrive('agent')
      const path = `/api/whatsapp/people/${id}`
      expect((await gateway.call('PATCH', path, { key: firm.key, body: change })).status).toBe(200)
      expect((await me(browser)).status).toBe(401)
    }
  })

  test('of a changed password goes on, the others end', async () => {
    const { email, browser } = await arrive('agent')
    const other = browserOf(await signIn(email))
    const change = { current_password: 'wrong', password: 'a new and longer one' }
    expect((await post('/api/console/password', change, browser)).status).toBe(401)
    const right = { ...change, current_password: password }
    expect((await post('/api/console/password', right, browser)).status).toBe(204)
    expect((await me(browser)).status).toBe(200)
    expect((await me(other)).status).toBe(401)
    expect((await signIn(email, change.password)).status).toBe(200)
  })

  test('does not help to guess the password, and a change ends the links that were made before', async () => {
    const { email, browser } = await arrive('agent')
    const { linkToken, ...other } = await seedPerson(gateway.db, {
      role: 'agent',
      tenantId: firm.id,
    })
    const change = { current_password: 'wrong', password: 'a new and longer one' }
    const tries = Array.from({ length: 6 }, () => post('/api/console/password', change, browser))
    for (const { status } of await Promise.all(tries)) expect(status).toBe(401)
    const right = { ...change, current_password: password }
    const locked = await post('/api/console/password', right, browser)
    expect([locked.status, locked.json.error.code]).toEqual([429, 'SIGN_IN_LOCKED'])
    expect((await signIn(email)).status).toBe(429)

    const own = other.headers(new URL(origin).host)
    expect((await post('/api/console/link', { token: linkToken })).status).toBe(200)
    expect((await post('/api/console/password', right, own)).status).toBe(204)
    expect((await post('/api/console/link', { token: linkToken })).status).toBe(410)
  })

  test('is not enough to change something: the page’s own token and origin are needed', async () => {
    const { browser } = await arrive('admin')
    const change = (headers: Record<string, string>) =>
      gateway.call('POST', '/api/whatsapp/people', {
        body: { email: 'x@aspen.example', name: 'X', role: 'agent' },
        headers,
      })
    const { cookie, ...rest } = browser
    expect((await change(rest)).status).toBe(401)
    for (const [headers, code] of [
      [{ cookie }, 'WRONG_ORIGIN'],
      [{ ...browser, origin: 'https://evil.example' }, 'WRONG_ORIGIN'],
      [{ cookie, origin }, 'CSRF_TOKEN_WRONG'],
      [{ ...browser, 'x-csrf-token': 'x' }, 'CSRF_TOKEN_WRONG'],
    ] as const) {
      const answer = await change(headers)
      expect([answer.status, answer.json.error.code]).toEqual([403, code])
    }
    expect((await change(browser)).status).toBe(201)
  })
})

describe('what a role may', () => {
  const get = (path: string, headers: Record<string, string>) =>
    gateway.call('GET', path, { headers })

  test('an agent converses; an admin manages; an operator names the tenant', async () => {
    const agent = (await arrive('agent')).browser
    const admin = (await arrive('admin')).browser
    const seeded = await seedPerson(gateway.db, { role: 'operator', tenantId: null })
    const operator = seeded.headers(new URL(origin).host)
    for (const path of [
      '/api/whatsapp/conversations',
      '/api/whatsapp/messages',
      '/api/whatsapp/meta/templates',
      '/api/whatsapp/colleagues',
    ]) {
      expect((await get(path, agent)).status, path).toBe(200)
      expect((await get(path, admin)).status, path).toBe(200)
      expect((await get(path, operator)).json.error.code, path).toBe('TENANT_REQUIRED')
      const named = { ...operator, 'x-tenant-id': firm.id }
      expect((await get(path, named)).status, path).toBe(200)
    }
    for (const path of ['/api/whatsapp/people', '/api/whatsapp/audit', '/api/whatsapp/dlq']) {
      expect([(await get(path, agent)).status, path]).toEqual([403, path])
      expect([(await get(path, admin)).status, path]).toEqual([200, path])
    }
    for (const path of ['/api/admin/tenants', '/api/admin/people', '/api/admin/whatsapp/health']) {
      expect([(await get(path, admin)).status, path]).toEqual([403, path])
      expect([(await get(path, operator)).status, path]).toEqual([200, path])
    }
    expect((await get('/metrics', admin)).status).toBe(403)
    expect((await get('/metrics', operator)).status).toBe(200)
  })

  test('nobody changes their own role or shuts themselves out', async () => {
    const { id, browser } = await arrive('admin')
    for (const body of [{ role: 'agent' }, { status: 'disabled' }]) {
      const path = `/api/whatsapp/people/${id}`
      const answer = await gateway.call('PATCH', path, { body, headers: browser })
      expect([answer.status, answer.json.error.code]).toEqual([409, 'OWN_ACCOUNT'])
    }
  })

  test('whoever manages people finds them, and sees who was here when', async () => {
    const { token } = await invite('agent', 'wanda.fisk@aspen.example')
    const find = async (q: string) =>
      (await gateway.call('GET', `/api/whatsapp/people?q=${q}`, { key: firm.key })).json.data
    expect(await find('Fisk%25')).toEqual([])
    expect(await find('WANDA.fisk')).toMatchObject([{ status: 'invited', last_seen_at: null }])
    const before = clock.now().toISOString()
    await post('/api/console/link/accept', { token, password })
    const [found] = await find('wanda')
    expect(found.status).toBe('active')
    expect(found.last_seen_at >= before).toBe(true)
    const other = await gateway.createTenant('Birch')
    const foreign = await gateway.call('GET', '/api/whatsapp/people?q=wanda', { key: other.key })
    expect(foreign.json.data).toEqual([])
    const all = await gateway.call('GET', '/api/admin/people?q=wanda', { key: operatorKey })
    expect(all.json.data).toEqual([found])
  })

  test('an operator is none of a tenant’s, and the other way round', async () => {
    const create = (body: unknown) =>
      gateway.call('POST', '/api/admin/people', { key: operatorKey, body })
    const person = { email: 'op@estafet.example', name: 'Op' }
    for (const body of [
      { ...person, role: 'operator', tenant_id: firm.id },
      { ...person, role: 'admin' },
    ]) {
      const answer = await create(body)
      expect([answer.status, answer.json.error.details.fields[0].field]).toEqual([400, 'tenant_id'])
    }
    const made = await create({ ...person, role: 'operator' })
    expect(made.status).toBe(201)
    const { code, details } = (await create({ ...person, role: 'operator' })).json.error
    expect([code, details.fields[0].field]).toEqual(['EMAIL_TAKEN', 'email'])
    const change = { key: operatorKey, body: { role: 'agent' } }
    const answer = await gateway.call('PATCH', `/api/admin/people/${made.json.person.id}`, change)
    expect([answer.status, answer.json.error.details.fields[0].field]).toEqual([400, 'role'])
  })
})

test('strangers of one address have a limit of their own', async () => {
  const environment = { API_RATE_LIMIT_PER_SECOND: '50' }
  const small = await startTestGateway({ clock: createTestClock(), environment })
  const knock = () =>
    small.call('POST', '/api/console/link', {
      body: { token: 'x'.repeat(43) },
      headers: { origin: small.url },
    })
  const answers = await Promise.all(Array.from({ length: 20 }, knock))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([410, 429]))
  expect((await small.call('GET', '/api/admin/tenants', { key: operatorKey })).status).toBe(200)
})
