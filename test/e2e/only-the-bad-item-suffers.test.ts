// One item that our code or the database cannot take is put aside alone; one that lost a race is tried again.
import { beforeEach, describe, expect, test } from 'vitest'
import { connect, type Db, sql } from '../../src/db/connect.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { canary, expectNone } from '../support/canaries.ts'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../support/gateway.ts'
import { entry, payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { eventRows, letterRows, stepsOf, wamidsOf } from '../support/rows.ts'

let gateway: TestGateway
let firmA: TestTenant
let firmB: TestTenant
let db: Db

beforeEach(async () => {
  gateway = await startTestGateway()
  firmA = await gateway.createTenant('Firm A', tenantANumber)
  firmB = await gateway.createTenant('Firm B', tenantBNumber)
  db = gateway.db
})

type Hook = NonNullable<Inbox['beforeApply']>

/** Fails as a bug of ours would, whenever one of these wamids is to be applied. */
const failsFor =
  (...wamids: string[]): Hook =>
  (_event, items) => {
    for (const item of items) {
      if ('wamid' in item && wamids.includes(item.wamid)) throw new TypeError('a bug of ours')
    }
  }

describe('an item that cannot be applied', () => {
  test('is told once, however often its delivery is processed', async () => {
    await gateway.deliver(
      payload({ messages: [textMessage('bad', 'x'), { type: 'text' }, textMessage('m1', 'x')] }),
    )
    await gateway.drain({ beforeApply: failsFor('bad') })
    await db.query(sql`
      update whatsapp_webhook_events set status = 'pending', processed_at = null, next_run_at = now()`)
    await gateway.drain({ beforeApply: failsFor('bad') })

    const letters = (await letterRows(db)).map((letter) => letter.kind)
    expect(letters.sort()).toEqual(['inbound', 'malformed'])
    const told = gateway.logText().match(/"event":"dead_lettered".*"kind":"\w+"/g)
    expect(told).toHaveLength(2)
  })

  test('I5: is put aside with its own part only; its siblings and neighbours go through', async () => {
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [
        entry({
          messages: [
            textMessage('m1', 'first of A'),
            textMessage('bad', 'the bad one'),
            textMessage('m2', 'second of A'),
          ],
          statuses: [statusUpdate('out1', 'sent')],
        }),
        entry({ number: tenantBNumber, messages: [textMessage('m3', 'first of B')] }),
      ],
    })
    await gateway.deliver(payload({ messages: [textMessage('m4', 'another delivery')] }))

    await gateway.drain({ beforeApply: failsFor('bad') })

    expect(await wamidsOf(db)).toEqual(['m1', 'm2', 'm3', 'm4'])
    expect(await stepsOf(db)).toEqual(['out1:sent'])
    expect((await eventRows(db)).map((event) => event.status)).toEqual(['done', 'done'])
    const letters = await letterRows(db)
    expect(letters).toMatchObject([
      {
        kind: 'inbound',
        tenant_id: firmA.id,
        item_path: 'entry[0].changes[0].value.messages[1]',
        error_code: 'TypeError',
        error_message: 'a bug of ours',
      },
    ])
    expect(JSON.parse(letters[0]?.raw.toString() ?? '')).toEqual(textMessage('bad', 'the bad one'))
  })

  test('I7: each of two is put aside for its own tenant', async () => {
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [
        entry({ messages: [textMessage('bad-a', 'of A')] }),
        entry({ number: tenantBNumber, messages: [textMessage('bad-b', 'of B')] }),
      ],
    })

    await gateway.drain({ beforeApply: failsFor('bad-a', 'bad-b') })

    expect(
      (await letterRows(db)).map((letter) => [
        letter.tenant_id,
        JSON.parse(letter.raw.toString()).id,
      ]),
    ).toEqual([
      [firmA.id, 'bad-a'],
      [firmB.id, 'bad-b'],
    ])
  })

  test('of a number that belongs to another Meta app is put aside for nobody', async () => {
    await gateway.deliver(payload({ messages: [textMessage('bad', 'whose?')] }))
    await db.query(sql`update whatsapp_accounts set app_id = 'another app'`)

    await gateway.drain({ beforeApply: failsFor('bad') })

    expect(await letterRows(db)).toMatchObject([{ kind: 'inbound', tenant_id: null }])
  })

  test('is not counted as known: the same message delivered again is applied once we can', async () => {
    await gateway.deliver(payload({ messages: [textMessage('bad', 'x'), textMessage('m1', 'x')] }))
    await gateway.drain({ beforeApply: failsFor('bad') })

    await gateway.deliver(payload({ messages: [textMessage('bad', 'x'), textMessage('m2', 'x')] }))
    await gateway.drain()

    expect(await wamidsOf(db)).toEqual(['bad', 'm1', 'm2'])
  })

  test('the log says so without a word of it', async () => {
    const words = canary('text of a message').text
    await gateway.deliver(payload({ messages: [textMessage('bad', words)] }))

    await gateway.drain({ beforeApply: failsFor('bad') })

    expect(gateway.logText()).toContain('"dead_lettered"')
    expectNone(gateway.logText(), words)
    const counted = await gateway.runtime.metrics.deadLetters.get()
    const made = counted.values.filter(({ value }) => value > 0)
    expect(made).toMatchObject([{ labels: { kind: 'inbound' }, value: 1 }])
  })
})

describe('a delivery that is malformed as a whole', () => {
  test('keeps its dead letter when it is processed beside one that fails', async () => {
    await gateway.deliver('not JSON')
    await gateway.deliver(payload({ messages: [textMessage('bad', 'x')] }))

    await gateway.drain({ beforeApply: failsFor('bad') })

    expect((await letterRows(db)).map((letter) => letter.kind).sort()).toEqual([
      'inbound',
      'malformed',
    ])
  })

  test('keeps its dead letter when its first attempts fail', async () => {
    await gateway.deliver('not JSON')
    let failures = 1
    const beforeApply = () => {
      if (failures-- > 0) throw new Error('for once')
    }

    await gateway.drain({ beforeApply })

    expect(await letterRows(db)).toMatchObject([
      { kind: 'malformed', item_path: '', raw: Buffer.from('not JSON') },
    ])
    expect(await eventRows(db)).toMatchObject([{ status: 'done' }])
  })

  test('is put aside whole when it cannot even be put aside as malformed', async () => {
    await gateway.deliver('not JSON')
    const beforeApply = () => {
      throw new Error('every time')
    }

    await gateway.drain({ beforeApply })

    expect(await letterRows(db)).toMatchObject([
      { kind: 'inbound', item_path: '', raw: Buffer.from('not JSON'), tenant_id: null },
    ])
  })
})

describe('an item that meets a lock', () => {
  const start = new Date('2026-12-01T00:00:00Z')
  const later = (seconds: number) => () => new Date(start.getTime() + seconds * 1000)

  /** A worker whose statements give up on a lock at once, and the contact's conversation held by somebody else. */
  async function contend(work: (worker: Db, release: () => Promise<void>) => Promise<void>) {
    const url = new URL(gateway.databaseUrl)
    url.searchParams.set('options', '-c lock_timeout=20ms')
    const worker = connect({
      url: url.href,
      name: 'test',
      poolSize: 2,
      queryTimeoutMs: 60_000,
      connectTimeoutMs: 60_000,
    })
    let free = () => {}
    const held = new Promise<void>((resolve) => {
      free = resolve
    })
    let hold = () => {}
    const holding = new Promise<void>((resolve) => {
      hold = resolve
    })
    const holder = db.transaction(async (tx) => {
      await tx.query(sql`select 1 from whatsapp_conversations for update`)
      hold()
      await held
    })
    await holding
    const release = async () => {
      free()
      await holder
    }
    try {
      await work(worker, release)
    } finally {
      await release()
      await worker.close()
    }
  }

  async function makeDueAt(at: Date) {
    await db.query(
      sql`update whatsapp_webhook_events set next_run_at = ${at} where status = 'pending'`,
    )
  }

  beforeEach(async () => {
    await gateway.deliver(payload({ messages: [textMessage('m0', 'so that there is one')] }))
    await gateway.drain()
    await gateway.deliver(
      payload({
        messages: [
          textMessage('free', 'x', { from: 'another contact' }),
          textMessage('locked', 'x'),
        ],
      }),
    )
    await makeDueAt(start)
  })

  test('is tried again after a back-off, and then applied', async () => {
    await contend(async (worker, release) => {
      expect(await gateway.drain({ db: worker, queueNow: later(0) })).toBe(1)
      expect((await eventRows(db))[1]).toMatchObject({ status: 'pending', attempt: 1 })
      expect((await eventRows(db))[1]?.last_error).toContain('lock timeout')
      expect(await letterRows(db)).toEqual([])
      // Its sibling did not wait for it.
      expect(await wamidsOf(db)).toEqual(['free', 'm0'])

      await release()
      expect(await gateway.drain({ db: worker, queueNow: later(1.9) })).toBe(0)
      expect(await gateway.drain({ db: worker, queueNow: later(3.1) })).toBe(1)
    })

    expect(await wamidsOf(db)).toEqual(['free', 'locked', 'm0'])
    expect((await eventRows(db))[1]).toMatchObject({ status: 'done', attempt: 2, last_error: null })
  })

  test('waits longer each time, and after the last attempt is failed and among the dead letters', async () => {
    await contend(async (worker) => {
      let seconds = 0
      for (let attempt = 1; attempt <= 4; attempt++) {
        const options = { db: worker, maxAttempts: 4, queueNow: later(seconds) }
        expect(await gateway.drain(options)).toBe(1)
        expect((await eventRows(db))[1]?.attempt).toBe(attempt)
        const almost = { ...options, queueNow: later(seconds + 2 ** attempt - 0.001) }
        expect(await gateway.drain(almost)).toBe(0)
        seconds += 2 ** attempt + 1
      }
      expect(await gateway.drain({ db: worker, queueNow: later(seconds + 1000) })).toBe(0)
    })

    const event = (await eventRows(db))[1]
    expect(event).toMatchObject({ status: 'failed', attempt: 4 })
    expect(await letterRows(db)).toMatchObject([
      {
        kind: 'inbound',
        error_code: 'RETRIES_EXHAUSTED',
        item_path: '',
        event_id: event?.id,
        raw: event?.raw,
      },
    ])
    expect(await wamidsOf(db)).toEqual(['free', 'm0'])
  })

  test('leaves the other deliveries of its batch alone', async () => {
    await gateway.deliver(payload({ messages: [textMessage('m9', 'x', { from: 'a third' })] }))
    await makeDueAt(start)

    await contend(async (worker) => {
      await gateway.drain({ db: worker, queueNow: later(0) })
    })

    expect(await wamidsOf(db)).toEqual(['free', 'm0', 'm9'])
    expect((await eventRows(db)).map((event) => event.status)).toEqual(['done', 'pending', 'done'])
  })
})
