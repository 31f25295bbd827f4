// SIGTERM under load: whoever was let in is answered, and another process takes over.
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { seed } from '../support/chance.ts'
import { createTestDb } from '../support/database.ts'
import { tenantANumber } from '../support/gateway.ts'
import { findFaults, startLoad } from '../support/load.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../support/program.ts'
import { eventRows, wamidsOf } from '../support/rows.ts'

describe('stopping', () => {
  let database: Awaited<ReturnType<typeof createTestDb>>
  let first: GatewayProgram
  let second: GatewayProgram

  beforeAll(async () => {
    database = await createTestDb()
    const start = () => startGatewayProgram({ DATABASE_URL: database.url })
    first = await start()
    second = await start()
    await first.createTenant('Firm A', tenantANumber)
  })

  test('a caller who connects and asks nothing does not hold it up', async () => {
    const third = await startGatewayProgram({ DATABASE_URL: database.url, ROLES: 'api' })
    const silent = connect(Number(new URL(third.url).port), '127.0.0.1')
    silent.on('error', () => undefined)
    await once(silent, 'connect')

    const exit = await third.end('SIGTERM')

    expect(exit).toEqual({ code: 0, signal: null })
    expect(third.logged('stopped_in_haste')).toEqual([])
  })

  test(`SIGTERM under load answers everything it let in and exits with 0 (SEED=${seed})`, async () => {
    let target = first.url
    const load = startLoad({ seed, target: () => target })
    await until('the load runs', () => load.acknowledged.size > 200)

    const exiting = first.end('SIGTERM')
    await until('nobody is let in any more', () => load.broken.length > 0)
    target = second.url
    const exit = await exiting

    const before = load.acknowledged.size
    await until('the other one takes over', () => load.acknowledged.size > before + 100)
    await load.stop()
    await until('nothing is pending', async () => (await second.pendingCount()) === 0)

    expect(exit).toEqual({ code: 0, signal: null })
    expect([...load.answers.keys()]).toEqual([200])
    // Everybody it let in was answered. Who still stood in the kernel's queue is reset, later ones are refused.
    const answered = [...first.logged('webhook_received'), ...first.logged('webhook_rejected')]
    expect(answered).toHaveLength(load.answeredBy.get(first.url) ?? 0)
    for (const { code } of load.broken) expect(['ECONNREFUSED', 'ECONNRESET']).toContain(code)
    expect(findFaults(load, await wamidsOf(database.db))).toEqual([])
    // Nothing was stored for somebody who was cut off before the answer.
    const received = [first, second].flatMap((program) => program.logged('webhook_received'))
    const told = new Set(received.map(({ eventId }) => eventId))
    const events = await eventRows(database.db)
    expect(events.filter(({ id }) => !told.has(id))).toEqual([])
    // What the first one had claimed it finished, or the second would have had to wait for the lease.
    expect(events.every(({ attempt }) => attempt === 1)).toBe(true)
    expect(first.logged('stopping')).toHaveLength(1)
    expect(first.logged('stopped')).toHaveLength(1)
    expect(first.logged('stopped_in_haste')).toEqual([])
  })
})
