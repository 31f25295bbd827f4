import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { type Db, sql, sqlState } from '../db/connect.ts'
import type { Log } from '../log.ts'
import { createRetention } from '../ops/retention.ts'
import { registerWorker } from '../queue/workers.ts'
import { systemClock } from '../time-and-chance.ts'
import type { ClaimedDelivery } from './model.ts'
import {
  claimDeliveries,
  countReplayable,
  holdDeliveries,
  reapDeliveries,
  replayDeliveries,
  routeEvents,
  settleDeliveries,
  sweepDeliveries,
} from './queue-queries.ts'
import { recordEvent } from './record.ts'
import { selectEventsAfter, selectLastPositions } from './stream-queries.ts'

let db: Db
let worker: string
let tenant: string
let endpoint: string

beforeEach(async () => {
  ;({ db } = await createTestDb())
  worker = await registerWorker(db, 3600)
  tenant = await createTenant()
  endpoint = await createEndpoint(tenant)
})

async function createTenant(): Promise<string> {
  const id = randomUUID()
  await db.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    values (${id}, 'A firm', ${`firm-${id.slice(0, 8)}`}, now(), now())`)
  return id
}

async function createEndpoint(tenantId: string): Promise<string> {
  const id = randomUUID()
  await db.query(sql`
    insert into event_endpoints (tenant_id, id, url, events, secret, created_at, updated_at)
    values (${tenantId}, ${id}, 'https://app.example/', '{*}', 'sealed', now(), now())`)
  await db.query(sql`insert into event_queues (tenant_id, endpoint_id) values (${tenantId}, ${id})`)
  return id
}

/** One event per name, in this order; the name is its type, the lane the letters in it. */
async function happen(names: string[], tenantId = tenant): Promise<void> {
  for (const type of names) {
    await recordEvent(db, { tenantId, type, lane: type.replace(/\d/g, ''), data: {} })
  }
  await routeEvents(db)
}

const claim = (limit = 100, cap = 5) => claimDeliveries(db, worker, limit, cap)
const types = (deliveries: ClaimedDelivery[]) => deliveries.map(({ type }) => type)

function settle(
  deliveries: ClaimedDelivery[],
  state: 'done' | 'failed' | 'pending' = 'done',
  runAt: Date | null = null,
) {
  const failures = state === 'done' ? (0 as const) : (1 as const)
  return settleDeliveries(
    db,
    deliveries.map((delivery) => ({ delivery, state, failures, error: null, runAt })),
  )
}

describe('the order of events', () => {
  test('has no gaps, and is that of the commits: what commits later is told later', async () => {
    let goOn = () => {}
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let isRecorded = () => {}
    const recorded = new Promise<void>((resolve) => {
      isRecorded = resolve
    })
    const slow = db.transaction(async (tx) => {
      await recordEvent(tx, { tenantId: tenant, type: 'first', lane: 'a', data: {} })
      isRecorded()
      await waiting
    })
    await recorded
    await happen(['second'])
    const seen = await selectEventsAfter(db, tenant, 0, 10)
    expect(seen.map(({ type }) => type)).toEqual(['second'])

    goOn()
    await slow
    await routeEvents(db)

    // Recorded before, committed after: a reader who has seen the second still gets it.
    const later = await selectEventsAfter(db, tenant, seen[0]?.position ?? 0, 10)
    expect(later.map(({ type }) => type)).toEqual(['first'])
    expect([seen[0]?.position, later[0]?.position]).toEqual([1, 2])
    expect((await selectLastPositions(db, [tenant])).get(tenant)).toBe(2)
  })

  test('is one order, however many give it at once', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `a${index}`)
    for (const type of names) {
      await recordEvent(db, { tenantId: tenant, type, lane: 'a', data: {} })
    }
    await Promise.all([1, 2, 3, 4].map(() => routeEvents(db)))
    await routeEvents(db)

    const events = await selectEventsAfter(db, tenant, 0, 100)
    expect(events.map(({ type }) => type)).toEqual(names)
    expect(events.map(({ position }) => position)).toEqual(names.map((_, index) => index + 1))
  })
})

describe('a claim', () => {
  test('takes the first of each conversation only, and the next once that is settled', async () => {
    await happen(['a1', 'a2', 'b1', 'a3', 'b2'])

    const first = await claim()
    expect(types(first)).toEqual(['a1', 'b1'])
    expect(await claim()).toEqual([])
    await settle(first)
    const second = await claim()
    expect(types(second)).toEqual(['a2', 'b2'])
    await settle(second)
    expect(types(await claim())).toEqual(['a3'])
  })

  test('that failed holds back its own conversation at its own endpoint', async () => {
    const other = await createEndpoint(tenant)
    await happen(['a1', 'a2', 'b1'])
    const first = await claim()
    const failed = first.filter(({ type, endpointId }) => type === 'a1' && endpointId === endpoint)
    expect(failed).toHaveLength(1)
    await settle(failed, 'pending', new Date(Date.now() + 60_000))
    await settle(first.filter((one) => !failed.includes(one)))

    const next = await claim()
    expect(next.map(({ type, endpointId }) => [type, endpointId])).toEqual([['a2', other]])
  })

  test('stays within the cap of its endpoint, and takes one at a time from one that fails', async () => {
    await happen(['a', 'b', 'c', 'd', 'e'])
    expect(await claim(100, 2)).toHaveLength(2)
    expect(await claim(100, 2)).toEqual([])

    await db.query(sql`update event_queues set failures = 3, next_at = now()`)
    await db.query(sql`update event_tenants set next_at = now()`)
    expect(await claim(100, 3)).toEqual([])
  })

  test('goes round the tenants: a backlog of one keeps none of the others waiting', async () => {
    const others = [await createTenant(), await createTenant()]
    for (const other of others) await createEndpoint(other)
    await happen(Array.from({ length: 50 }, (_, index) => `x${'y'.repeat(index)}`))
    for (const other of others) await happen(['a', 'b'], other)

    const claimed = await claim(12, 100)
    for (const other of others) {
      expect(claimed.filter(({ tenantId }) => tenantId === other)).toHaveLength(2)
    }
  })

  test('takes nothing of a paused endpoint or a suspended tenant, and all of it afterwards', async () => {
    await holdDeliveries(db, tenant, endpoint, 'paused')
    await happen(['a'])
    expect(await claim()).toEqual([])
    await holdDeliveries(db, tenant, endpoint, 'resumed')
    await db.query(sql`update tenants set status = 'suspended'`)
    expect(await claim()).toEqual([])

    await db.query(sql`update tenants set status = 'active'`)
    await db.query(sql`update event_tenants set next_at = now()`)
    expect(types(await claim())).toEqual(['a'])
  })

  test('needs a lease', async () => {
    await happen(['a'])
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)

    await expect(claim()).rejects.toSatisfy((error) => sqlState(error) === 'ES001')
  })
})

describe('what a process held', () => {
  test('is taken back when its lease ran out, and its own word counts no more', async () => {
    await happen(['a1', 'a2'])
    const lost = await claim()
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    expect(await reapDeliveries(db)).toBe(1)
    expect(await reapDeliveries(db)).toBe(0)

    worker = await registerWorker(db, 3600)
    const again = await claim()
    expect(types(again)).toEqual(['a1'])
    expect(again[0]?.attempts).toBe(1)
    expect(await settle(lost)).toEqual(new Set())
    expect(await settle(again)).toEqual(new Set([again[0]?.id]))
    expect(types(await claim())).toEqual(['a2'])
  })

  test('is taken back too when the reaper of sends was there first', async () => {
    await happen(['a'])
    await claim()
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    await db.query(sql`select send_reap(interval '1 s')`)
    expect(await db.query(sql`select from send_workers`)).toEqual([])

    expect(await reapDeliveries(db)).toBe(1)
  })
})

describe('an alarm', () => {
  test('that somebody broke is set again by the sweep', async () => {
    await happen(['a'])
    await db.query(sql`update event_queues set next_at = 'infinity'`)
    await db.query(sql`update event_tenants set next_at = 'infinity'`)
    await db.query(sql`update event_deliveries set next_run_at = now() - interval '6 s'`)
    expect(await claim()).toEqual([])

    expect(await sweepDeliveries(db, 5)).toBe(1)
    expect(types(await claim())).toEqual(['a'])
    expect(await sweepDeliveries(db, 5)).toBe(0)
  })
})

describe('a replay', () => {
  const all = { since: new Date(0), until: null, eventIds: null, onlyFailed: false, after: null }

  test('brings back what ended, in its old place, and leaves alone what is under way', async () => {
    await happen(['a1', 'a2', 'a3'])
    for (const _ of [1, 2]) await settle(await claim())
    const running = await claim()
    expect(types(running)).toEqual(['a3'])
    await happen(['a4'])
    expect(await replayDeliveries(db, tenant, endpoint, all, 100)).toEqual({ count: 2, last: 2 })
    expect(await claim()).toEqual([])
    await settle(running)
    for (const type of ['a1', 'a2', 'a4']) {
      const next = await claim()
      expect(types(next)).toEqual([type])
      await settle(next)
    }
  })

  test('stops at its limit, the oldest first, and goes on from there', async () => {
    await happen(['a1', 'a2', 'a3'])
    for (const _ of [1, 2, 3]) await settle(await claim())

    expect(await replayDeliveries(db, tenant, endpoint, all, 2)).toEqual({ count: 2, last: 2 })
    await settle(await claim())
    const second = await claim()
    expect(types(second)).toEqual(['a2'])
    // By now what came first could be replayed again.
    await settle(second)
    const rest = { ...all, after: 2 }
    expect(await countReplayable(db, tenant, endpoint, rest, 2)).toEqual({ count: 1, last: 3 })
    expect(await replayDeliveries(db, tenant, endpoint, rest, 2)).toEqual({ count: 1, last: 3 })
    expect(types(await claim())).toEqual(['a3'])
    const none = { count: 0, last: null }
    expect(await replayDeliveries(db, tenant, endpoint, { ...all, after: 3 }, 2)).toEqual(none)
  })
})

describe('what nobody takes within its time', () => {
  test('is given up, and its conversation goes on', async () => {
    await happen(['a1', 'a2'])
    await db.query(sql`
      update event_deliveries
      set created_at = now() - interval '8 d', updated_at = now() - interval '8 d'
      where position = 1`)
    const [row] = await db.query(
      sql<{ count: number }>`select delivery_expire(now() - interval '7 d', 100) as count`,
    )

    expect(row?.count).toBe(1)
    expect(types(await claim())).toEqual(['a2'])
  })
})

describe('events that are old', () => {
  const dayMs = 24 * 60 * 60 * 1000

  /** Everything there is happened so many days ago. */
  const age = async (days: number) => {
    const at = new Date(Date.now() - days * dayMs)
    await db.query(sql`update events set created_at = ${at}`)
    await db.query(sql`update event_deliveries set created_at = ${at}, updated_at = ${at}`)
    await db.query(sql`update event_attempts set started_at = ${at}, finished_at = ${at}`)
  }

  const counts = async () => {
    const [row] = await db.query(sql<{ events: number; deliveries: number; attempts: number }>`
      select (select count(*) from events)::int as events,
        (select count(*) from event_deliveries)::int as deliveries,
        (select count(*) from event_attempts)::int as attempts`)
    return row
  }

  const forget = () =>
    createRetention({
      db,
      clock: systemClock,
      log: { info: () => undefined, debug: () => undefined } as unknown as Log,
      config: {
        dedupeTtlDays: 7,
        traceTtlDays: 7,
        payloadRetentionDays: 30,
        eventRetentionDays: 7,
      },
    }).runOnce()

  test('are removed with their deliveries and attempts, and not a day before', async () => {
    await happen(['a1', 'a2'])
    for (const _ of [1, 2]) await settle(await claim())
    await age(6)
    await forget()
    expect(await counts()).toEqual({ events: 2, deliveries: 2, attempts: 2 })

    await age(8)
    expect(await forget()).toMatchObject({ events: 2, event_attempts: 2, expired_deliveries: 0 })
    expect(await counts()).toEqual({ events: 0, deliveries: 0, attempts: 0 })
  })

  test('are kept while they are being delivered, and given up where nobody takes them', async () => {
    const paused = await createEndpoint(tenant)
    await holdDeliveries(db, tenant, paused, 'paused')
    await happen(['a1', 'b1'])
    const claimed = await claim()
    await settle(claimed.filter(({ type }) => type === 'b1'))
    await age(8)

    expect(await forget()).toMatchObject({ expired_deliveries: 2, events: 1 })
    expect(await counts()).toMatchObject({ events: 1, deliveries: 2 })
    await settle(claimed)
    await age(8)
    expect(await forget()).toMatchObject({ events: 1 })
    expect(await counts()).toMatchObject({ events: 0, deliveries: 0 })
  })
})
