import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../../test/support/gateway.ts'
import { sql } from '../db/connect.ts'
import { createRecent, type RecentKind } from '../recent.ts'
import { historyKept, writeHistory } from './history.ts'
import { createLatencySharing } from './latency.ts'
import { createRetention } from './retention.ts'

const clock = createTestClock('2026-03-01T12:00:00.000Z')
const minuteMs = 60_000
let gateway: TestGateway
let other: TestGateway
let a: TestTenant
let b: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  const { databaseUrl: url, db } = gateway
  other = await startTestGateway({ clock, database: { url, db } })
  a = await gateway.createTenant('Firm A', tenantANumber)
  b = await gateway.createTenant('Firm B', tenantBNumber)
})

beforeEach(async () => {
  await gateway.db.query(
    sql`truncate health_history, recent_latencies, recent_tenant_latencies, dead_letters`,
  )
  // At the beginning of a quarter of an hour that no test has used.
  const quarterMs = 15 * minuteMs
  clock.advance(2 * quarterMs - (clock.now().getTime() % quarterMs))
})

const write = (by = gateway) => writeHistory({ db: by.runtime.db.work, clock })

/** What a process counted by now, on account of a number. */
async function happened(
  what: [RecentKind, ms: number][],
  { phone_number_id } = tenantANumber,
  by = gateway,
) {
  const recent = createRecent()
  const sharing = createLatencySharing({ ...by.runtime, db: by.runtime.db.api, recent })
  for (const [kind, ms] of what) recent.observe(kind, ms, phone_number_id)
  await sharing.share()
  await sharing.shareTenants()
}

async function letMinutesPass(count: number) {
  for (let passed = 0; passed < count; passed++) {
    await write()
    clock.advance(minuteMs)
  }
}

const historyOf = async (tenant: TestTenant | undefined, range = '1h') => {
  const answer = tenant
    ? await gateway.call('GET', `/api/whatsapp/history?range=${range}`, { key: tenant.key })
    : await gateway.call('GET', `/api/admin/whatsapp/history?range=${range}`, { key: operatorKey })
  expect(answer.status).toBe(200)
  return answer.json
}

const rows = (step: string) =>
  gateway.db.query(sql<{ tenant: string | null; minutes: number; accepted: number }>`
    select tenant_id as tenant, minutes, accepted
    from health_history
    where step = ${step}
    order by at, tenant_id nulls first`)

const unknown = {
  minutes: 0,
  webhook_ack_p95_ms: null,
  inbound_processing_p95_ms: null,
  send_p95_ms: null,
  outbox_pending_count: null,
  webhook_events_pending_count: null,
  oldest_pending_seconds: null,
  dlq_count: null,
  sends_accepted: null,
  sends_decided: null,
}
const quiet = {
  ...unknown,
  minutes: 1,
  outbox_pending_count: 0,
  webhook_events_pending_count: 0,
  oldest_pending_seconds: 0,
  dlq_count: 0,
  sends_accepted: 0,
  sends_decided: 0,
}

describe('a minute', () => {
  test('is written once, however many processes write it', async () => {
    await happened([['send_accepted', 0]])
    await happened([['send_accepted', 0]], tenantANumber, other)
    await Promise.all([write(), write(other)])
    await write(other)
    await happened([['send_refused', 0]])
    await write()

    expect(await rows('minute')).toEqual([
      { tenant: null, minutes: 1, accepted: 2 },
      { tenant: a.id, minutes: 1, accepted: 2 },
    ])
    clock.advance(minuteMs)
    const { points } = await historyOf(undefined)
    expect(points.at(-1)).toMatchObject({ minutes: 1, sends_accepted: 2, sends_decided: 3 })
  })

  test('says what the latencies of all processes were, and the most that waited', async () => {
    await happened([
      ['webhook_ack', 4],
      ['inbound_processing', 30],
      ...Array.from({ length: 94 }, (): [RecentKind, number] => ['send', 20]),
    ])
    await happened(
      Array.from({ length: 6 }, () => ['send', 2_000]),
      tenantANumber,
      other,
    )
    await gateway.db.query(sql`
      insert into dead_letters (id, tenant_id, kind, error_code, error_message, raw, created_at)
      values (gen_random_uuid(), ${a.id}, 'outbound', 'X', 'x', '', now())`)
    await write()
    await gateway.db.query(sql`truncate dead_letters`)
    await write()
    clock.advance(minuteMs)

    const { points, step_seconds, limits } = await historyOf(undefined)
    expect(step_seconds).toBe(60)
    expect(limits).toEqual({ oldest_pending_seconds: 300, dlq_count: 10 })
    const point = points.at(-1)
    expect(point).toMatchObject({ dlq_count: 1, outbox_pending_count: 0 })
    expect(point.send_p95_ms).toBeGreaterThanOrEqual(2_000)
    expect(point.send_p95_ms).toBeLessThan(2_200)
    expect(point.inbound_processing_p95_ms).toBeLessThan(33)
  })

  test('in which nobody looked is a gap, and a quiet one is not', async () => {
    await letMinutesPass(2)
    clock.advance(60 * minuteMs)
    await letMinutesPass(1)

    for (const who of [undefined, a]) {
      const { points } = await historyOf(who, '6h')
      expect(points).toHaveLength(72)
      const known = points.filter(({ minutes }: { minutes: number }) => minutes > 0)
      expect(known.map(({ at, ...figures }: { at: string }) => figures)).toEqual([
        { ...quiet, minutes: 2 },
        quiet,
      ])
      expect(points[0]).toEqual({ at: expect.any(String), ...unknown })
    }
  })

  test('that was counted while nobody wrote is written afterwards, without what waited then', async () => {
    await letMinutesPass(1)
    await happened([['send_accepted', 0]])
    clock.advance(3 * minuteMs)
    await letMinutesPass(1)

    const { points } = await historyOf(a)
    expect(points.slice(-5).map(({ at, ...figures }: { at: string }) => figures)).toEqual([
      quiet,
      { ...unknown, minutes: 1, sends_accepted: 1, sends_decided: 1 },
      unknown,
      unknown,
      quiet,
    ])
  })
})

describe('a quarter of an hour', () => {
  test('is made of its minutes once it is over, and they are removed later', async () => {
    for (let minute = 0; minute < 15; minute++) {
      await happened([
        ['send', minute < 14 ? 20 : 2_000],
        ['send_accepted', 0],
      ])
      await letMinutesPass(1)
    }
    expect(await rows('quarter')).toEqual([])
    await letMinutesPass(2)
    await letMinutesPass(1)
    expect(await rows('quarter')).toEqual([
      { tenant: null, minutes: 15, accepted: 15 },
      { tenant: a.id, minutes: 15, accepted: 15 },
    ])

    const found = (await historyOf(a, '24h')).points.filter(
      ({ minutes }: { minutes: number }) => minutes > 0,
    )
    // The p95 of all 15 calls, not one of the minutes' own; and what is in no quarter yet.
    expect(found).toEqual([
      expect.objectContaining({ minutes: 15, sends_accepted: 15, sends_decided: 15 }),
      { at: expect.any(String), ...quiet, minutes: 3 },
    ])
    expect(found[0].send_p95_ms).toBeGreaterThanOrEqual(2_000)

    const retention = createRetention({
      ...gateway.runtime,
      db: gateway.runtime.db.work,
      clock,
      config: gateway.runtime.config,
    })
    clock.advance(historyKept.minutesMs)
    await retention.runOnce()
    // Three minutes are in no quarter yet: they wait for it.
    expect(await rows('minute')).toHaveLength(3)
    await write()
    await retention.runOnce()
    expect(await rows('minute')).toHaveLength(1)
    expect(await rows('quarter')).toHaveLength(3)
    expect((await historyOf(a, '7d')).points).toHaveLength(168)
    clock.advance(historyKept.quartersMs)
    await retention.runOnce()
    expect(await rows('quarter')).toEqual([])
  })
})

describe('a tenant', () => {
  test('hears of itself alone', async () => {
    await happened([
      ['send', 20],
      ['send_accepted', 0],
    ])
    await happened([['send_refused', 0]], tenantBNumber)
    await happened([['send_accepted', 0]], { ...tenantANumber, phone_number_id: 'of nobody' })
    await letMinutesPass(1)

    const [ofA, ofB, whole] = await Promise.all([historyOf(a), historyOf(b), historyOf(undefined)])
    expect(ofA.points.at(-1)).toMatchObject({ sends_accepted: 1, sends_decided: 1 })
    expect(ofB.points.at(-1)).toMatchObject({
      sends_accepted: 0,
      sends_decided: 1,
      send_p95_ms: null,
    })
    expect(whole.points.at(-1)).toMatchObject({ sends_accepted: 2, sends_decided: 3 })
    expect(ofA.tenants).toBeUndefined()
    expect(ofA.limits).toEqual({ oldest_pending_seconds: 300, dlq_count: 10 })
    const lastHour = (sends: number[]) => [...Array.from({ length: 11 }, () => 0), ...sends]
    expect(whole.tenants).toHaveLength(2)
    expect(whole.tenants).toEqual(
      expect.arrayContaining([
        {
          tenant_id: a.id,
          sends_accepted: 1,
          sends_decided: 1,
          send_p95_ms: expect.any(Number),
          sends: lastHour([1]),
        },
        {
          tenant_id: b.id,
          sends_accepted: 0,
          sends_decided: 1,
          send_p95_ms: null,
          sends: lastHour([0]),
        },
      ]),
    )
  })

  test('hears of its last hour whether it is in the history yet or not', async () => {
    const health = async () =>
      (await gateway.call('GET', '/api/whatsapp/health', { key: a.key })).json
    await happened([
      ['send', 20],
      ['send_accepted', 0],
    ])
    const now = await health()
    expect(now).toMatchObject({ sends_accepted_last_1h: 1, sends_decided_last_1h: 1 })
    expect(now.send_p95_ms).toBeGreaterThanOrEqual(20)
    await write()
    clock.advance(30 * minuteMs)
    await happened([['send_refused', 0]])
    expect(await health()).toMatchObject({ sends_accepted_last_1h: 1, sends_decided_last_1h: 2 })
    clock.advance(31 * minuteMs)
    await write()
    expect(await health()).toMatchObject({ sends_accepted_last_1h: 0, sends_decided_last_1h: 0 })
  })
})
