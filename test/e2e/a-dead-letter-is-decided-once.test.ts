import { beforeAll, describe, expect, test } from 'vitest'
import { verifyAudit } from '../../src/audit/verify.ts'
import { sql } from '../../src/db/connect.ts'
import { canary, expectNone } from '../support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../support/gateway.ts'
import { entry, payload, textMessage } from '../support/payloads.ts'

let gateway: TestGateway
let a: TestTenant
let counter = 0

beforeAll(async () => {
  gateway = await startTestGateway()
  a = await gateway.createTenant('Firm A', tenantANumber)
})

interface Letter {
  id: string
  state: string
  kind: string
  phone_number_id: string
}

const admin = '/api/admin/whatsapp/dlq'
const operator = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `${admin}${path}`, { key: operatorKey, body })

async function lettersIn(state: string): Promise<Letter[]> {
  return (await operator('GET', `?state=${state}&limit=200`)).json.data
}

async function newest(): Promise<Letter> {
  const [letter] = await lettersIn('open')
  if (!letter) throw new Error('there is an open letter')
  return letter
}

function nextNumber() {
  counter++
  return { waba_id: `71000000000${counter}`, phone_number_id: `72000000000${counter}` }
}

async function connect(tenant: TestTenant, number: { waba_id: string; phone_number_id: string }) {
  const { status } = await gateway.call('POST', `/api/admin/tenants/${tenant.id}/accounts`, {
    key: operatorKey,
    body: { ...number, display_phone_number: '+1 555-0199', access_token: 'token' },
  })
  expect(status).toBe(201)
}

async function textsOf(tenant: TestTenant, number: { phone_number_id: string }): Promise<string[]> {
  const rows = await gateway.db.query(sql<{ text: string }>`
    select content->'text'->>'body' as text
    from whatsapp_messages
    where tenant_id = ${tenant.id} and phone_number_id = ${number.phone_number_id}
    order by created_at`)
  return rows.map((row) => row.text)
}

async function decisionsOn(letter: Letter): Promise<string[]> {
  const rows = await gateway.db.query(sql<{ action: string }>`
    select action from audit_log where subject = ${letter.id} and action <> 'dead_letter.inspected'`)
  return rows.map((row) => row.action)
}

const words = canary('text without an id').text

/** A message without an id: whose it is is known, what to do with it is not. */
async function malformedItem(): Promise<Letter> {
  counter++
  await gateway.deliver(
    payload({ messages: [{ from: '1', text: { body: `${words} ${counter}` } }] }),
  )
  await gateway.drain()
  return newest()
}

describe('a dead letter', () => {
  test('that nobody owned is processed once its number is connected and it is requeued', async () => {
    const number = nextNumber()
    const body = payload({ number, messages: [textMessage('wamid.waiting', 'is anybody there?')] })
    expect((await gateway.deliver(body)).status).toBe(200)
    await gateway.drain()
    const letter = await newest()
    expect(letter).toMatchObject({ kind: 'unroutable', tenant_id: null })

    await connect(a, number)
    const requeued = await operator('POST', `/${letter.id}/requeue`, { reason: 'connected now' })
    await gateway.drain()

    expect(requeued.json).toMatchObject({ state: 'requeued', decided_by: 'alice' })
    expect(await textsOf(a, number)).toEqual(['is anybody there?'])
    expect((await lettersIn('open')).map(({ id }) => id)).not.toContain(letter.id)
    expect(await decisionsOn(letter)).toEqual(['dead_letter.requeued'])
    const again = await operator('POST', `/${letter.id}/discard`, { reason: 'changed my mind' })
    expect(again.status).toBe(409)
    expect(again.json.error).toMatchObject({
      code: 'ALREADY_DECIDED',
      details: { state: 'requeued', decided_by: 'alice' },
    })
    const conversations = await gateway.call('GET', '/api/whatsapp/conversations', { key: a.key })
    expect(conversations.json.data).toMatchObject([{ phone_number_id: number.phone_number_id }])
  })

  test('that fails again comes back as a new one, and the old one keeps its decision', async () => {
    await gateway.deliver('this is not JSON')
    await gateway.drain()
    const first = await newest()

    await operator('POST', `/${first.id}/requeue`, { reason: 'perhaps now' })
    await gateway.drain()

    const second = await newest()
    expect(second.id).not.toBe(first.id)
    expect(second).toMatchObject({ kind: 'malformed', state: 'open' })
    const { json } = await operator('GET', `/${second.id}`)
    expect(json).toMatchObject({ raw: 'this is not JSON', attempts: 2 })
    expect(json.errors).toMatchObject([
      { dead_letter_id: first.id, state: 'requeued', decision_reason: 'perhaps now' },
      { dead_letter_id: second.id, state: 'open', decision_reason: null },
    ])
  })

  test('that was discarded stays so when a neighbour in its webhook is requeued', async () => {
    const [unwanted, wanted] = [nextNumber(), nextNumber()]
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [
        entry({ number: tenantANumber, messages: [textMessage('wamid.sibling', 'went through')] }),
        entry({ number: unwanted, messages: [textMessage('wamid.unwanted', 'unwanted')] }),
        entry({ number: wanted, messages: [textMessage('wamid.wanted', 'wanted')] }),
      ],
    })
    await gateway.drain()
    const letterOf = async (number: typeof wanted) =>
      (await lettersIn('open')).filter((one) => one.phone_number_id === number.phone_number_id)
    const [first] = await letterOf(unwanted)
    const [second] = await letterOf(wanted)

    await operator('POST', `/${first?.id}/discard`, { reason: 'not ours' })
    await connect(a, wanted)
    await operator('POST', `/${second?.id}/requeue`, { reason: 'connected' })
    await gateway.drain()

    expect(await textsOf(a, wanted)).toEqual(['wanted'])
    expect((await textsOf(a, tenantANumber)).filter((text) => text === 'went through')).toEqual([
      'went through',
    ])
    expect(await letterOf(unwanted)).toEqual([])
    expect((await lettersIn('discarded')).map(({ id }) => id)).toContain(first?.id)
  })

  test('that was discarded is not applied either, when what it lacked is there now', async () => {
    const number = nextNumber()
    const texts = ['wanted', 'unwanted'].map((text) => textMessage(`wamid.both-${text}`, text))
    await gateway.deliver(payload({ number, messages: texts }))
    await gateway.drain()
    const letters = await Promise.all(
      (await lettersIn('open'))
        .filter((letter) => letter.phone_number_id === number.phone_number_id)
        .map(async (letter) => (await operator('GET', `/${letter.id}`)).json),
    )
    const [wanted, unwanted] = ['"wanted"', '"unwanted"'].map((text) =>
      letters.find((letter) => letter.raw.includes(text)),
    )

    await operator('POST', `/${unwanted.id}/discard`, { reason: 'spam' })
    await connect(a, number)
    await operator('POST', `/${wanted.id}/requeue`, { reason: 'connected' })
    await gateway.drain()

    expect(await textsOf(a, number)).toEqual(['wanted'])
  })

  test('is decided by exactly one of many who decide at the same moment', async () => {
    const letter = await malformedItem()
    const deciders = Array.from({ length: 12 }, (_, index) =>
      gateway.call(
        'POST',
        `${index % 2 === 0 ? admin : '/api/whatsapp/dlq'}/${letter.id}/${index % 3 === 0 ? 'discard' : 'requeue'}`,
        { key: index % 2 === 0 ? operatorKey : a.key, body: { reason: `decider ${index}` } },
      ),
    )
    const bulk = operator('POST', '/requeue', { ids: [letter.id], reason: 'and all at once' })

    const answers = await Promise.all(deciders)
    const won = answers.filter((answer) => answer.status === 200)
    const lost = answers.filter((answer) => answer.status === 409)

    expect(won.length + (await bulk).json.decided).toBe(1)
    expect(won.length + lost.length).toBe(12)
    expect(new Set(lost.map((answer) => answer.json.error.code))).toEqual(
      new Set(['ALREADY_DECIDED']),
    )
    expect(await decisionsOn(letter)).toHaveLength(1)
    await gateway.drain()
  })

  test('many bulk decisions at once decide each letter once and do not lock each other out', async () => {
    const letters = [await malformedItem(), await malformedItem(), await malformedItem()]
    const ids = letters.map(({ id }) => id)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        operator('POST', index % 2 === 0 ? '/requeue' : '/discard', {
          ids: index % 4 < 2 ? ids : [...ids].reverse(),
          reason: `bulk ${index}`,
        }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(answers.reduce((sum, answer) => sum + answer.json.decided, 0)).toBe(3)
    for (const letter of letters) expect(await decisionsOn(letter)).toHaveLength(1)
    await gateway.drain()
  })
})

describe('a decision and its audit row', () => {
  test.each(['requeue', 'discard'])(
    'are one: when %s cannot be audited it is not done',
    async (verb) => {
      const letter = await malformedItem()
      await gateway.db.session((session) =>
        session.script(`
        create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'the audit is away'; end $$;
        create trigger refuse before insert on audit_log for each row
          when (new.action like 'dead_letter.%') execute function refuse()`),
      )

      const decided = await operator('POST', `/${letter.id}/${verb}`, { reason: 'why not' })
      const bulk = await operator('POST', `/${verb}`, { ids: [letter.id], reason: 'why not' })
      const inspected = await operator('GET', `/${letter.id}`)
      await gateway.db.session((session) => session.script('drop function refuse cascade'))

      expect([decided.status, bulk.status, inspected.status]).toEqual([500, 500, 500])
      expectNone(inspected.text, words)
      expect(await decisionsOn(letter)).toEqual([])
      expect((await newest()).id).toBe(letter.id)
      const [{ json }] = [await operator('GET', `/${letter.id}`)]
      expect(json).toMatchObject({ state: 'open', event: { status: 'done' } })
    },
  )

  test('leave an audit that verifies, and a log without what people wrote', async () => {
    const letter = await malformedItem()
    const reason = canary('reason').text
    await gateway.call('POST', `/api/whatsapp/dlq/${letter.id}/discard`, {
      key: a.key,
      body: { reason },
    })

    expect((await verifyAudit(gateway.db, null)).broken).toEqual([])
    const line = gateway
      .logText()
      .split('\n')
      .find((text) => text.includes('dead_letter_discarded') && text.includes(letter.id))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      event: 'dead_letter_discarded',
      dead_letter_id: letter.id,
      tenant_id: a.id,
      kind: 'malformed',
      error_code: 'MALFORMED',
      correlation_id: expect.any(String),
    })
    expectNone(gateway.logText(), reason, words)
  })
})

test('tenants do not see each other’s letters, whichever way they ask', async () => {
  const b = await gateway.createTenant('Firm B', tenantBNumber)
  const letter = await malformedItem()

  const list = await gateway.call('GET', `/api/whatsapp/dlq?tenant_id=${a.id}`, { key: b.key })
  expect(list.json.data).toEqual([])
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/requeue'],
    ['POST', '/discard'],
  ] as const) {
    const answer = await gateway.call(method, `/api/whatsapp/dlq/${letter.id}${path}`, {
      key: b.key,
      ...(method === 'POST' && { body: { reason: 'curious' } }),
    })
    expect(answer.status).toBe(404)
    expect(answer.json.error.code).toBe('DEAD_LETTER_NOT_FOUND')
  }
  expect(await decisionsOn(letter)).toEqual([])
})
