// F15 from outside: Meta is down for two minutes, the gateway is killed meanwhile, and in the end every message is sent
// once. Meta's own ledger is the judge. The two minutes and the breaker's five are taken off the queue's clock.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Simulator } from '../../simulator/server.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { claimSends, reapWorkers } from '../../src/outbox/queue-queries.ts'
import { registerWorker } from '../../src/queue/workers.ts'
import { createTestDb } from '../support/database.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../support/program.ts'
import { letTimePass } from '../support/queue.ts'
import type { LoadedFirm } from '../support/send-load.ts'
import { registerNumber, startQuietSimulator } from '../support/sending.ts'

const people = Array.from({ length: 20 }, (_, index) => String(16505550100 + index))
const messagesPerFirm = 50
/** The contract's defaults. */
const minCalls = 10
const cap = 2

let simulator: Simulator
let db: Db
let databaseUrl: string
let api: GatewayProgram
const firms: LoadedFirm[] = []

/** With the settings that everybody has. */
const start = (roles: string) =>
  startGatewayProgram({ DATABASE_URL: databaseUrl, META_GRAPH_URL: simulator.url, ROLES: roles })

beforeAll(async () => {
  ;({ url: databaseUrl, db } = await createTestDb())
  simulator = await startQuietSimulator()
  api = await start('api,worker')
  simulator.setWebhook({ url: `${api.url}/api/webhooks/meta/whatsapp`, retry_delays: [1000, 1000] })
  for (const name of ['one', 'two', 'three']) {
    const number = { waba_id: `waba-${name}`, phone_number_id: `number-${name}` }
    const { key } = await api.createTenant(`Firm ${name}`, number)
    const phoneNumberId = number.phone_number_id
    registerNumber(simulator, { wabaId: number.waba_id, phoneNumberId, accessToken: 'a-token' })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const messages = people.map((from) =>
      textMessage(`wamid.${name}-${from}`, 'hello', { from, timestamp }),
    )
    await api.deliver(payload({ number, messages }))
    firms.push({ key, phoneNumberId, customers: people })
  }
  await until('everybody wrote', async () => (await api.pendingCount()) === 0)
})

/** Everybody's messages one after another, so that they have an order, and all people at once. */
async function sendAll({ key, phoneNumberId }: LoadedFirm): Promise<void> {
  const sendTo = async (to: string, index: number) => {
    for (let number = 1; index + (number - 1) * people.length < messagesPerFirm; number++) {
      const body = `to ${to} of ${phoneNumberId}, number ${number}`
      const reply = await api.call('POST', '/api/whatsapp/meta/send', {
        key,
        body: { to, type: 'text', text: { body } },
      })
      if (reply.status !== 202) throw new Error(`a send was answered ${reply.text}`)
    }
  }
  await Promise.all(people.map(sendTo))
}

const circuits = async () =>
  (await api.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })).json.circuits_open
const calls = () =>
  simulator.ledger().requests.filter(({ endpoint }) => endpoint === 'messages').length
const statesOf = () =>
  db.query(sql<{ status: string; count: number }>`
    select status, count(*)::int as count from whatsapp_send_outbox group by status order by status`)

describe('an outage of two minutes', () => {
  test('costs waiting, and nothing else', async () => {
    const outage = simulator.setFault({ fault: 'outage' })
    await Promise.all(firms.map(sendAll))
    await until('every circuit is open', async () => (await circuits()).length === 3)

    // In the middle of it the gateway is killed, and another takes its place.
    await api.end('SIGKILL')
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    await reapWorkers(db, 30, 'standard')
    api = await start('api,worker')
    simulator.setWebhook({ url: `${api.url}/api/webhooks/meta/whatsapp` })
    // Two minutes in which nobody may call, whoever asks for work.
    const anotherWorker = await registerWorker(db, 60)
    for (const seconds of [10, 20, 30, 60]) {
      await letTimePass(db, seconds)
      expect(await claimSends(db, anotherWorker, 100, cap)).toEqual([])
    }
    const callsWhileDown = calls()
    expect(callsWhileDown).toBeLessThanOrEqual(firms.length * (minCalls + cap))
    expect(await circuits()).toHaveLength(3)

    simulator.removeFault(outage.id)
    await letTimePass(db, 181)
    await until('everything is sent', async () =>
      (await statesOf()).every((row) => row.status === 'done'),
    )
    await simulator.settled()
    await until('every status is processed', async () => (await api.pendingCount()) === 0)

    const count = firms.length * messagesPerFirm
    expect(await statesOf()).toEqual([{ status: 'done', count }])
    expect(await circuits()).toEqual([])
    const { sends } = simulator.ledger()
    expect(sends).toHaveLength(count)
    const twice = simulator.acceptedTwice()
    expect([twice.by_body, twice.by_callback_data]).toEqual([[], []])
    for (const order of simulator.orderPerRecipient('text.body')) {
      expect(order.violations).toEqual([])
    }
    const letters = await db.query(sql`select from dead_letters`)
    expect(letters).toEqual([])
    await until('it is told', () => api.logged('circuit_closed').length >= 3)
    expect(api.logged('circuit_closed')).toHaveLength(3)
  })
})
