// How fast a number may send, in all and to one contact; what Meta's throttle answers change about it. The clock is the
// database's.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { until } from '../../test/support/program.ts'
import { letTimePass, makeDue } from '../../test/support/queue.ts'
import { type WeatherHand, weatherHand } from '../../test/support/weather.ts'
import { type Db, sql } from '../db/connect.ts'
import type { ClaimedSend } from './model.ts'
import { heedThroughput, levelIn, throughput } from './throughput.ts'
import { holdShared, isFree, takeSlot } from './weather-queries.ts'

let db: Db
let queue: WeatherHand
let tenant: string

beforeAll(async () => {
  ;({ db } = await createTestDb())
  queue = await weatherHand(db)
})

beforeEach(async () => {
  await db.query(sql`update whatsapp_send_outbox set status = 'failed', attempt_id = null`)
  tenant = await insertTenant(db)
})

const allow = (rate: number, number = '1', of = tenant) =>
  db.query(sql`select send_allow(${of}, ${number}, ${rate}::real)`)
const waitOf = (send: ClaimedSend) => (send.slotMs ?? Number.NaN) - send.claimedMs
const lanes = (count: number) => Array.from({ length: count }, (_, index) => `lane-${index}`)

interface NumberRow {
  rate: number
  hold: Date | null
}

async function numberOf(number = '1', of = tenant): Promise<NumberRow> {
  const [row] = await db.query(sql<NumberRow>`
    select send_rate(rate, slowed_rate, slowed_at, clock_timestamp()) as rate,
      case when isfinite(hold_until) then hold_until end as hold
    from send_numbers where tenant_id = ${of} and phone_number_id = ${number}`)
  if (!row) throw new Error('no such number')
  return row
}

describe('a number’s pace', () => {
  test('gives everyone a moment of its own, evenly, and not far ahead', async () => {
    await allow(100)
    await queue.add(tenant, lanes(60))
    const first = await queue.claim()
    expect(first.length).toBeGreaterThan(10)
    expect(first.length).toBeLessThanOrEqual(20)
    const waits = first.map((send) => waitOf(send)).sort((a, b) => a - b)
    expect(waits[0]).toBe(0)
    for (const [index, wait] of waits.entries()) expect(wait).toBeCloseTo(index * 10.5, 1)
  })

  test('goes on where the last claim ended', async () => {
    await allow(0.1)
    await queue.add(tenant, lanes(3))
    expect(await queue.claim()).toHaveLength(1)
    expect(await queue.claim()).toEqual([])
    await letTimePass(db, 10.4)
    const [second, ...more] = await queue.claim()
    expect(more).toEqual([])
    expect(second && waitOf(second)).toBeLessThanOrEqual(100)
  })

  test('that is unlimited waits for nothing', async () => {
    await allow(Number.POSITIVE_INFINITY)
    await queue.add(tenant, lanes(60))
    const claimed = await queue.claim()
    expect(claimed).toHaveLength(60)
    expect(new Set(claimed.map((send) => send.slotMs))).toEqual(new Set([null]))
  })

  test('who misses its moment gets one behind the others; nobody does on a held number', async () => {
    await allow(0.1)
    await queue.add(tenant, ['ann', 'bob'])
    await queue.claim()
    const next = await takeSlot(db, tenant, '1', 0)
    const later = await takeSlot(db, tenant, '1', 0)
    expect((later?.slotMs ?? 0) - (next?.slotMs ?? 0)).toBeCloseTo(10_500, 0)
    const ahead = await takeSlot(db, tenant, '1', 60_000)
    expect((ahead?.slotMs ?? 0) - (ahead?.saidMs ?? 0)).toBeCloseTo(60_000, 0)
    expect(await isFree(db, tenant, '1')).toBe(true)
    await db.query(sql`select send_hold(${tenant}, '1', now() + interval '1 min')`)
    expect(await takeSlot(db, tenant, '1', 0)).toBeUndefined()
    expect(await isFree(db, tenant, '1')).toBe(false)
  })

  test('a moment that is given away while others are claimed is nobody else’s', async () => {
    await allow(10)
    await queue.add(tenant, ['ann'])
    let claiming: Promise<ClaimedSend[]> | undefined
    const taken = await db.transaction(async (tx) => {
      const slot = await takeSlot(tx, tenant, '1', 0)
      claiming = queue.claim()
      await until('the claim waits for the number', async () => {
        const waiting = await db.query(sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%send_claim%'`)
        return waiting.length > 0
      })
      return slot
    })
    const [ann] = (await claiming) ?? []
    expect((ann?.slotMs ?? 0) - (taken?.slotMs ?? 0)).toBeGreaterThanOrEqual(104)
  })

  test('never makes one too many in any second, posted up to 50 ms late', async () => {
    const gaps = await db.query(sql<{ rate: number; gap: number }>`
      select rate, extract(epoch from send_gap(rate))::float8 * 1000 as gap
      from unnest(array[1, 2, 5, 20, 80, 999, 1000]::float8[]) as rate
      order by rate`)
    fc.assert(
      fc.property(
        fc.constantFrom(...gaps),
        // How long nobody asks, and how late each is posted.
        fc.array(fc.tuple(fc.nat(300), fc.double({ min: 0, max: 49.9, noNaN: true })), {
          minLength: 1,
          maxLength: 200,
        }),
        ({ rate, gap }, sends) => {
          let pacedUntil = 0
          let now = 0
          const posts = sends
            .map(([pause, late]) => {
              now = Math.max(now + (pause > 250 ? pause : 0), pacedUntil - 200)
              const slot = Math.max(pacedUntil, now)
              pacedUntil = slot + gap
              return slot + late
            })
            .sort((a, b) => a - b)
          for (const [index, at] of posts.entries()) {
            const tooMany = posts[index + rate]
            if (tooMany !== undefined) expect(tooMany - at).toBeGreaterThan(1000)
          }
        },
      ),
      { numRuns: times(200) },
    )
  })
})

describe('one contact', () => {
  const sendOne = async (): Promise<ClaimedSend[]> => {
    const claimed = await queue.claim()
    await queue.settle(claimed)
    return claimed
  }

  test('gets 45 at once and then one in 6 s, while others are not kept waiting', async () => {
    await allow(100_000)
    // In turns of their own, so that one claim takes them all: the six seconds go on meanwhile.
    await queue.add(tenant, lanes(42), { payload: { to: 'ann' } })
    expect(await sendOne()).toHaveLength(42)
    await queue.add(
      tenant,
      Array.from({ length: 8 }, () => 'ann'),
    )
    for (let count = 43; count <= 45; count++) expect(await sendOne()).toHaveLength(1)
    expect(await sendOne()).toEqual([])

    await queue.add(tenant, ['bob'])
    expect((await sendOne()).map((send) => send.lane)).toEqual(['bob'])
    await letTimePass(db, 6)
    expect((await sendOne()).map((send) => send.lane)).toEqual(['ann'])
    expect(await sendOne()).toEqual([])
    // What nobody used for long may come at once again, up to 45.
    await letTimePass(db, 12)
    expect(await sendOne()).toHaveLength(1)
    expect(await sendOne()).toHaveLength(1)
    expect(await sendOne()).toEqual([])
  })

  test('counts under whichever turn of the queue it is sent, and each number for itself', async () => {
    await allow(100_000)
    await allow(100_000, '2')
    const payload = { to: '+16505550143' }
    await queue.add(tenant, lanes(50), { payload })
    await queue.add(tenant, lanes(3), { payload, phoneNumberId: '2' })
    const claimed = [...(await queue.claim()), ...(await queue.claim())]
    expect(claimed.filter((send) => send.phoneNumberId === '1')).toHaveLength(45)
    expect(claimed.filter((send) => send.phoneNumberId === '2')).toHaveLength(3)
  })

  test('of whom Meta says that it is enough gets one in 6 s from then on', async () => {
    await allow(100_000)
    await queue.add(tenant, ['ann', 'ann', 'ann', 'bob'])
    const claimed = await queue.claim()
    const ann = claimed.filter((send) => send.lane === 'ann')
    await queue.settle(claimed.filter((send) => send.lane === 'bob'))
    await queue.hear(ann, { limitedPair: 'ann' })
    await letTimePass(db, 0.1)
    expect(await sendOne()).toHaveLength(1)
    expect(await sendOne()).toEqual([])
  })
})

describe('after a throttle answer', () => {
  const throttle = async (sends: ClaimedSend[], until = new Date(Date.now() + 10_000)) =>
    (await queue.hear(sends, { throttledUntil: until })).map(({ change }) => change)

  test('the rate is halved, once for all calls that were under way, and grows back', async () => {
    await allow(80)
    await queue.add(tenant, lanes(3))
    const [first, ...others] = await queue.claim()
    if (!first) throw new Error('nothing was claimed')
    expect(await throttle([first])).toEqual(['slowed'])
    expect(await throttle(others)).toEqual([])
    expect((await numberOf()).rate).toBe(40)

    await letTimePass(db, 10 + 30)
    const { rate } = await numberOf()
    expect(rate).toBeGreaterThanOrEqual(60)
    expect(rate).toBeLessThan(75)
    await letTimePass(db, 3600)
    expect((await numberOf()).rate).toBe(80)
  })

  test('again and again it is halved again and again, but never to nothing', async () => {
    await allow(8)
    for (const [index, rate] of [4, 2, 1, 1].entries()) {
      await queue.add(tenant, [`lane-${index}`])
      await letTimePass(db, 5)
      const claimed = await queue.claim()
      expect(claimed).toHaveLength(1)
      await throttle(claimed)
      expect((await numberOf()).rate).toBe(rate)
    }
  })
})

describe('a limit that numbers share', () => {
  async function connect(of: string, number: string, wabaId: string, appId: string | null) {
    await db.query(sql`
      insert into whatsapp_accounts
        (id, tenant_id, waba_id, phone_number_id, display_phone_number, app_id, access_token, created_at, updated_at)
      values (gen_random_uuid(), ${of}, ${wabaId}, ${number}, '+1', ${appId}, 'sealed', now(), now())`)
  }
  const until = () => new Date(Date.now() + 60_000)

  test.each([
    ['waba', ['mine', 'same-waba']],
    ['app', ['mine', 'same-waba', 'same-app']],
  ] as const)('of the %s holds and slows down these, whosever they are', async (scope, held) => {
    const [other, third] = [await insertTenant(db), await insertTenant(db)]
    const name = (number: string) => `${number}-${tenant}`
    const [waba, app] = [`waba-${tenant}`, `app-${tenant}`]
    const owners = { mine: tenant, 'same-waba': other, 'same-app': third, stranger: third }
    await connect(tenant, name('mine'), waba, app)
    await connect(other, name('same-waba'), waba, app)
    await connect(third, name('same-app'), 'elsewhere', app)
    await connect(third, name('stranger'), 'elsewhere', 'another app')
    for (const [number, owner] of Object.entries(owners)) {
      await queue.add(owner, ['ann'], { phoneNumberId: name(number) })
    }
    const call = { tenantId: tenant, phoneNumberId: name('mine'), attemptId: randomUUID() }
    const changes = await db.transaction((tx) => holdShared(tx, call, scope, until()))
    expect(changes.map((one) => one.phoneNumberId).sort()).toEqual(held.map(name).sort())
    // The same news again, from calls that were under way at the same time.
    expect(await db.transaction((tx) => holdShared(tx, call, scope, until()))).toEqual([])

    const claimed = (await queue.claim()).map((send) => send.phoneNumberId)
    const free = Object.keys(owners).filter(
      (number) => !(held as readonly string[]).includes(number),
    )
    expect(claimed.sort()).toEqual(free.map(name).sort())
    expect((await numberOf(name('mine'))).rate).toBe(40)

    await makeDue(db)
    expect((await queue.claim()).map((send) => send.phoneNumberId).sort()).toEqual(
      held.map(name).sort(),
    )
  })
})

describe('what Meta says about throughput', () => {
  test('is heard, by the number or by what people see of it', async () => {
    await db.query(sql`
      insert into whatsapp_accounts
        (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token, created_at, updated_at)
      values (gen_random_uuid(), ${tenant}, 'waba', ${`by-id-${tenant}`}, '+1 555-0101', 'sealed', now(), now()),
        (gen_random_uuid(), ${tenant}, 'waba', ${`by-digits-${tenant}`}, '+1 555-0102', 'sealed', now(), now())`)
    await heedThroughput(db, [
      {
        tenantId: tenant,
        wabaId: 'waba',
        phoneNumberId: null,
        field: 'phone_number_quality_update',
        event: 'THROUGHPUT_UPGRADE',
        content: { display_phone_number: '15550102' },
      },
      {
        tenantId: tenant,
        wabaId: 'waba',
        phoneNumberId: `by-id-${tenant}`,
        field: 'smb_app_state_sync',
        event: null,
        content: {},
      },
    ])
    expect((await numberOf(`by-digits-${tenant}`)).rate).toBe(throughput.high)
    expect((await numberOf(`by-id-${tenant}`)).rate).toBe(throughput.coexistence)
  })

  test('is nothing in other notices', () => {
    expect(levelIn({ field: 'phone_number_quality_update', event: 'ONBOARDING' })).toBeUndefined()
    expect(levelIn({ field: 'account_update', event: 'THROUGHPUT_UPGRADE' })).toBeUndefined()
  })
})
