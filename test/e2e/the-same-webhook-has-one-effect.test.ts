// I2 of RELIABILITY.md: whatever is delivered however often, in whatever order and company, by however many
// processes: each message once, each status once, none lost.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import { seed } from '../support/chance.ts'
import { createTestDb } from '../support/database.ts'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { fixture, payload, statusUpdate, textMessage } from '../support/payloads.ts'
import {
  eventOf,
  eventRows,
  forgetDedupeKeys,
  forgetEvents,
  letterRows,
  messageRows,
  stepsOf,
  wamidsOf,
} from '../support/rows.ts'
import { pieces, seeded, shuffled } from '../support/seeded.ts'

let gateway: TestGateway
let second: TestGateway
let tenant: TestTenant
let db: Db

async function deliverAndDrain(body: unknown, to = gateway) {
  const answer = await to.deliver(body)
  expect(answer.status).toBe(200)
  await to.drain()
}

const occurrences = (list: string[], wanted: string) => list.filter((it) => it === wanted).length

async function startPair() {
  const database = await createTestDb()
  gateway = await startTestGateway({ database })
  second = await startTestGateway({ database })
  tenant = await gateway.createTenant('Firm A', tenantANumber)
  db = gateway.db
}

describe('the same delivery', () => {
  beforeAll(startPair)

  test('three times, with processing in between, is one event and one message', async () => {
    const raw = fixture('001-msg-text.json')

    for (let time = 0; time < 3; time++) await deliverAndDrain(raw)

    expect(await eventRows(db)).toMatchObject([{ status: 'done', attempt: 1 }])
    expect(await messageRows(db)).toHaveLength(1)
  })

  test('fifty times at once, at two gateways, is answered 200 each time and is one event', async () => {
    const raw = Buffer.from(
      JSON.stringify(payload({ messages: [textMessage('wamid.fifty', 'hello')] })),
    )

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? gateway : second).deliver(raw)),
    )
    await gateway.drain()

    expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(200))
    expect(await eventOf(db, raw)).toMatchObject({ status: 'done', attempt: 1 })
    expect(occurrences(await wamidsOf(db), 'wamid.fifty')).toBe(1)
  })

  test('in other bytes is skipped when it holds one message', async () => {
    const body = payload({ messages: [textMessage('wamid.other-bytes', 'hello')] })
    await deliverAndDrain(body)
    const before = await eventRows(db)

    const answer = await gateway.deliver(JSON.stringify(body, null, 2))

    expect(answer.status).toBe(200)
    expect(await eventRows(db)).toEqual(before)
    expect(gateway.logText()).toContain('"state":"duplicate"')
  })

  test('with other words under the same id changes nothing: the first counts', async () => {
    const saying = (words: string) => textMessage('wamid.two-texts', words)
    await deliverAndDrain(payload({ messages: [saying('first')] }))

    await deliverAndDrain(payload({ messages: [saying('second')] }))
    const beside = textMessage('wamid.beside-two-texts', 'new')
    await deliverAndDrain(payload({ messages: [saying('third'), beside] }))

    const list = await gateway.call('GET', '/api/whatsapp/messages?limit=200', { key: tenant.key })
    const textOf = (wamid: string) =>
      list.json.data
        .filter((one: { wamid: string }) => one.wamid === wamid)
        .map((one: { content: { text: unknown } }) => one.content.text)
    expect(textOf('wamid.two-texts')).toEqual([{ body: 'first' }])
    expect(textOf('wamid.beside-two-texts')).toEqual([{ body: 'new' }])
  })

  test('in other bytes is skipped when it holds one status, but not for another participant', async () => {
    const status = (participant: string) =>
      statusUpdate('wamid.group', 'read', { recipient_participant_id: participant })
    await deliverAndDrain(payload({ statuses: [status('one')] }))
    const before = (await eventRows(db)).length

    await deliverAndDrain(JSON.stringify(payload({ statuses: [status('one')] }), null, 2))
    expect(await eventRows(db)).toHaveLength(before)
    await deliverAndDrain(payload({ statuses: [status('two')] }))

    expect(await eventRows(db)).toHaveLength(before + 1)
    expect(occurrences(await stepsOf(db), 'wamid.group:read')).toBe(2)
  })
})

describe('the same item in another batch', () => {
  beforeAll(startPair)

  test.each(['[old, new]', '[new, old]'])('%s never loses the new one', async (order) => {
    const old = textMessage(`wamid.old ${order}`, 'old')
    const fresh = textMessage(`wamid.new ${order}`, 'new')
    await deliverAndDrain(payload({ messages: [old] }))

    await deliverAndDrain(
      payload({ messages: order === '[old, new]' ? [old, fresh] : [fresh, old] }),
    )

    const wamids = await wamidsOf(db)
    expect(occurrences(wamids, old.id)).toBe(1)
    expect(occurrences(wamids, fresh.id)).toBe(1)
  })

  test('the single item of an earlier batch, delivered alone, has no second effect', async () => {
    const messages = [textMessage('wamid.together-1', 'a'), textMessage('wamid.together-2', 'b')]
    await deliverAndDrain(payload({ messages }))

    await deliverAndDrain(payload({ messages: messages.slice(1) }))

    expect(occurrences(await wamidsOf(db), 'wamid.together-2')).toBe(1)
  })

  test('statuses among messages are told apart from known ones', async () => {
    const message = textMessage('wamid.mixed', 'hello')
    const sent = statusUpdate('wamid.out', 'sent')
    const delivered = statusUpdate('wamid.out', 'delivered')
    await deliverAndDrain(payload({ statuses: [sent] }))

    await deliverAndDrain(payload({ messages: [message], statuses: [delivered, sent] }))
    await deliverAndDrain(payload({ messages: [message], statuses: [sent, delivered] }))

    expect(occurrences(await wamidsOf(db), 'wamid.mixed')).toBe(1)
    expect((await stepsOf(db)).filter((step) => step.startsWith('wamid.out'))).toEqual([
      'wamid.out:delivered',
      'wamid.out:sent',
    ])
  })

  test('a batch that repeats an item within itself applies it once', async () => {
    await deliverAndDrain(fixture('073-batch-duplicate-and-out-of-order.json'))
    await deliverAndDrain(fixture('074-batch-duplicate-message.json'))

    const wamids = await wamidsOf(db)
    const steps = await stepsOf(db)
    expect(new Set(wamids).size).toBe(wamids.length)
    expect(new Set(steps).size).toBe(steps.length)
  })
})

/** How many items both gateways say they met with this outcome. */
async function countItems(outcome: string): Promise<number> {
  const both = await Promise.all(
    [gateway, second].map((one) => one.runtime.metrics.inboundItems.get()),
  )
  const values = both.flatMap((one) => one.values.filter((it) => it.labels.outcome === outcome))
  return values.reduce((sum, { value }) => sum + value, 0)
}

describe('shuffled, repeated and re-batched', () => {
  const seeds = [1, 20261115, seed]

  test.each(seeds)('I2: every item has one effect, none is lost (seed %i)', async (seed) => {
    await startPair()
    const random = seeded(seed)
    const messages = Array.from({ length: 40 }, (_, index) => textMessage(`m${index}`, 'text'))
    const statuses = Array.from({ length: 20 }, (_, index) =>
      ['sent', 'delivered', 'read'].map((status) => statusUpdate(`out${index}`, status)),
    ).flat()
    const items = [
      ...messages.map((message) => ({ messages: [message] })),
      ...statuses.map((status) => ({ statuses: [status] })),
    ]
    const repeated = shuffled([...items, ...items, ...items, ...items], random)
    const deliveries = pieces(repeated, 6, random).map((batch) =>
      payload({
        messages: batch.flatMap((item) => ('messages' in item ? item.messages : [])),
        statuses: batch.flatMap((item) => ('statuses' in item ? item.statuses : [])),
      }),
    )

    const gateways = [gateway, second]
    for (const wave of pieces(deliveries, 20, random)) {
      const answers = wave.map((body, index) => (gateways[index % 2] as TestGateway).deliver(body))
      const drains = gateways.flatMap((one) => [one.drain(), one.drain()])
      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200)
      await Promise.all(drains)
    }
    await Promise.all(gateways.flatMap((one) => [one.drain(), one.drain(), one.drain()]))

    expect(await wamidsOf(db)).toEqual(messages.map((message) => message.id).sort())
    expect(await stepsOf(db)).toEqual(statuses.map((it) => `${it.id}:${it.status}`).sort())
    expect(await countItems('applied')).toBe(100)
    const events = await eventRows(db)
    expect(events.filter((event) => event.status !== 'done')).toEqual([])
    expect(events.filter((event) => event.attempt !== 1)).toEqual([])
    expect(await letterRows(db)).toEqual([])
  })
})

describe('several workers on one database', () => {
  beforeAll(startPair)

  test('apply each of many stored events once', async () => {
    const bodies = Array.from({ length: 120 }, (_, index) =>
      payload({ messages: [textMessage(`one-contact-${index}`, `text ${index}`)] }),
    )
    await Promise.all(bodies.map((body) => gateway.deliver(body)))
    const applied: string[] = []
    const beforeApply = ({ id }: { id: string }) => void applied.push(id)

    const taken = await Promise.all(
      [gateway, second, gateway, second, gateway, second].map((one) => one.drain({ beforeApply })),
    )

    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(120)
    expect(new Set(applied).size).toBe(120)
    expect(await messageRows(db)).toHaveLength(120)
    const conversations = new Set((await messageRows(db)).map((row) => row.conversation_id))
    expect(conversations.size).toBe(1)
  })
})

describe('after the dedupe keys have expired', () => {
  beforeAll(startPair)

  async function conversation() {
    const list = await gateway.call('GET', '/api/whatsapp/conversations', { key: tenant.key })
    return list.json.data[0]
  }

  test('I4: an old message in other bytes makes no second message and reopens nothing', async () => {
    const old = payload({ messages: [textMessage('wamid.ancient', 'hello')] })
    await deliverAndDrain(old)
    await db.query(sql`update whatsapp_conversations set status = 'closed'`)
    const before = await conversation()
    await forgetDedupeKeys(db)
    await forgetEvents(db)

    await deliverAndDrain(JSON.stringify(old, null, 2))

    expect(await eventRows(db)).toMatchObject([{ status: 'done' }])
    expect(await wamidsOf(db)).toEqual(['wamid.ancient'])
    expect(await conversation()).toEqual(before)
    expect(before.status).toBe('closed')
    expect(await letterRows(db)).toEqual([])
  })

  test('an old message beside a new one leaves room for the new one', async () => {
    await forgetDedupeKeys(db)

    await deliverAndDrain(
      payload({
        messages: [textMessage('wamid.ancient', 'hello'), textMessage('wamid.recent', 'again')],
      }),
    )

    expect(await wamidsOf(db)).toEqual(['wamid.ancient', 'wamid.recent'])
    expect((await conversation()).status).toBe('open')
    expect(await letterRows(db)).toEqual([])
  })

  test('an old status makes no second step', async () => {
    await deliverAndDrain(payload({ statuses: [statusUpdate('wamid.out', 'read')] }))
    await forgetDedupeKeys(db)
    await forgetEvents(db)

    await deliverAndDrain(
      payload({ statuses: [statusUpdate('wamid.out', 'read', { timestamp: '1788300999' })] }),
    )

    expect(await stepsOf(db)).toEqual(['wamid.out:read'])
    const [step] = await db.query(
      sql<{ at: Date }>`select occurred_at as at from whatsapp_message_statuses`,
    )
    expect(step?.at).toEqual(new Date(1788300100_000))
  })
})
