import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { createManualClock, type ManualClock, settled } from '../../test/support/manual-clock.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { eventRows } from '../../test/support/rows.ts'
import { DatabaseUnavailable, type Db, sql } from '../db/connect.ts'
import { createPostgresDedupe } from '../dedupe/postgres.ts'
import { systemRandom } from '../time-and-chance.ts'
import { createReceiver, type ReceiverOptions } from './receive.ts'

let db: Db
let clock: ManualClock
let inserts: number
let rings: number

beforeAll(async () => {
  db = (await createTestDb()).db
})

beforeEach(async () => {
  await db.query(sql`delete from whatsapp_webhook_events`)
  clock = createManualClock()
  inserts = 0
  rings = 0
})

function create(query: Db['query'] = db.query, more: Partial<ReceiverOptions> = {}) {
  return createReceiver({
    dedupe: createPostgresDedupe(),
    db: {
      ...db,
      query: (statement) => {
        inserts++
        return query(statement)
      },
    },
    clock,
    random: systemRandom(clock),
    appId: null,
    onStored: () => {
      rings++
    },
    ...more,
  })
}

const delivery = (id: string, odd: string | number = 0) =>
  Buffer.from(
    JSON.stringify(payload({ messages: [textMessage(id, 'x', { odd: '@@' })] })).replace(
      '"@@"',
      String(odd),
    ),
  )

/** Hands them all in within one turn. */
function receiveTogether(bodies: Buffer[], receiver = create()) {
  const received = bodies.map((body) => receiver.receive(body))
  clock.endTurn()
  return Promise.allSettled(received)
}

describe('deliveries that arrive together', () => {
  test('share one insert, and ring once', async () => {
    const results = await receiveTogether(['a', 'b', 'c'].map((id) => delivery(id)))

    expect(results.map((result) => result.status)).toEqual(Array(3).fill('fulfilled'))
    expect(inserts).toBe(1)
    expect(rings).toBe(1)
    expect(await eventRows(db)).toHaveLength(3)
  })

  test('and are the same are stored once; the others are told so', async () => {
    const results = await receiveTogether([delivery('a'), delivery('a'), delivery('a', 1)])

    const outcomes = results.map(
      (one) => one.status === 'fulfilled' && one.value.eventId === undefined,
    )
    expect(outcomes).toEqual([false, true, true])
    expect(await eventRows(db)).toHaveLength(1)
  })

  test('and that are all known ring nobody', async () => {
    await receiveTogether([delivery('a')])
    await receiveTogether([delivery('a')])
    expect(rings).toBe(1)
  })

  test('I1: one that the database refuses is stored without its payload, its neighbours with theirs', async () => {
    const bodies = [delivery('a'), delivery('b', '1e999999'), delivery('c')]

    const results = await receiveTogether(bodies)

    expect(results.map((result) => result.status)).toEqual(Array(3).fill('fulfilled'))
    const rows = await eventRows(db)
    expect(rows.map((row) => [row.inbound_event_id, row.has_payload])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ])
    expect(rows[1]?.raw.equals(bodies[1] ?? Buffer.alloc(0))).toBe(true)
  })

  test('I1: an id too long for an index is no reason to refuse', async () => {
    const long = Array.from({ length: 500 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    ).join('')
    const number = { waba_id: '1', phone_number_id: [...long].reverse().join('') }
    const body = payload({ number, messages: [textMessage(long, 'x')] })

    const results = await receiveTogether([Buffer.from(JSON.stringify(body)), delivery('a')])

    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled'])
    expect(await eventRows(db)).toHaveLength(2)
  })

  test('are all refused when the database is away: whether they are stored is not known', async () => {
    const away = new DatabaseUnavailable(new Error('connection lost'))

    const results = await receiveTogether(
      [delivery('a'), delivery('b')],
      create(() => Promise.reject(away)),
    )

    expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: away }))
    expect(inserts).toBe(1)
    expect(rings).toBe(0)
  })

  test('one that is refused in every form fails alone', async () => {
    const refused = delivery('refused')
    await db.query(sql`alter table whatsapp_webhook_events add constraint test_refuses
      check (inbound_event_id <> 'refused')`)
    try {
      const results = await receiveTogether([delivery('a'), refused, delivery('c')])
      expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    } finally {
      await db.query(sql`alter table whatsapp_webhook_events drop constraint test_refuses`)
    }
  })
})

test('a doorbell that hangs is waited for until the answer is due, and holds up nobody else', async () => {
  const receiver = create(db.query, { isRung: true, onStored: () => new Promise(() => undefined) })
  const received: Promise<unknown>[] = []
  // More than there is room for at once.
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
    received.push(receiver.receive(delivery(id)))
    clock.endTurn()
    await receiver.idle()
  }
  expect(await eventRows(db)).toHaveLength(6)

  const isAnswered = await Promise.race([Promise.any(received), settled().then(() => false)])
  expect(isAnswered).toBe(false)
  clock.advance(4_000)
  expect(await Promise.all(received)).toMatchObject(Array(6).fill({ eventId: expect.any(String) }))
})

test('idle waits for what is under way', async () => {
  const receiver = create()
  const received = receiver.receive(delivery('a'))
  clock.endTurn()

  await receiver.idle()

  expect(await eventRows(db)).toHaveLength(1)
  expect((await received).eventId === undefined).toBe(false)
})
