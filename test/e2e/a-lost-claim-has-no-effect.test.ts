// I3: an event is worked by one holder of its claim. Whoever died is replaced after the lease; whoever only slept finds
// that the claim is somebody else's, and leaves no trace.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import { type ClaimedEvent, claimEvents } from '../../src/inbox/queries.ts'
import { startTestGateway, type TestGateway, tenantANumber } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { eventRows, letterRows, wamidsOf } from '../support/rows.ts'

let gateway: TestGateway
let db: Db
const start = new Date('2026-12-01T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

beforeEach(async () => {
  gateway = await startTestGateway()
  await gateway.createTenant('Firm A', tenantANumber)
  db = gateway.db
})

async function store(...bodies: unknown[]) {
  for (const body of bodies) await gateway.deliver(body)
  await db.query(sql`update whatsapp_webhook_events set next_run_at = ${start}`)
}

const one = (id: string) => payload({ messages: [textMessage(id, 'x')] })

function claim(seconds: number): Promise<ClaimedEvent[]> {
  return claimEvents(db, {
    limit: 100,
    maxBytes: 1e9,
    leaseSeconds: 20,
    taskName: 'test',
    now: at(seconds),
  })
}

/** The worker's connection, with something that happens before its nth transaction begins. */
function interrupted(nth: number, happens: () => Promise<unknown>): Db {
  const worker = gateway.runtime.db.work
  let count = 0
  return {
    ...worker,
    transaction: async (work) => {
      if (++count === nth) await happens()
      return worker.transaction(work)
    },
  }
}

describe('a claim whose holder died', () => {
  test('keeps others away until its lease is over, then the event is taken again', async () => {
    await store(one('m1'))
    expect(await claim(0)).toMatchObject([{ attempt: 1 }])

    expect(await gateway.drain({ queueNow: () => at(19.9) })).toBe(0)
    expect(await wamidsOf(db)).toEqual([])
    expect(await gateway.drain({ queueNow: () => at(20) })).toBe(1)

    expect(await wamidsOf(db)).toEqual(['m1'])
    expect(await eventRows(db)).toMatchObject([{ status: 'done', attempt: 2 }])
  })

  test('by the database clock too, when no test steers it', async () => {
    await store(one('m1'))
    await claimEvents(db, {
      limit: 1,
      maxBytes: 1,
      leaseSeconds: 3600,
      taskName: 'test',
      now: null,
    })
    expect(await gateway.drain()).toBe(0)

    await db.query(sql`update whatsapp_webhook_events set next_run_at = now()`)

    expect(await gateway.drain()).toBe(1)
    expect(await wamidsOf(db)).toEqual(['m1'])
  })
})

describe('a worker that lost its claim', () => {
  test('I3: before it began, applies nothing and settles nothing', async () => {
    await store(one('m1'), one('m2'))

    await gateway.drain({
      db: interrupted(1, () => claim(21)),
      queueNow: () => at(0),
    })

    expect(await wamidsOf(db)).toEqual([])
    expect(await eventRows(db)).toMatchObject([
      { status: 'processing', attempt: 2 },
      { status: 'processing', attempt: 2 },
    ])
    expect(gateway.logText()).toContain('"inbound_claim_lost"')

    // Its successor may do as it likes.
    await gateway.drain({ queueNow: () => at(60) })
    expect(await wamidsOf(db)).toEqual(['m1', 'm2'])
  })

  test('I3: of one event of its batch, goes on with the others', async () => {
    await store(one('m1'), one('m2'))

    await gateway.drain({
      db: interrupted(1, () =>
        db.query(sql`update whatsapp_webhook_events set attempt = attempt + 1
          where inbound_event_id = 'm1'`),
      ),
      queueNow: () => at(0),
    })

    expect(await wamidsOf(db)).toEqual(['m2'])
    expect((await eventRows(db)).map((event) => event.status)).toEqual(['processing', 'done'])
  })

  test('I3: between two items of a delivery, stops there', async () => {
    const messages = ['m1', 'bad', 'm2'].map((id) => textMessage(id, 'x'))
    await store(payload({ messages }))
    const beforeApply = (_event: ClaimedEvent, items: { path: string }[]) => {
      if (items.some((item) => item.path.endsWith('[1]'))) throw new Error('a bug of ours')
    }

    // 1: all together, fails; 2 to 4: one transaction each.
    await gateway.drain({
      db: interrupted(4, () => claim(21)),
      queueNow: () => at(0),
      beforeApply,
    })

    expect(await wamidsOf(db)).toEqual(['m1'])
    expect(await letterRows(db)).toEqual([])
    expect(await eventRows(db)).toMatchObject([{ status: 'processing', attempt: 2 }])

    await gateway.drain({ queueNow: () => at(60) })
    expect(await wamidsOf(db)).toEqual(['bad', 'm1', 'm2'])
  })

  test('I3: before it could put aside what was bad, puts nothing aside', async () => {
    await store(payload({ messages: [textMessage('bad', 'x')] }))
    const beforeApply = () => {
      throw new Error('a bug of ours')
    }

    await gateway.drain({
      db: interrupted(3, () => claim(21)),
      queueNow: () => at(0),
      beforeApply,
    })

    expect(await letterRows(db)).toEqual([])
    expect(await eventRows(db)).toMatchObject([{ status: 'processing', attempt: 2 }])
  })

  test('I3: with its attempts used up, fails nothing and says nothing of a dead letter', async () => {
    await store(one('m1'))
    await db.query(sql`update whatsapp_webhook_events set attempt = 10`)

    await gateway.drain({
      db: interrupted(1, () => claim(21)),
      queueNow: () => at(0),
    })

    expect(await letterRows(db)).toEqual([])
    expect(await eventRows(db)).toMatchObject([{ status: 'processing', attempt: 12 }])
    expect(gateway.logText()).not.toContain('"dead_lettered"')
  })
})

describe('an event that may be what kills the process', () => {
  function countingTransactions() {
    let count = 0
    const counted = gateway.runtime.db.work
    const worker: Db = {
      ...counted,
      transaction: (work) => {
        count++
        return counted.transaction(work)
      },
    }
    return { worker, count: () => count }
  }

  test('is processed with others at first', async () => {
    await store(one('m1'), one('m2'), one('m3'))
    const { worker, count } = countingTransactions()

    await gateway.drain({ db: worker, queueNow: () => at(0) })

    expect(count()).toBe(1)
  })

  test('is processed alone from its third attempt on', async () => {
    await store(one('m1'), one('m2'), one('m3'), one('m4'))
    await db.query(sql`update whatsapp_webhook_events set attempt = 2
      where inbound_event_id in ('m2', 'm3')`)
    const { worker, count } = countingTransactions()
    const companies: string[][] = []

    await gateway.drain({
      db: worker,
      queueNow: () => at(0),
      beforeApply: (event) => {
        companies[count()] = [...(companies[count()] ?? []), event.inboundEventId]
      },
    })

    const together = companies.filter(Boolean).map((company) => company.sort().join(' '))
    expect(together.sort()).toEqual(['m1 m4', 'm2', 'm3'])
    expect(await wamidsOf(db)).toEqual(['m1', 'm2', 'm3', 'm4'])
  })

  test('is given up without being run once it was claimed more often than allowed', async () => {
    await store(one('killer'), one('m1'))
    await db.query(sql`update whatsapp_webhook_events set attempt = 10
      where inbound_event_id = 'killer'`)
    const run: string[] = []

    await gateway.drain({
      queueNow: () => at(0),
      beforeApply: (event) => void run.push(event.inboundEventId),
    })

    expect(run).toEqual(['m1'])
    const [killer, other] = await eventRows(db)
    expect(killer).toMatchObject({ status: 'failed', attempt: 11 })
    expect(other).toMatchObject({ status: 'done' })
    expect(await letterRows(db)).toMatchObject([
      { kind: 'inbound', error_code: 'RETRIES_EXHAUSTED', raw: killer?.raw, tenant_id: null },
    ])
  })
})

describe('an error after the items were applied', () => {
  /** The worker's connection, with a refusal in place of its nth transaction. */
  function refusing(nth: number): Db {
    return interrupted(nth, () =>
      db.query(sql`do $$ begin raise exception using errcode = 'deadlock_detected'; end $$`),
    )
  }

  test('is a reason to try that event again, not to leave its neighbours claimed', async () => {
    await store(payload({ messages: [textMessage('bad', 'x')] }), one('suspect'))
    await db.query(sql`update whatsapp_webhook_events set attempt = 5
      where inbound_event_id = 'suspect'`)
    const beforeApply = (event: ClaimedEvent) => {
      if (event.inboundEventId === 'bad') throw new Error('a bug of ours')
    }

    // 1: together; 2: the item alone; 3: the dead letter, which loses a race.
    await gateway.drain({ db: refusing(3), queueNow: () => at(0), beforeApply })

    expect(await eventRows(db)).toMatchObject([
      { inbound_event_id: 'bad', status: 'pending', attempt: 1 },
      { inbound_event_id: 'suspect', status: 'done', attempt: 6 },
    ])
    expect(await letterRows(db)).toEqual([])

    await gateway.drain({ queueNow: () => at(10), beforeApply })
    expect(await letterRows(db)).toMatchObject([{ kind: 'inbound' }])
  })
})
