import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../../test/support/gateway.ts'
import { payload, statusUpdate, textMessage } from '../../test/support/payloads.ts'
import { seedPerson } from '../../test/support/people.ts'
import { againAndAgain } from '../again-and-again.ts'
import { sql } from '../db/connect.ts'
import { type Clock, systemClock } from '../time-and-chance.ts'
import { createRetention, type RetentionOptions, retentionJob } from './retention.ts'

const dayMs = 24 * 60 * 60 * 1000
let movedMs = 0
const clock: Clock = {
  ...systemClock,
  now: () => new Date(systemClock.now().getTime() + movedMs),
}
const config = {
  dedupeTtlDays: 7,
  traceTtlDays: 5,
  payloadRetentionDays: 30,
  eventRetentionDays: 7,
}
let gateway: TestGateway
let tenant: TestTenant
let sequence = 0

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

beforeEach(async () => {
  movedMs = 0
  await gateway.db.query(sql`truncate whatsapp_webhook_events, whatsapp_webhook_dedupe, dead_letters,
    whatsapp_inbound_traces, whatsapp_messages, whatsapp_message_statuses, whatsapp_send_outbox, send_attempts,
    whatsapp_media, whatsapp_media_handles`)
})

const retention = (more: Partial<RetentionOptions> = {}) =>
  createRetention({ db: gateway.runtime.db.work, clock, log: gateway.runtime.log, config, ...more })

async function receive(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await gateway.deliver(payload({ messages: [textMessage(`wamid.kept${++sequence}`, 'x')] }))
  }
  await gateway.drain()
}

// The gateway shares its own latencies every other second, whenever that is: how many are removed says nothing here.
const nothing = {
  dedupe_keys: 0,
  event_keys: 0,
  traces: 0,
  payloads: 0,
  idempotency_keys: 0,
  sends: 0,
  // The gateway itself shares some every few seconds.
  latencies: expect.any(Number),
  tenant_latencies: expect.any(Number),
  history: 0,
  paces: 0,
  expired_deliveries: 0,
  events: 0,
  event_attempts: 0,
  sessions: 0,
  sign_in_traces: 0,
}

interface Left {
  keys: number
  traces: number
  event_keys: number
  payloads: number
}

async function left(): Promise<Left> {
  const [row] = await gateway.db.query(sql<Left>`
    select (select count(*) from whatsapp_webhook_dedupe)::int as keys,
      (select count(*) from whatsapp_inbound_traces)::int as traces,
      count(*) filter (where body_sha256 is not null or single_item_of is not null)::int as event_keys,
      count(*) filter (where octet_length(raw) > 0 and payload is not null and pruned_at is null)::int as payloads
    from whatsapp_webhook_events`)
  return row as Left
}

describe('retention', () => {
  test('removes each thing after its own time, and nothing before', async () => {
    await receive(2)
    const { runOnce } = retention()

    movedMs = 5 * dayMs - 60_000
    expect(await runOnce()).toEqual(nothing)
    movedMs = 5 * dayMs + 60_000
    expect(await runOnce()).toEqual({ ...nothing, traces: 2 })
    movedMs = 7 * dayMs + 60_000
    expect(await runOnce()).toEqual({ ...nothing, dedupe_keys: 2, event_keys: 2 })
    movedMs = 30 * dayMs + 60_000
    expect(await runOnce()).toEqual({ ...nothing, payloads: 2 })

    expect(await left()).toEqual({
      keys: 0,
      traces: 0,
      event_keys: 0,
      payloads: 0,
    })
    const [event] = await gateway.db.query(sql<{ raw: Buffer; outcome: object; status: string }>`
      select raw, outcome, status from whatsapp_webhook_events where pruned_at is not null limit 1`)
    expect(event?.raw).toHaveLength(0)
    expect(event).toMatchObject({
      status: 'done',
      outcome: { [tenant.id]: { received: 1, messages: 1 } },
    })
    const messages = await gateway.call('GET', '/api/whatsapp/messages', { key: tenant.key })
    expect(messages.json.data).toHaveLength(2)
  })

  test('a webhook that comes again after its keys are gone still has no second effect', async () => {
    const again = payload({ messages: [textMessage('wamid.again', 'x')] })
    const status = payload({ statuses: [statusUpdate('wamid.again', 'read')] })
    await gateway.deliver(again)
    await gateway.deliver(status)
    await gateway.drain()
    movedMs = 8 * dayMs
    await retention().runOnce()

    await gateway.deliver(again)
    await gateway.deliver(status)
    await gateway.drain()

    const rows = await gateway.db.query(sql<{ outcome: object }>`
      select outcome -> ${tenant.id}::text -> 'duplicates' as outcome
      from whatsapp_webhook_events
      order by id`)
    expect(rows.map((row) => row.outcome)).toEqual([0, 0, 1, 1])
    const messages = await gateway.call('GET', '/api/whatsapp/messages', { key: tenant.key })
    expect(messages.json.data).toHaveLength(1)
  })

  test('works in small batches and leaves the rest for the next run', async () => {
    await receive(8)
    movedMs = 31 * dayMs
    const { runOnce } = retention({ batchRows: 3, maxBatches: 2 })

    expect(await runOnce()).toEqual({
      ...nothing,
      dedupe_keys: 6,
      event_keys: 6,
      traces: 6,
      payloads: 6,
    })
    expect(await left()).toEqual({
      keys: 2,
      traces: 2,
      event_keys: 2,
      payloads: 2,
    })
    expect(await runOnce()).toEqual({
      ...nothing,
      dedupe_keys: 2,
      event_keys: 2,
      traces: 2,
      payloads: 2,
    })
    expect(await runOnce()).toEqual(nothing)
  })

  test('what an earlier process did not get to is found by the next', async () => {
    await receive(4)
    movedMs = 8 * dayMs
    await retention({ batchRows: 1, maxBatches: 1 }).runOnce()
    expect(await retention({ batchRows: 2 }).runOnce()).toMatchObject({ event_keys: 3 })
  })

  test('keeps the payload while a dead letter of it is open, and the dead letter for ever', async () => {
    await gateway.deliver('{ not json')
    await gateway.deliver(payload({ messages: [textMessage('wamid.fine', 'x')] }))
    await gateway.drain()
    movedMs = 400 * dayMs
    expect(await retention().runOnce()).toMatchObject({ payloads: 1 })
    const [kept] = await gateway.db.query(sql<{ raw: Buffer }>`
      select raw from whatsapp_webhook_events where pruned_at is null`)
    expect(kept?.raw.toString()).toBe('{ not json')

    await gateway.db.query(sql`
      update dead_letters set state = 'discarded', decided_at = now(), decided_by = 'test'`)
    expect(await retention().runOnce()).toMatchObject({ payloads: 1 })
    const [letter] = await gateway.db.query(sql<{ raw: Buffer }>`select raw from dead_letters`)
    expect(letter?.raw.toString()).toBe('{ not json')
  })

  test('events that are not done keep their payload', async () => {
    await gateway.deliver(payload({ messages: [textMessage('wamid.waiting', 'x')] }))
    movedMs = 400 * dayMs
    expect(await retention().runOnce()).toMatchObject({ payloads: 0, event_keys: 1 })
    await gateway.drain()
    expect(await retention().runOnce()).toMatchObject({ payloads: 0 })
  })

  test('what was sent goes after its time, what was keyed after two days, what died never', async () => {
    const send = (key: string) =>
      gateway.call('POST', '/api/whatsapp/meta/send', {
        key: tenant.key,
        body: {
          to: '16505550143',
          type: 'template',
          template: { name: 'hello', language: { code: 'en' } },
        },
        headers: { 'idempotency-key': key },
      })
    await send('one')
    await send('two')
    await gateway.db.query(sql`
      update whatsapp_send_outbox
      set status = case when lane_head then 'done' else 'failed' end, lane_head = false`)
    await gateway.db.query(sql`
      insert into send_attempts (id, tenant_id, outbox_id, worker_id)
      select gen_random_uuid(), tenant_id, id, 1 from whatsapp_send_outbox`)
    const attempts = async () => {
      const [row] = await gateway.db.query(
        sql<{ count: number }>`select count(*)::int as count from send_attempts`,
      )
      return row?.count
    }
    const { runOnce } = retention()

    movedMs = 2 * dayMs + 60_000
    expect(await runOnce()).toMatchObject({ idempotency_keys: 2, sends: 0 })
    expect(await attempts()).toBe(2)
    movedMs = 30 * dayMs + 60_000
    expect(await runOnce()).toMatchObject({ sends: 1 })
    expect(await attempts()).toBe(1)
    movedMs = 300 * dayMs
    expect(await runOnce()).toMatchObject({ sends: 0 })
  })

  test('what a number owed to a contact is forgotten a day after it was paid', async () => {
    const now = clock.now()
    await gateway.db.query(sql`
      insert into send_pairs (tenant_id, phone_number_id, pair, paced_until)
      values (${tenant.id}, '1', 1, ${now}), (${tenant.id}, '1', 2, ${new Date(now.getTime() + dayMs)})`)
    await gateway.db.query(sql`
      insert into send_calls values (${tenant.id}, '1', 1, ${now}, 1, 0, 0)`)
    const startMs = movedMs
    movedMs = startMs + dayMs + 1000
    expect(await retention().runOnce()).toMatchObject({ paces: 1 })
    const left = await gateway.db.query(sql`
      select (select count(*) from send_pairs)::int as pairs, (select count(*) from send_calls)::int as calls`)
    expect(left).toEqual([{ pairs: 1, calls: 0 }])
    movedMs = startMs + 2 * dayMs + 1000
    expect(await retention().runOnce()).toMatchObject({ paces: 1 })
  })

  test('latencies are forgotten when health no longer looks back at them', async () => {
    const processId = '00000000-0000-7000-8000-00000000abcd'
    const nowMs = clock.now().getTime()
    const [old, recent] = [new Date(nowMs - 4 * 3_600_000), new Date(nowMs - 3_600_000)]
    await gateway.db.query(sql`
      insert into recent_latencies (slot, kind, process_id, bucket, count)
      values (${old}, 'ack', ${processId}, 1, 1), (${recent}, 'ack', ${processId}, 1, 1)`)
    await retention().runOnce()
    const left = await gateway.db.query(
      sql`select slot from recent_latencies where process_id = ${processId}`,
    )
    expect(left).toEqual([{ slot: recent }])
  })

  test('sessions go a month after they were last used, wrong passwords a day after they were given', async () => {
    const person = await seedPerson(gateway.db, { role: 'agent', tenantId: tenant.id })
    await gateway.db.query(sql`
      insert into sign_in_failures values (${Buffer.alloc(32)}, 3, now(), now())`)
    const startMs = movedMs
    movedMs = startMs + dayMs + 60_000
    expect(await retention().runOnce()).toMatchObject({ sessions: 0, sign_in_traces: 1 })
    movedMs = startMs + 32 * dayMs
    expect(await retention().runOnce()).toMatchObject({ sessions: 1, sign_in_traces: 1 })
    const left = await gateway.db.query(sql`
      select (select count(*) from sessions)::int as sessions, (select count(*) from person_links)::int as links,
        (select count(*) from people where email = ${person.email})::int as people`)
    expect(left).toEqual([{ sessions: 0, links: 0, people: 1 }])
  })

  test('one process does it at a time', async () => {
    await receive(1)
    movedMs = 31 * dayMs
    await gateway.db.session(async (session) => {
      await session.query(sql`select pg_advisory_lock(7215304)`)
      expect(await retention().runOnce()).toBeUndefined()
      await session.query(sql`select pg_advisory_unlock(7215304)`)
    })
    expect(await retention().runOnce()).toMatchObject({ payloads: 1 })
  })

  test('runs every minute until it is stopped, whatever goes wrong, and says what it removed', async () => {
    const waits: { ms: number; wake: () => void }[] = []
    let waiting: (() => void) | undefined
    const steered: Clock = {
      ...clock,
      after: (ms, wake) => {
        waits.push({ ms, wake })
        waiting?.()
        return () => undefined
      },
    }
    const nextWait = () =>
      new Promise<void>((resolve) => {
        waiting = resolve
      })
    await receive(1)
    movedMs = 31 * dayMs
    let fails = true
    const { log } = gateway.runtime
    const db = {
      ...gateway.runtime.db.work,
      session: ((work) => {
        if (fails) return Promise.reject(new Error('out of luck'))
        return gateway.runtime.db.work.session(work)
      }) as typeof gateway.runtime.db.work.session,
    }
    let wait = nextWait()
    const running = againAndAgain({
      ...retentionJob({ db, clock: steered, log, config }),
      clock: steered,
      log,
    })
    await wait
    expect(gateway.logText()).toContain('retention_failed')
    expect((await left()).payloads).toBe(1)

    fails = false
    wait = nextWait()
    waits.at(-1)?.wake()
    await wait
    expect((await left()).payloads).toBe(0)
    // What failed comes again sooner.
    expect(waits.map(({ ms }) => ms)).toEqual([30_000, 60_000])
    const lines = gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes('retention_removed'))
    expect(lines.map((line) => JSON.parse(line).kind)).toContain('payloads')
    await running.stop()
  })
})
