// I13 from outside: four workers share a number's pace, and Meta's word stops them all. When a call is made is noted where
// it leaves, in this process: how long it then takes to Meta's ledger is the machine's affair.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { holdAccount, releaseAccount } from '../../src/outbox/release.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from '../support/after-file.ts'
import { operatorKey, startTestGateway } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { letTimePass } from '../support/queue.ts'
import { type Firm, type Sending, startSending, template } from '../support/sending.ts'

let world: Sending

beforeAll(async () => {
  const environment = { ROLES: 'api,worker', MAX_CONCURRENCY_PER_TENANT: '20' }
  world = await startSending(environment, { clock: systemClock })
  const { db, databaseUrl } = world.gateway
  // Three more, each with its own connections and its own lease.
  for (let worker = 2; worker <= 4; worker++) {
    await startTestGateway({
      environment: { ...environment, META_GRAPH_URL: world.simulator.url, ROLES: 'worker' },
      clock: systemClock,
      database: { url: databaseUrl, db },
    })
  }
})

/** Also Meta counts, in any second. */
async function createFirm(name: string, rate: number): Promise<Firm> {
  const firm = await world.createFirm(name)
  await world.gateway.db.query(sql`select send_allow(${firm.id}, ${firm.phoneNumberId}, ${rate})`)
  return firm
}

/** To as many people. */
async function sendMany(firm: Firm, count: number): Promise<void> {
  const rest = Array.from({ length: count }, (_, index) => String(16505600000 + index))
  const takeTurns = async () => {
    for (let to = rest.shift(); to !== undefined; to = rest.shift()) {
      await world.send(firm, to, { type: 'template', template, text: undefined })
    }
  }
  await Promise.all(Array.from({ length: 16 }, takeTurns))
}

const postsOf = ({ phoneNumberId }: Firm) => world.simulator.ledger(phoneNumberId).requests

async function countOf({ id }: Firm, status: string): Promise<number> {
  const [row] = await world.gateway.db.query(sql<{ count: number }>`
    select count(*)::int as count from whatsapp_send_outbox where tenant_id = ${id} and status = ${status}`)
  return row?.count ?? 0
}

/** The moments at which calls for this number leave, in milliseconds. */
function watchPosts({ phoneNumberId }: Firm): number[] {
  const posts: number[] = []
  const note = (message: unknown) => {
    const { path } = (message as { request: { path: string } }).request
    if (path.endsWith(`/${phoneNumberId}/messages`)) posts.push(performance.now())
  }
  subscribe('undici:request:create', note)
  afterFile(async () => void unsubscribe('undici:request:create', note))
  return posts
}

async function workersOf({ id }: Firm): Promise<number> {
  const workers = await world.gateway.db.query(sql`
    select distinct worker_id from send_attempts where tenant_id = ${id}`)
  return workers.length
}

describe('four workers', () => {
  test('never post more than the number’s rate in any second', async () => {
    const rate = 40
    const firm = await createFirm('Firm Fast', rate)
    const posts = watchPosts(firm)
    let count = 0
    // More than two seconds' worth, and until it is not one worker alone.
    while (count < 100 || (await workersOf(firm)) < 2) {
      await sendMany(firm, 100)
      count += 100
      await until('all are sent', async () => (await countOf(firm, 'done')) === count)
    }

    expect(posts).toHaveLength(count)
    expect(postsOf(firm)).toHaveLength(count)
    for (const [index, at] of posts.entries()) {
      const oneTooMany = posts[index + rate]
      if (oneTooMany !== undefined) expect(oneTooMany - at).toBeGreaterThan(1000)
    }
  })

  test('after a throttle answer nothing is posted before the time Meta names, and then more slowly', async () => {
    const [limited, other] = [
      await createFirm('Firm Limited', 20),
      await createFirm('Firm Else', 80),
    ]
    const match = { phone_number_id: limited.phoneNumberId }
    world.fault({ fault: 'throttle', retry_after_seconds: 200, match, count: 1 })
    await sendMany(limited, 40)
    await until('it is held', async () => {
      const rows = await world.gateway.db.query(sql`
        select from send_numbers where tenant_id = ${limited.id} and hold_until > now()`)
      return rows.length > 0
    })
    await until('nothing is on its way', async () => (await countOf(limited, 'running')) === 0)

    // While others come and go, this number waits, though it is connected anew meanwhile.
    await letTimePass(world.gateway.db, 80)
    await world.gateway.db.transaction(async (tx) => {
      await holdAccount(tx, limited.id, limited.phoneNumberId, 'parked')
      await releaseAccount(tx, limited.id, limited.phoneNumberId, world.clock.now())
    })
    await sendMany(other, 10)
    await until('another number sends', async () => (await countOf(other, 'done')) === 10)
    expect(await countOf(limited, 'running')).toBe(0)
    // Since the word was heard, nobody has begun anything.
    const later = await world.gateway.db.query(sql`
      select
      from send_attempts a
      join send_numbers n on n.tenant_id = a.tenant_id
      where a.tenant_id = ${limited.id} and a.started_at > n.throttled_at`)
    expect(later).toEqual([])

    await letTimePass(world.gateway.db, 125)
    await until('all are sent', async () => (await countOf(limited, 'done')) === 40)
    const [slowed] = await world.gateway.db.query(sql<{ rate: number }>`
      select slowed_rate as rate from send_numbers where tenant_id = ${limited.id}`)
    expect(slowed?.rate).toBe(10)
  })
})

describe('a limit of the whole app', () => {
  test('holds every number of it, and they go on together', async () => {
    const [one, two] = [await createFirm('Firm One', 80), await createFirm('Firm Two', 80)]
    const match = { phone_number_id: one.phoneNumberId }
    world.fault({ fault: 'throttle', code: 4, retry_after_seconds: 200, match, count: 1 })
    await sendMany(one, 1)
    await until('it was answered', async () => postsOf(one).length === 1)
    await until('it is settled', async () => (await countOf(one, 'running')) === 0)
    await sendMany(two, 3)
    await letTimePass(world.gateway.db, 60)
    expect(await countOf(two, 'pending')).toBe(3)
    expect(postsOf(two)).toEqual([])

    await letTimePass(world.gateway.db, 145)
    await until(
      'both are sent',
      async () => (await countOf(one, 'done')) + (await countOf(two, 'done')) === 4,
    )
    expect(postsOf(two)).toHaveLength(3)
  })
})

describe('health', () => {
  test('knows of no open circuit in all this', async () => {
    const health = await world.gateway.call('GET', '/api/admin/whatsapp/health', {
      key: operatorKey,
    })
    expect(health.json.circuits_open).toEqual([])
  })
})
