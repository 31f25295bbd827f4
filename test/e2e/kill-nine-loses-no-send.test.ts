// I3 and I4 from outside: workers are killed in the middle of their sends, and every message is sent once, in its order.
// Meta's own ledger is the judge.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Simulator } from '../../simulator/server.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { inboxDefaults } from '../../src/inbox/inbox.ts'
import { seed } from '../support/chance.ts'
import { createTestDb } from '../support/database.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../support/program.ts'
import { keepInboxSteady, makeDue } from '../support/queue.ts'
import { seeded } from '../support/seeded.ts'
import { type LoadedFirm, startSendLoad } from '../support/send-load.ts'
import { registerNumber, startQuietSimulator } from '../support/sending.ts'

const rounds = 2
const cap = 3
/** The bound for what is in the hands of a worker that dies. */
const stuckSeconds = 30

/** Workers that are started and killed together. */
interface Gang {
  programs: GatewayProgram[]
  /** Under which they hold what they send. */
  ids: string[]
}

let simulator: Simulator
let db: Db
let databaseUrl: string
let api: GatewayProgram
const firms: LoadedFirm[] = []

const start = (environment: Record<string, string>) =>
  startGatewayProgram({
    DATABASE_URL: databaseUrl,
    META_GRAPH_URL: simulator.url,
    MAX_CONCURRENCY_PER_TENANT: String(cap),
    // Long enough for Meta's statuses, which come at once here.
    RECONCILE_SECONDS: '3',
    ...environment,
  })

const workerIds = async () =>
  (await db.query(sql<{ id: string }>`select id from send_workers`)).map((row) => row.id)

async function startGang(size: number): Promise<Gang> {
  const before = new Set(await workerIds())
  const programs = await Promise.all(Array.from({ length: size }, () => start({ ROLES: 'worker' })))
  const ids = await until('they have their leases', async () => {
    const fresh = (await workerIds()).filter((id) => !before.has(id))
    return fresh.length === size && fresh
  })
  return { programs, ids }
}

beforeAll(async () => {
  ;({ url: databaseUrl, db } = await createTestDb())
  simulator = await startQuietSimulator()
  api = await start({ ROLES: 'api' })
  simulator.setWebhook({ url: `${api.url}/api/webhooks/meta/whatsapp`, retry_delays: [1000, 1000] })
  for (const name of ['one', 'two', 'three', 'four']) {
    const number = { waba_id: `waba-${name}`, phone_number_id: `number-${name}` }
    const { key } = await api.createTenant(`Firm ${name}`, number)
    const phoneNumberId = number.phone_number_id
    registerNumber(simulator, { wabaId: number.waba_id, phoneNumberId, accessToken: 'a-token' })
    const customers = Array.from({ length: 6 }, (_, index) => String(16505550100 + index))
    const timestamp = String(Math.floor(Date.now() / 1000))
    const messages = customers.map((from) =>
      textMessage(`wamid.${name}-${from}`, 'hello', { from, timestamp }),
    )
    await api.deliver(payload({ number, messages }))
    firms.push({ key, phoneNumberId, customers })
  }
})

/** Sends that they have in their hands. */
async function heldBy({ ids }: Gang): Promise<number> {
  const rows = await db.query(sql`
    select from whatsapp_send_outbox where status = 'running' and worker_id = any(${ids}::bigint[])`)
  return rows.length
}

/** In the middle of their sends: they are stopped first, so that one can see that it hits something. */
async function kill(gang: Gang): Promise<void> {
  const { programs } = gang
  await until('they have something in their hands', async () => {
    for (const { pid } of programs) process.kill(pid, 'SIGSTOP')
    if ((await heldBy(gang)) > 0) return true
    for (const { pid } of programs) process.kill(pid, 'SIGCONT')
    return false
  })
  const exits = await Promise.all(programs.map((program) => program.end('SIGKILL')))
  expect(new Set(exits.map((exit) => exit.signal))).toEqual(new Set(['SIGKILL']))
}

/** Time passes for the leases of these alone, until they have so much left of it. */
async function shortenLeases({ ids }: Gang, leftSeconds: number): Promise<void> {
  const cut = await db.query(sql<{ seconds: number }>`
    with before as (select id, alive_until from send_workers where id = any(${ids}::bigint[]) for update)
    update send_workers w set alive_until = now() + make_interval(secs => ${leftSeconds})
    from before b
    where w.id = b.id
    returning extract(epoch from b.alive_until - now())::float8 as seconds`)
  expect(cut).toHaveLength(ids.length)
  for (const { seconds } of cut) expect(seconds).toBeLessThanOrEqual(stuckSeconds)
}

/** Time passes for the webhooks that dead workers hold; what Meta has told is then processed. */
async function isHeard(): Promise<boolean> {
  await db.query(sql`
    update whatsapp_webhook_events
    set next_run_at = now()
    where status = 'processing' and next_run_at < now() + make_interval(secs => ${inboxDefaults.leaseSeconds - 2})`)
  await simulator.settled()
  return (await api.pendingCount()) === 0
}

/** What waits for evidence waits until all of Meta's reports are in, and then no longer. */
async function finish(lastKilled: Gang): Promise<void> {
  // By then Meta is done with the calls that were cut off.
  await until('the last dead are missed', async () => (await heldBy(lastKilled)) === 0)
  await until('everything is heard', isHeard)
  await until('nothing waits', async () => {
    await keepInboxSteady(db)
    await makeDue(db)
    const waiting = await db.query(sql`
      select from whatsapp_send_outbox where status in ('pending', 'running') limit 1`)
    return waiting.length === 0
  })
  await until('every report is heard', isHeard)
}

describe('kill -9 loses no send', () => {
  test(`I3 I4: workers are killed ${rounds} times under load (SEED=${seed})`, async () => {
    const fraction = seeded(seed)
    // One of the two always lives: what Meta reports meanwhile is to be heard.
    let [next, other] = [await startGang(2), await startGang(1)]
    await until('everybody wrote', async () => (await api.pendingCount()) === 0)
    // Half of the calls are cut off before Meta accepts, half after. A slow Meta keeps all hands full with few messages.
    simulator.setFault({ fault: 'slow', delay: 100, spread: 200, probability: 0.5 })
    simulator.setFault({ fault: 'slow', delay: 100, spread: 200, when: 'after_accepting' })
    const load = startSendLoad(api, db, firms, 40)

    for (let round = 1; round <= rounds; round++) {
      const goal = load.accepted.size + 20 + Math.floor(fraction() * 40)
      await until('more is accepted', () => load.accepted.size >= goal)
      await kill(next)
      // The last death is found out by the clock.
      await shortenLeases(next, round === rounds ? 3 : -1)
      if (round === rounds) break
      next = other
      other = await startGang(1)
    }
    await load.stop()
    await finish(next)

    const states = await db.query(sql<{ status: string; count: number }>`
      select status, count(*)::int as count from whatsapp_send_outbox group by status`)
    expect(states).toEqual([{ status: 'done', count: load.accepted.size }])
    const messages = await db.query(sql<{ status: string; wamid: string; body: string }>`
      select status, wamid, content #>> '{text,body}' as body
      from whatsapp_messages
      where direction = 'outbound'`)
    expect(new Set(messages.map((message) => message.status))).toEqual(new Set(['read']))
    expect(new Set(messages.map((message) => message.body))).toEqual(load.accepted)

    // Meta has each message under the name that we have for it, in the order in which they were accepted; and once, but
    // for those that were cut off after Meta accepted them and whose status was not read in time.
    const { sends } = simulator.ledger()
    const twice = simulator.acceptedTwice()
    expect(twice.by_callback_data).toEqual([])
    const doubled = new Set(twice.by_body.flatMap(({ wamids }) => wamids))
    expect(sends.length - doubled.size + twice.by_body.length).toBe(load.accepted.size)
    const cutOff = await db.query(sql<{ wamid: string }>`
      select m.wamid
      from send_attempts a
      join whatsapp_send_outbox o on o.tenant_id = a.tenant_id and o.id = a.outbox_id
      join whatsapp_messages m on m.tenant_id = o.tenant_id and m.id = o.message_id
      where a.error_message = 'the worker died'`)
    const excused = new Set(cutOff.map(({ wamid }) => wamid))
    for (const { wamids } of twice.by_body) {
      expect(wamids.some((wamid) => excused.has(wamid))).toBe(true)
    }
    const accepted = new Set(sends.map((send) => send.wamid))
    expect(messages.filter(({ wamid }) => !accepted.has(wamid))).toEqual([])
    for (const order of simulator.orderPerRecipient('text.body')) {
      expect(order.violations).toEqual([])
    }
    for (const most of Object.values(simulator.mostInFlight())) {
      expect(most).toBeLessThanOrEqual(cap)
    }

    // The kills hit something.
    expect(cutOff.length).toBeGreaterThan(0)
  })
})
