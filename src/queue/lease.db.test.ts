import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { createManualClock, type ManualClock } from '../../test/support/manual-clock.ts'
import { until } from '../../test/support/program.ts'
import { type Db, sql } from '../db/connect.ts'
import type { Log } from '../log.ts'
import { createLeaseKeeper, type LeaseKeeper } from './lease.ts'

/** In the database it runs out in real time: longer than any machine stands still. */
const leaseSeconds = 3_600

let db: Db
let clock: ManualClock
let leases: LeaseKeeper
let beats: number[]
let warnings: string[]

beforeEach(async () => {
  ;({ db } = await createTestDb())
  clock = createManualClock()
  beats = []
  warnings = []
  leases = createLeaseKeeper({
    db,
    clock,
    log: { warn: (event: string) => void warnings.push(event) } as unknown as Log,
    word: 'outbound',
    leaseSeconds,
    onBeat: async (count) => void beats.push(count),
  })
})

afterEach(() => leases.stop())

const workers = () =>
  db.query(sql<{ id: string; alive_until: Date }>`
    select id, alive_until from send_workers order by id`)

/** A third of the lease passes: the heart beats. */
async function beat(): Promise<void> {
  const before = beats.length
  await until('it waits for its next beat', () => clock.timers() > 0)
  clock.advance((leaseSeconds * 1000) / 3)
  await until('it beats', () => beats.length > before)
}

describe('the lease of a process', () => {
  test('is one, however many ask for it at once', async () => {
    const taken = await Promise.all([leases.take(), leases.take(), leases.take()])

    expect(new Set(taken.map((lease) => lease.workerId)).size).toBe(1)
    expect((await workers()).map((worker) => worker.id)).toEqual([taken[0]?.workerId])
    expect(await leases.take()).toBe(taken[0])
  })

  test('ends on this machine before it ends in the database', async () => {
    // Its beats are missed: nobody runs its timers.
    const asleep = createLeaseKeeper({
      db,
      clock: { ...clock, after: () => () => undefined },
      log: {} as Log,
      word: 'outbound',
      leaseSeconds,
      onBeat: async () => undefined,
    })
    const lease = await asleep.take()
    clock.advance((leaseSeconds - 2) * 1000 - 1)
    expect(lease.isHeld()).toBe(true)
    clock.advance(1)
    expect(lease.isHeld()).toBe(false)
    expect((await asleep.take()).workerId).not.toBe(lease.workerId)
  })

  test('is renewed by every beat', async () => {
    const lease = await leases.take()
    const [before] = await workers()
    for (let count = 0; count < 6; count++) await beat()

    expect(beats).toEqual([1, 2, 3, 4, 5, 6])
    expect(lease.isHeld()).toBe(true)
    const [after] = await workers()
    expect(after?.id).toBe(before?.id)
    expect(after?.alive_until.getTime()).toBeGreaterThan(before?.alive_until.getTime() ?? 0)
  })

  test('that others took for run out is lost, and the next one is another', async () => {
    const lease = await leases.take()
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    await beat()

    expect(lease.isHeld()).toBe(false)
    expect(warnings).toEqual(['outbound_lease_lost'])
    const next = await leases.take()
    expect(next.workerId).not.toBe(lease.workerId)
    expect(next.isHeld()).toBe(true)
    // An old one cannot be lost twice.
    leases.lose(lease)
    expect(next.isHeld()).toBe(true)
  })

  test('is given back at the end', async () => {
    await leases.take()
    await leases.stop()
    expect(await workers()).toEqual([])
  })

  test('is renewed however long it takes to mind what others left', async () => {
    let letGo: () => void = () => undefined
    const slow = createLeaseKeeper({
      db,
      clock,
      log: { warn: (event: string) => void warnings.push(event) } as unknown as Log,
      word: 'outbound',
      leaseSeconds,
      onBeat: (count) => {
        beats.push(count)
        return new Promise((resolve) => {
          letGo = resolve
        })
      },
    })
    const lease = await slow.take()
    await beat()
    for (let count = 0; count < 6; count++) {
      const untilMs = async () => (await workers())[0]?.alive_until.getTime() ?? 0
      const before = await untilMs()
      await until('it waits for its next beat', () => clock.timers() > 0)
      clock.advance((leaseSeconds * 1000) / 3)
      await until('it is renewed', async () => (await untilMs()) > before && lease.isHeld())
    }
    // One at a time.
    expect(beats).toEqual([1])
    letGo()
    await beat()
    expect(beats).toEqual([1, 2])
    const stopped = slow.stop()
    letGo()
    await stopped
  })

  test('a beat that fails is not the last', async () => {
    let isBroken = true
    const shaky = createLeaseKeeper({
      db,
      clock,
      log: { warn: (event: string) => void warnings.push(event) } as unknown as Log,
      word: 'outbound',
      leaseSeconds,
      onBeat: async (count) => {
        beats.push(count)
        if (isBroken) throw new Error('away')
      },
    })
    await shaky.take()
    await beat()
    isBroken = false
    await beat()
    expect(beats).toEqual([1, 2])
    expect(warnings).toEqual(['outbound_heartbeat_failed'])
    await shaky.stop()
  })
})
