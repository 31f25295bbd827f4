// One delivery may hold many items, of several tenants, and arrive beside deliveries the database refuses.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { canary, expectNone } from '../support/canaries.ts'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../support/gateway.ts'
import { entry, fixture, payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { eventOf, eventRows, lettersOf, messageRows, wamidsOf } from '../support/rows.ts'

let gateway: TestGateway
let firmA: TestTenant
let firmB: TestTenant
let db: Db

beforeAll(async () => {
  gateway = await startTestGateway()
  firmA = await gateway.createTenant('Firm A', tenantANumber)
  firmB = await gateway.createTenant('Firm B', tenantBNumber)
  db = gateway.db
})

async function deliverAndDrain(body: unknown) {
  const raw = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  const answer = await gateway.deliver(raw)
  expect(answer.status).toBe(200)
  await gateway.drain()
  return eventOf(db, raw)
}

/** Everything the tenant's program can read, as text. */
async function everythingOf(tenant: TestTenant): Promise<string> {
  const list = await gateway.call('GET', '/api/whatsapp/conversations?limit=200', {
    key: tenant.key,
  })
  const ids = list.json.data.map((conversation: { id: string }) => conversation.id)
  const pages = await Promise.all(
    ids.map((id: string) =>
      gateway.call('GET', `/api/whatsapp/conversations/${id}/messages`, { key: tenant.key }),
    ),
  )
  return [list.text, ...pages.map((page) => page.text)].join('\n')
}

/** What a message to this firm holds, each part unmistakable. */
const messageFor = (firm: string) => ({
  wamid: `wamid.${firm}-${canary(`wamid of ${firm}`).text}`,
  text: canary(`text for ${firm}`).text,
  from: canary(`number of a customer of ${firm}`).text,
})

describe('a delivery with items of two tenants', () => {
  test('I7: is split, and neither sees anything of the other', async () => {
    const [forA, forB] = [messageFor('a'), messageFor('b')]
    const event = await deliverAndDrain({
      object: 'whatsapp_business_account',
      entry: [
        entry({ messages: [textMessage(forA.wamid, forA.text, { from: forA.from })] }),
        entry({
          number: tenantBNumber,
          messages: [textMessage(forB.wamid, forB.text, { from: forB.from })],
        }),
      ],
    })

    expect((await messageRows(db)).filter((row) => row.event_id === event.id)).toMatchObject([
      { wamid: forA.wamid, tenant_id: firmA.id },
      { wamid: forB.wamid, tenant_id: firmB.id },
    ])
    const [a, b] = await Promise.all([everythingOf(firmA), everythingOf(firmB)])
    for (const mark of Object.values(forA)) expect(a).toContain(mark)
    for (const mark of Object.values(forB)) expect(b).toContain(mark)
    expectNone(a, ...Object.values(forB))
    expectNone(b, ...Object.values(forA))
  })

  test('the fixture with two WABAs gives each its own', async () => {
    const event = await deliverAndDrain(fixture('070-batch-two-wabas.json'))

    const rows = (await messageRows(db)).filter((row) => row.event_id === event.id)
    expect(new Set(rows.map((row) => row.tenant_id))).toEqual(new Set([firmA.id, firmB.id]))
  })

  test('the same wamid for two tenants is two messages', async () => {
    await deliverAndDrain({
      object: 'whatsapp_business_account',
      entry: [
        entry({ messages: [textMessage('wamid.same', 'a')] }),
        entry({ number: tenantBNumber, messages: [textMessage('wamid.same', 'b')] }),
      ],
    })

    const rows = (await messageRows(db)).filter((row) => row.wamid === 'wamid.same')
    expect(rows.map((row) => row.tenant_id).sort()).toEqual([firmA.id, firmB.id].sort())
  })
})

describe('a delivery whose ids do not fit', () => {
  test('an unknown number is put aside with its own part only, and its neighbour is applied', async () => {
    const words = canary('text for a').text
    const event = await deliverAndDrain({
      object: 'whatsapp_business_account',
      entry: [
        entry({
          number: { waba_id: '1', phone_number_id: 'nobody-has-this' },
          messages: [textMessage('wamid.lost', 'for nobody')],
          statuses: [statusUpdate('wamid.lost-out', 'sent')],
        }),
        entry({ messages: [textMessage('wamid.found', words)] }),
      ],
    })

    const letters = await lettersOf(db, event.id)
    expect(letters).toMatchObject([
      { kind: 'unroutable', error_code: 'UNROUTABLE', tenant_id: null },
      { kind: 'unroutable', error_code: 'UNROUTABLE', tenant_id: null },
    ])
    expect(JSON.parse(letters[0]?.raw.toString() ?? '')).toEqual(
      textMessage('wamid.lost', 'for nobody'),
    )
    expectNone(letters.map((letter) => letter.raw.toString()).join(), words)
    expect(await wamidsOf(db)).toContain('wamid.found')
    expect(await wamidsOf(db)).not.toContain('wamid.lost')
  })

  test('another WABA than the account has is counted and logged, and the message is applied', async () => {
    const counted = async () =>
      (await gateway.runtime.metrics.wabaMismatches.get()).values[0]?.value ?? 0
    const before = await counted()

    await deliverAndDrain(
      payload({
        number: { ...tenantANumber, waba_id: '999' },
        messages: [textMessage('wamid.mismatch', 'x')],
      }),
    )

    expect(await counted()).toBe(before + 1)
    expect(gateway.logText()).toContain('"waba_mismatch"')
    expect(await wamidsOf(db)).toContain('wamid.mismatch')
  })
})

describe('large and crowded', () => {
  test('a delivery of 3 MB with a thousand messages is acknowledged and processed whole', async () => {
    const messages = Array.from({ length: 1000 }, (_, index) =>
      textMessage(`wamid.bulk-${index}`, 'x'.repeat(2900), { from: `1650555${index % 50}` }),
    )
    const raw = Buffer.from(JSON.stringify(payload({ messages })))
    expect(raw.length).toBeGreaterThan(3_000_000)

    const event = await deliverAndDrain(raw)

    expect(event).toMatchObject({ status: 'done', attempt: 1 })
    const rows = (await messageRows(db)).filter((row) => row.event_id === event.id)
    expect(rows).toHaveLength(1000)
    expect(new Set(rows.map((row) => row.conversation_id)).size).toBe(50)
  })

  test('ten thousand parts that hold nothing, or nothing good, hold up nothing beside them', async () => {
    const good = (id: string) => payload({ messages: [textMessage(id, 'x')] }).entry[0]
    const empty = Array.from({ length: 10_000 }, () => ({ id: '1', changes: [] }))
    const bad = Array.from({ length: 10_000 }, () => null)
    for (const [id, parts] of Object.entries({ empty, bad })) {
      const entry = [...parts, good(`wamid.after-${id}`)]
      const event = await deliverAndDrain(Buffer.from(JSON.stringify({ entry })))

      expect(event).toMatchObject({ status: 'done', attempt: 1 })
      expect(await wamidsOf(db)).toContain(`wamid.after-${id}`)
    }
  })

  test('I1: rows the database refuses do not fail the deliveries that came with them', async () => {
    const bodies = Array.from({ length: 60 }, (_, index) => {
      const body = JSON.stringify(
        payload({ messages: [textMessage(`wamid.crowd-${index}`, 'x', { odd: 0 })] }),
      )
      return Buffer.from(index % 10 === 3 ? body.replace('"odd":0', '"odd":1e999999') : body)
    })

    const answers = await Promise.all(bodies.map((body) => gateway.deliver(body)))
    await gateway.drain()

    expect(answers.map((answer) => answer.status)).toEqual(Array(60).fill(200))
    const kept = (await eventRows(db)).filter((event) =>
      event.inbound_event_id.startsWith('wamid.crowd-'),
    )
    expect(kept).toHaveLength(60)
    expect(kept.filter((event) => !event.has_payload)).toHaveLength(6)
    const wamids = (await wamidsOf(db)).filter((wamid) => wamid.startsWith('wamid.crowd-'))
    expect(wamids).toHaveLength(60)
  })
})
