// The circuit breakers, as DESIGN has them: of a number, and of the host. The clock is the database's.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { letTimePass } from '../../test/support/queue.ts'
import { type WeatherHand, weatherHand } from '../../test/support/weather.ts'
import { type Db, sql } from '../db/connect.ts'
import { registerWorker } from '../queue/workers.ts'
import { claimSends, sweepAlarms } from './queue-queries.ts'
import type { Call } from './weather-queries.ts'

let db: Db
let queue: WeatherHand
let tenant: string

beforeAll(async () => {
  ;({ db } = await createTestDb())
  queue = await weatherHand(db)
})

beforeEach(async () => {
  await db.query(sql`update whatsapp_send_outbox set status = 'failed', attempt_id = null`)
  await db.query(sql`update send_host set circuit_open = false`)
  await db.query(sql`delete from send_calls`)
  await db.query(sql`delete from whatsapp_accounts`)
  tenant = await insertTenant(db)
  // Otherwise the pace is what would be seen here.
  await allowAnyPace(tenant, ['1', '2', '3', '4'])
})

async function allowAnyPace(tenantId: string, numbers: string[]): Promise<void> {
  for (const number of numbers) {
    await db.query(sql`select send_allow(${tenantId}, ${number}, 'infinity')`)
    await db.query(sql`
      insert into whatsapp_accounts
        (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token, created_at, updated_at)
      values (gen_random_uuid(), ${tenantId}, 'waba', ${`${tenantId} ${number}`}, '+1', 'sealed', now(), now())`)
  }
}

async function calls(count: number, verdict: Call['verdict'], number = '1') {
  const changes: string[] = []
  for (let index = 0; index < count; index++) {
    changes.push(...(await queue.call(tenant, number, verdict)).map(({ change }) => change))
  }
  return changes
}

const open = async () => expect(await calls(10, 'failed')).toEqual(['opened'])

describe('a number’s circuit', () => {
  test('opens with the tenth failure, and not before', async () => {
    expect(await calls(9, 'failed')).toEqual([])
    expect(await queue.call(tenant, '1', 'failed')).toEqual([
      { tenantId: tenant, phoneNumberId: '1', change: 'opened' },
    ])
  })

  test('opens when half of the calls fail, and not below', async () => {
    expect(await calls(9, 'answered')).toEqual([])
    expect(await calls(8, 'failed')).toEqual([])
    expect(await calls(1, 'failed')).toEqual(['opened'])
  })

  test('counts the last minute only', async () => {
    expect(await calls(9, 'failed')).toEqual([])
    await letTimePass(db, 61)
    expect(await calls(9, 'failed')).toEqual([])
    await letTimePass(db, 30)
    expect(await calls(1, 'failed')).toEqual(['opened'])
  })

  test('open, it is not claimed, and another number of the same tenant is', async () => {
    await open()
    await queue.add(tenant, ['ann', 'bob'])
    await queue.add(tenant, ['cid'], { phoneNumberId: '2' })
    expect((await queue.claim()).map((send) => send.phoneNumberId)).toEqual(['2'])
    // It is not for the net under the alarms either.
    await letTimePass(db, 60)
    expect(await sweepAlarms(db, 10)).toBe(0)
    expect(await queue.claim()).toEqual([])
  })

  test('half open after five minutes: exactly one trial, whoever claims', async () => {
    await open()
    await queue.add(tenant, ['ann', 'bob', 'cid', 'dan'])
    await letTimePass(db, 290)
    expect(await queue.claim()).toEqual([])
    await letTimePass(db, 11)
    const workers = await Promise.all([1, 2, 3, 4].map(() => registerWorker(db, 60)))
    const claimed = (
      await Promise.all(workers.map((worker) => claimSends(db, worker, 10, 10)))
    ).flat()
    expect(claimed).toHaveLength(1)
    await letTimePass(db, 60)
    expect(await queue.claim()).toEqual([])

    expect(await queue.hear(claimed, { verdict: 'answered' })).toEqual([
      { tenantId: tenant, phoneNumberId: '1', change: 'closed' },
    ])
    expect(await queue.claim()).toHaveLength(3)
  })

  test('stays open for another five minutes when the trial fails', async () => {
    await open()
    await queue.add(tenant, ['ann', 'bob'])
    await letTimePass(db, 301)
    const trial = await queue.claim()
    expect(await queue.hear(trial, { verdict: 'unreachable' })).toMatchObject([
      { change: 'stays_open' },
    ])
    await letTimePass(db, 290)
    expect(await queue.claim()).toEqual([])
    await letTimePass(db, 11)
    expect(await queue.claim()).toHaveLength(1)
  })

  test('is not closed by an answer to a call from before it opened', async () => {
    await queue.add(tenant, ['early'])
    const early = await queue.claim()
    await open()
    expect(await queue.hear(early, { verdict: 'answered' })).toEqual([])
    await queue.add(tenant, ['ann'])
    expect(await queue.claim()).toEqual([])
  })

  test('closed, it starts to count anew', async () => {
    await open()
    await queue.add(tenant, ['ann'])
    await db.query(sql`update send_numbers set trial_at = now(), next_at = now()`)
    await db.query(sql`update send_tenants set next_at = now()`)
    await queue.hear(await queue.claim(), { verdict: 'answered' })
    expect(await calls(9, 'failed')).toEqual([])
  })
})

describe('the host’s circuit', () => {
  /** In turns. */
  const hostChanges = async (numbers: string[], verdict: Call['verdict'], count: number) => {
    const changes: string[] = []
    for (let index = 0; index < count; index++) {
      const heard = await queue.call(tenant, numbers[index % numbers.length] as string, verdict)
      changes.push(...heard.filter((one) => one.tenantId === null).map(({ change }) => change))
    }
    return changes
  }
  const isOpen = async () => {
    const [row] = await db.query(sql<{ open: boolean }>`select circuit_open as open from send_host`)
    return row?.open
  }
  /** Before the circuits of the numbers themselves. */
  const openHost = async () =>
    expect(await hostChanges(['1', '2', '3'], 'unreachable', 10)).toEqual(['opened'])

  test('opens when three numbers reach nobody, and then nobody is claimed', async () => {
    await openHost()
    const other = await insertTenant(db)
    await queue.add(other, ['ann'])
    await queue.add(tenant, ['bob'], { phoneNumberId: '4' })
    expect(await queue.claim()).toEqual([])
  })

  test('stays closed while it is two of several numbers', async () => {
    expect(await hostChanges(['1', '2'], 'unreachable', 16)).toEqual([])
    expect(await isOpen()).toBe(false)
  })

  test('opens for two when these are all there are', async () => {
    await db.query(
      sql`delete from whatsapp_accounts where phone_number_id like '%3' or phone_number_id like '%4'`,
    )
    expect(await hostChanges(['1', '2'], 'unreachable', 10)).toEqual(['opened'])
  })

  test('stays closed when three numbers are answered badly, but answered', async () => {
    expect(await hostChanges(['1', '2', '3'], 'failed', 18)).toEqual([])
  })

  test('stays closed while less than half of all calls reach nobody', async () => {
    await hostChanges(['4'], 'answered', 13)
    expect(await hostChanges(['1', '2', '3'], 'unreachable', 12)).toEqual([])
  })

  test('half open: one trial in all, and one answer closes it', async () => {
    await openHost()
    const other = await insertTenant(db)
    await queue.add(tenant, ['ann', 'bob'], { phoneNumberId: '4' })
    await queue.add(other, ['cid', 'dan'])
    await letTimePass(db, 301)
    const workers = await Promise.all([1, 2, 3, 4].map(() => registerWorker(db, 60)))
    const claimed = (
      await Promise.all(workers.map((worker) => claimSends(db, worker, 10, 10)))
    ).flat()
    expect(claimed).toHaveLength(1)
    expect(await queue.hear(claimed, { verdict: 'unreachable' })).toMatchObject([
      { tenantId: null, change: 'stays_open' },
    ])
    expect(await queue.claim()).toEqual([])

    await letTimePass(db, 301)
    const again = await queue.claim()
    expect(again).toHaveLength(1)
    // Even a bad answer is one of the host.
    expect(await queue.hear(again, { verdict: 'failed' })).toMatchObject([
      { tenantId: null, change: 'closed' },
    ])
    expect(await queue.claim()).toHaveLength(2)
  })
})
