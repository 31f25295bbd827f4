// I1 and I2 from outside: what was acknowledged is there once, whatever was killed and when.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { inboxDefaults } from '../../src/inbox/inbox.ts'
import { seed } from '../support/chance.ts'
import { tenantANumber } from '../support/gateway.ts'
import { findFaults, type Load, startLoad } from '../support/load.ts'
import {
  type GatewayProgram,
  type OwnPostgres,
  startGatewayProgram,
  startOwnPostgres,
  until,
} from '../support/program.ts'
import { wamidsOf } from '../support/rows.ts'
import { seeded } from '../support/seeded.ts'

const rounds = 3

let postgres: OwnPostgres
let gateway: GatewayProgram

/** The durability check of /readyz stays on: this server has to be a safe one. */
const start = () => startGatewayProgram({ DATABASE_URL: postgres.url, ALLOW_UNSAFE_DB: '0' })

beforeAll(async () => {
  postgres = await startOwnPostgres({})
  gateway = await start()
  await gateway.createTenant('Firm A', tenantANumber)
})

const acknowledges = (load: Load, more: number) => {
  const goal = load.acknowledged.size + more
  return until(`${goal} are acknowledged`, () => load.acknowledged.size >= goal)
}

/** Lets the leases of killed processes run out, which takes 20 s on the clock, and waits until nothing is pending. */
async function drain(): Promise<void> {
  // `now()` is the time of the question's beginning: a claim may have committed since, before the look.
  const [tooLong] = await postgres.db.query(sql<{ count: number }>`
    select count(*)::int as count
    from whatsapp_webhook_events
    where status = 'processing' and next_run_at > clock_timestamp() + make_interval(secs => ${inboxDefaults.leaseSeconds})`)
  expect(tooLong?.count).toBe(0)

  await until('nothing is pending', async () => {
    await postgres.db.query(sql`
      update whatsapp_webhook_events
      set next_run_at = now()
      where status = 'processing' and next_run_at < now() + make_interval(secs => ${inboxDefaults.leaseSeconds - 2})`)
    return (await gateway.pendingCount()) === 0
  })
  const states = await postgres.db.query(
    sql<{ status: string }>`select distinct status from whatsapp_webhook_events`,
  )
  expect(states).toEqual([{ status: 'done' }])
}

describe('kill -9 loses no acknowledged webhook', () => {
  test(`I1 I2: the gateway is killed ${rounds} times under load and restarted (SEED=${seed})`, async () => {
    const fraction = seeded(seed)
    let target: string | undefined = gateway.url
    const load = startLoad({ seed, target: () => target })

    for (let round = 0; round < rounds; round++) {
      await acknowledges(load, 20 + Math.floor(fraction() * 150))
      const killed = await gateway.end('SIGKILL')
      expect(killed.signal).toBe('SIGKILL')
      target = undefined
      gateway = await start()
      await until('it is ready', async () => (await gateway.call('GET', '/readyz')).status === 200)
      target = gateway.url
    }
    await acknowledges(load, 20)
    await load.stop()
    await drain()

    const stored = await wamidsOf(postgres.db)
    expect(findFaults(load, stored)).toEqual([])
    // Nothing but these: a machine that stands still may cost a 500, after which Meta sends again.
    expect([...load.answers.keys()].filter((status) => status !== 200 && status !== 500)).toEqual(
      [],
    )
    // Proof that the kills hit something: deliveries were cut off.
    expect(load.broken.length).toBeGreaterThan(0)
  })

  test(`I1 I2: Postgres itself is killed under load; the same gateway goes on (SEED=${seed})`, async () => {
    const load = startLoad({ seed: seed + 1, target: () => gateway.url })
    const before = await wamidsOf(postgres.db)

    await acknowledges(load, 100)
    await postgres.crash()
    await until('a delivery is answered with 500', () => load.answers.get(500))
    await postgres.startAgain()
    await acknowledges(load, 100)
    await load.stop()
    await drain()

    const known = new Set(before)
    const stored = (await wamidsOf(postgres.db)).filter((wamid) => !known.has(wamid))
    expect(findFaults(load, stored)).toEqual([])
    expect([...load.answers.keys()].sort()).toEqual([200, 500])
    expect(load.broken).toEqual([])
  })

  test('the check would notice a lost, a doubled and an invented message', () => {
    const record = { acknowledged: ['a', 'b'], sent: new Set(['a', 'b', 'c']) }

    expect(findFaults(record, ['a', 'b', 'c'])).toEqual([])
    expect(findFaults(record, ['b', 'b', 'd'])).toEqual(['lost a', 'doubled b', 'invented d'])
  })
})
