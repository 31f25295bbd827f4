import { beforeAll, describe, expect, test } from 'vitest'
import { canary, expectNone } from '../../test/support/canaries.ts'
import {
  type Answer,
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../../test/support/gateway.ts'
import { entry, payload, textMessage } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'

const admin = '/api/admin/whatsapp/dlq'
const twin = '/api/whatsapp/dlq'
const unknownNumber = { waba_id: '700000000000001', phone_number_id: '700000000000002' }

let gateway: TestGateway
let a: TestTenant
let b: TestTenant
let counter = 0

beforeAll(async () => {
  gateway = await startTestGateway()
  a = await gateway.createTenant('Firm A', tenantANumber)
  b = await gateway.createTenant('Firm B', tenantBNumber)
})

interface Letter {
  id: string
  tenant_id: string | null
  kind: string
  state: string
}

const operator = (method: string, path: string, body?: unknown): Promise<Answer> =>
  gateway.call(method, `${admin}${path}`, { key: operatorKey, body })
const asTenant = (tenant: TestTenant, method: string, path: string, body?: unknown) =>
  gateway.call(method, `${twin}${path}`, { key: tenant.key, body })

/** A message without an id: nobody can apply it, but its number says whose it is. */
async function malformedItem(number: typeof tenantANumber, text = 'no id'): Promise<Letter> {
  counter++
  const broken = { from: '16505550143', type: 'text', text: { body: `${text} ${counter}` } }
  await gateway.deliver(payload({ number, messages: [broken] }))
  await gateway.drain()
  return newest()
}

async function unroutable(): Promise<Letter> {
  counter++
  await gateway.deliver(
    payload({ number: unknownNumber, messages: [textMessage(`wamid.unroutable${counter}`, 'hi')] }),
  )
  await gateway.drain()
  return newest()
}

async function newest(): Promise<Letter> {
  const { json } = await operator('GET', '?limit=1')
  return json.data[0]
}

async function actsOn(letter: Letter) {
  return gateway.db.query(sql<{ action: string; actor: string; reason: string | null }>`
    select action, actor, reason from audit_log where subject = ${letter.id} order by position`)
}

async function stateOf(letter: Letter): Promise<string> {
  const { json } = await operator('GET', `/${letter.id}`)
  return json.state
}

describe('listing', () => {
  test('shows open ones, the latest first, in pages, and filters', async () => {
    const [first, second, third] = [
      await malformedItem(tenantANumber),
      await unroutable(),
      await malformedItem(tenantBNumber),
    ]
    const list = await operator('GET', '')
    expect(list.json.data.slice(0, 3).map((letter: Letter) => letter.id)).toEqual([
      third.id,
      second.id,
      first.id,
    ])
    expect(list.json.data[0]).toMatchObject({
      id: expect.stringMatching(/^dlq_[0-9a-f]{32}$/),
      tenant_id: b.id,
      kind: 'malformed',
      state: 'open',
      error_code: 'MALFORMED',
      phone_number_id: tenantBNumber.phone_number_id,
      decided_at: null,
      decision_reason: null,
    })

    const page = await operator('GET', '?limit=1')
    const next = await operator('GET', `?limit=1&after=${page.json.paging.next}`)
    expect(next.json.data[0].id).toBe(second.id)

    const ids = async (query: string): Promise<string[]> =>
      (await operator('GET', query)).json.data.map((letter: Letter) => letter.id)
    expect(await ids('?kind=unroutable')).toContain(second.id)
    expect(await ids('?kind=unroutable')).not.toContain(first.id)
    expect(await ids(`?tenant_id=${a.id}`)).toEqual([first.id])
    expect(await ids('?state=requeued')).toEqual([])
    expect(await ids('?error_code=UNROUTABLE')).toContain(second.id)
    expect(await ids(`?phone_number_id=${tenantBNumber.phone_number_id}`)).toEqual([third.id])
    expect(await ids('?created_before=2020-01-01T00:00:00Z')).toEqual([])
  })

  test.each(['?kind=nonsense', '?state=all', '?after=x', '?error_code=%00', '?tenant_id=1'])(
    '%s is 400',
    async (query) => {
      expect((await operator('GET', query)).status).toBe(400)
    },
  )
})

describe('a tenant’s twin', () => {
  test('shows its own only, also when another tenant is named', async () => {
    const mine = await malformedItem(tenantANumber)
    await malformedItem(tenantBNumber)
    await unroutable()

    const { json } = await asTenant(a, 'GET', '')
    expect(json.data.map((letter: Letter) => letter.id)).toContain(mine.id)
    expect(new Set(json.data.map((letter: Letter) => letter.tenant_id))).toEqual(new Set([a.id]))
    expect((await asTenant(a, 'GET', `?tenant_id=${b.id}`)).json.data).toEqual([])
  })

  test('another tenant’s letter, nobody’s and one that never was are the same 404', async () => {
    const theirs = await malformedItem(tenantBNumber)
    const nobodys = await unroutable()
    const ids = [theirs.id, nobodys.id, `dlq_${'0'.repeat(32)}`, 'dlq_x', '%00']

    for (const id of ids) {
      const answers = [
        await asTenant(a, 'GET', `/${id}`),
        await asTenant(a, 'POST', `/${id}/requeue`, { reason: 'try' }),
        await asTenant(a, 'POST', `/${id}/discard`, { reason: 'try' }),
      ]
      for (const answer of answers) {
        const { code } = answer.json.error
        // NUL is no part of any id, so this one is refused before anybody looks.
        expect([answer.status, code]).toEqual(
          id === '%00' ? [400, 'INVALID_REQUEST'] : [404, 'DEAD_LETTER_NOT_FOUND'],
        )
      }
    }
    const bulk = await asTenant(a, 'POST', '/discard', { ids, reason: 'try' })
    expect(bulk.json).toMatchObject({ matched: 0, decided: 0, skipped: { not_found: 5 } })
    const named = { filter: { tenant_id: b.id }, reason: 'try' }
    expect((await asTenant(a, 'POST', '/requeue', named)).json.matched).toBe(0)
    expect(await stateOf(theirs)).toBe('open')
    expect(await stateOf(nobodys)).toBe('open')
    expect(await actsOn(theirs)).toEqual([
      { action: 'dead_letter.inspected', actor: 'alice', reason: null },
    ])
  })

  test('decides on its own, and its key is in the audit', async () => {
    const mine = await malformedItem(tenantANumber)

    const answer = await asTenant(a, 'POST', `/${mine.id}/discard`, { reason: ' not ours ' })

    expect(answer.json).toMatchObject({ state: 'discarded', decision_reason: 'not ours' })
    expect(await actsOn(mine)).toEqual([
      {
        action: 'dead_letter.discarded',
        actor: expect.stringMatching(/^key_/),
        reason: 'not ours',
      },
    ])
  })

  test('an operator’s look at it is in the tenant’s own audit', async () => {
    const mine = await malformedItem(tenantANumber)
    await operator('GET', `/${mine.id}`)

    const audit = await gateway.call('GET', '/api/whatsapp/audit?limit=1', { key: a.key })

    expect(audit.json.data).toMatchObject([
      { actor: 'alice', action: 'dead_letter.inspected', subject: mine.id, tenant_id: a.id },
    ])
  })
})

describe('inspecting', () => {
  test('shows the payload, the errors and the event, and nothing of a neighbour', async () => {
    counter++
    const ofB = canary('text of a neighbour').text
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [
        entry({ number: tenantANumber, messages: [{ from: '1', text: { body: 'A-only' } }] }),
        entry({
          number: tenantBNumber,
          messages: [textMessage(`wamid.neighbour${counter}`, ofB)],
        }),
      ],
    })
    await gateway.drain()
    const letter = await newest()

    for (const answer of [
      await asTenant(a, 'GET', `/${letter.id}`),
      await operator('GET', `/${letter.id}`),
    ]) {
      expect(answer.text).toContain('A-only')
      expectNone(answer.text, ofB, tenantBNumber.phone_number_id)
      expect(JSON.parse(answer.json.raw)).toEqual({ from: '1', text: { body: 'A-only' } })
      expect(answer.json).toMatchObject({
        raw_encoding: 'utf-8',
        raw_bytes: answer.json.raw.length,
        attempts: 1,
        errors: [{ dead_letter_id: letter.id, code: 'MALFORMED', state: 'open' }],
        event: { status: 'done', attempts: 1, attempts_allowed: 10, is_pruned: false },
      })
    }
  })

  test.each([
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x7b])],
    ['text with a NUL', Buffer.from('{"a":"\0"}')],
  ])('shows %s in hex', async (_what, body) => {
    await gateway.deliver(body)
    await gateway.drain()
    const letter = await newest()

    const { json } = await operator('GET', `/${letter.id}`)

    expect(json).toMatchObject({
      kind: 'malformed',
      raw_encoding: 'hex',
      raw: body.toString('hex'),
      raw_bytes: body.length,
      tenant_id: null,
    })
  })
})

describe('a reason', () => {
  test.each([
    ['no body', undefined, {}],
    ['an empty body', undefined, { 'content-type': 'application/json' }],
    ['null', null, {}],
    ['no reason', {}, {}],
    ['a blank one', { reason: ' \n ' }, {}],
    ['null as reason', { reason: null }, {}],
    ['a number as reason', { reason: 5 }, {}],
  ])('%s is 400 REASON_REQUIRED', async (_what, body, headers) => {
    const letter = await malformedItem(tenantANumber)
    const paths = [`/${letter.id}/requeue`, `/${letter.id}/discard`, '/requeue', '/discard']
    for (const path of paths) {
      for (const [base, key] of [
        [admin, operatorKey],
        [twin, a.key],
      ] as const) {
        const answer = await gateway.call('POST', base + path, { key, body, headers })
        expect(answer.status).toBe(400)
        expect(answer.json.error.code).toBe('REASON_REQUIRED')
      }
    }
    expect(await stateOf(letter)).toBe('open')
  })

  test.each([{ reason: 'x'.repeat(501) }, { reason: 'a\0b' }, { reason: 'a', more: 1 }, 'text'])(
    'a body that is wrong otherwise is 400 INVALID_REQUEST (%#)',
    async (body) => {
      const answer = await operator('POST', `/dlq_${'0'.repeat(32)}/discard`, body)
      expect(answer.status).toBe(400)
      expect(answer.json.error.code).toBe('INVALID_REQUEST')
    },
  )
})

describe('many at once', () => {
  test('a dry run counts and changes nothing, not even the audit', async () => {
    const letter = await unroutable()
    const before = await gateway.db.query(sql`select count(*) from audit_log`)

    const answer = await operator('POST', '/requeue', {
      filter: { kind: 'unroutable' },
      reason: 'to see',
      dry_run: true,
    })

    const { matched } = answer.json
    expect(matched).toBeGreaterThan(0)
    expect(answer.json).toMatchObject({
      dry_run: true,
      decided: 0,
      remaining: matched,
      by_kind: { unroutable: matched },
    })
    expect(await gateway.db.query(sql`select count(*) from audit_log`)).toEqual(before)
    expect(await stateOf(letter)).toBe('open')
  })

  test('by filter: every matching one is decided, audited, logged; others are not', async () => {
    const other = await malformedItem(tenantBNumber)
    const letters = [await malformedItem(tenantANumber), await malformedItem(tenantANumber)]
    const filter = { tenant_id: a.id, kind: 'malformed', error_code: 'MALFORMED' }
    const reason = 'the bug of somebody else'

    const answer = await operator('POST', '/discard', { filter, reason })

    expect(answer.json.decided).toBe(answer.json.matched)
    expect(answer.json.remaining).toBe(0)
    for (const letter of letters) {
      expect((await actsOn(letter))[0]).toEqual({
        action: 'dead_letter.discarded',
        actor: 'alice',
        reason,
      })
    }
    expect(await stateOf(other)).toBe('open')
    expect(gateway.logText()).toContain('"event":"dead_letter_discarded"')
    expectNone(gateway.logText(), reason)
  })

  test('by ids: says what was decided before and what is not known', async () => {
    const [open, decided] = [await malformedItem(tenantANumber), await malformedItem(tenantANumber)]
    await operator('POST', `/${decided.id}/discard`, { reason: 'first' })

    const answer = await operator('POST', '/requeue', {
      ids: [open.id, open.id, decided.id, 'dlq_nonsense'],
      reason: 'again',
    })

    expect(answer.json).toEqual({
      dry_run: false,
      matched: 1,
      decided: 1,
      remaining: 0,
      by_kind: { malformed: 1 },
      may_arrive_twice: 0,
      next_start_at: null,
      skipped: {
        payload_pruned: 0,
        message_not_failed: 0,
        outcome_known: 0,
        already_decided: 1,
        not_found: 1,
      },
    })
  })

  test('at most 1000 a call; the rest are told, and come with the next', async () => {
    await gateway.db.query(sql`
      insert into dead_letters (id, tenant_id, kind, event_id, error_code, error_message, raw, created_at)
      select gen_random_uuid(), ${b.id}, 'inbound', gen_random_uuid(), 'MANY', 'for a test', '', now()
      from generate_series(1, 1001)`)
    const body = { filter: { error_code: 'MANY' }, reason: 'many' }

    const requeue = await operator('POST', '/requeue', body)
    expect(requeue.json).toMatchObject({ matched: 1001, decided: 0, remaining: 0 })
    expect(requeue.json.skipped.payload_pruned).toBe(1001)
    const first = await operator('POST', '/discard', body)
    expect(first.json).toMatchObject({ matched: 1001, decided: 1000, remaining: 1 })
    const second = await operator('POST', '/discard', body)
    expect(second.json).toMatchObject({ matched: 1, decided: 1, remaining: 0 })
  })

  test.each([
    {},
    { ids: ['dlq_x'], filter: {} },
    { ids: [] },
    { filter: { nonsense: 1 } },
    { ids: 'dlq_x' },
  ])('%j is 400', async (body) => {
    const answer = await operator('POST', '/requeue', { ...body, reason: 'why' })
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe('INVALID_REQUEST')
  })
})
