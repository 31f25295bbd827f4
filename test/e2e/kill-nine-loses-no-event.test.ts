// A worker is killed while it tells what happened, another takes over: every event arrives, in the order of its
// conversation, and the application can tell a repeat by its id.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import { createTestDb } from '../support/database.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../support/program.ts'

const customers = Array.from({ length: 6 }, (_, index) => String(16505550300 + index))
const rounds = 2
const perRound = 4

let db: Db
let databaseUrl: string
let api: GatewayProgram
let app: EventReceiver

const start = (roles: string) =>
  startGatewayProgram({
    DATABASE_URL: databaseUrl,
    ROLES: roles,
    ALLOW_PRIVATE_TARGETS: '1',
    ALLOW_EMBEDDED: '1',
  })

const number = { waba_id: 'waba-told', phone_number_id: 'number-told' }

/** So many messages of everybody; returns their ids as Meta gives them. */
async function write(round: number): Promise<void> {
  for (let count = 0; count < perRound; count++) {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const messages = customers.map((from) =>
      textMessage(`wamid.${from}-${round}-${count}`, 'hello', { from, timestamp }),
    )
    expect((await api.deliver(payload({ number, messages }))).status).toBe(200)
  }
}

beforeAll(async () => {
  ;({ url: databaseUrl, db } = await createTestDb())
  app = await startEventReceiver()
  api = await start('api')
})

describe('kill -9 loses no event', () => {
  test(`of ${rounds * perRound * customers.length}, with ${rounds} workers killed in the middle of a call`, async () => {
    const { key } = await api.createTenant('Told', number)
    const created = await api.call('POST', '/api/whatsapp/event-endpoints', {
      key,
      body: { url: app.url, events: ['message.received'] },
    })
    expect(created.status).toBe(201)

    for (let round = 0; round < rounds; round++) {
      const worker = await start('worker')
      // Some are taken; then calls begin to hang, and the worker dies with them in its hands.
      const before = app.calls.length
      let isKilled = false
      app.react(() => ({ hangs: isKilled || app.calls.length > before + 5 }))
      await write(round)
      await until('calls hang', () => app.calls.length >= before + 8)
      isKilled = true
      await worker.end('SIGKILL')
      await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    }
    app.react({})
    const calls = app.calls.length
    await start('worker')
    await until('everything is told', async () => {
      const [row] = await db.query(sql<{ told: number }>`
        select count(*)::int as told from event_deliveries where status = 'done'`)
      return row?.told === rounds * perRound * customers.length
    })

    // As they were recorded: of webhooks that are processed at the same time any may be the first.
    const recorded = await db.query(sql<{ lane: string; ids: string[] }>`
      select data ->> 'conversation_id' as lane, array_agg(data ->> 'message_id' order by position) as ids
      from events
      where type = 'message.received'
      group by 1`)
    const [{ count } = { count: 0 }] = await db.query(
      sql<{ count: number }>`select count(*)::int as count from whatsapp_messages`,
    )
    expect(recorded.flatMap(({ ids }) => ids)).toHaveLength(count)
    const order = new Map<string, string[]>()
    for (const { event } of app.calls) {
      const { conversation_id: lane, message_id: id } = event.data
      const known = order.get(lane) ?? []
      // A repeat has the id of what it repeats, and comes before anything newer.
      if (known.at(-1) !== id) order.set(lane, [...known, id])
    }
    expect(order).toEqual(new Map(recorded.map(({ lane, ids }) => [lane, ids])))
    expect(app.calls.length).toBeGreaterThan(calls)
    const ids = app.calls.map((call) => call.headers['webhook-id'])
    expect(new Set(ids).size).toBe(rounds * perRound * customers.length)
    expect(ids.length).toBeGreaterThan(new Set(ids).size)
  })
})
