// I2 across processes: whoever receives and whoever processes, everything happens once.
import { describe, expect, test } from 'vitest'
import { listen, sql } from '../../src/db/connect.ts'
import { afterFile } from '../support/after-file.ts'
import { seed } from '../support/chance.ts'
import { createTestDb } from '../support/database.ts'
import { operatorKey, tenantANumber } from '../support/gateway.ts'
import { payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../support/program.ts'
import { eventRows, stepsOf, wamidsOf } from '../support/rows.ts'
import { pieces, seeded, shuffled } from '../support/seeded.ts'

const messageCount = 200

/** In another order and other batches every time. */
function cut(items: Item[], random: () => number) {
  return pieces(shuffled(items, random), 5, random).map((piece) =>
    payload({
      messages: piece.flatMap((item) => ('message' in item ? [item.message] : [])),
      statuses: piece.flatMap((item) => ('status' in item ? [item.status] : [])),
    }),
  )
}

type Item = { message: unknown } | { status: unknown }

/** Until it is taken: Meta too sends again what was not. */
async function deliver(to: GatewayProgram, delivery: unknown): Promise<void> {
  await until('it is taken', async () => (await to.deliver(delivery)).status === 200)
}

/** 32 at a time. */
async function inTurns<T>(list: T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = [...list]
  async function takeTurns() {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await run(next)
  }
  await Promise.all(Array.from({ length: 32 }, takeTurns))
}

describe('two processes share one database', () => {
  test(`I2: the same deliveries to both at once, batched differently, have one effect each (SEED=${seed})`, async () => {
    const { url, db } = await createTestDb()
    const [left, right] = await Promise.all([
      startGatewayProgram({ DATABASE_URL: url }),
      startGatewayProgram({ DATABASE_URL: url }),
    ])
    await left.createTenant('Firm A', tenantANumber)
    const numbers = Array.from({ length: messageCount }, (_, index) => 1000 + index)
    const items = numbers.flatMap((n): Item[] => [
      { message: textMessage(`wamid.in-${n}`, 'hello', { from: `1650555${n % 7}` }) },
      { status: statusUpdate(`wamid.out-${n}`, 'sent') },
      { status: statusUpdate(`wamid.out-${n}`, 'delivered') },
    ])
    const random = seeded(seed)
    const same = cut(items, random)

    await Promise.all([
      inTurns([...same, ...cut(items, random)], (delivery) => deliver(left, delivery)),
      inTurns([...same, ...cut(items, random)], (delivery) => deliver(right, delivery)),
    ])
    await until('nothing is pending', async () => (await right.pendingCount()) === 0)

    expect(await wamidsOf(db)).toEqual(numbers.map((n) => `wamid.in-${n}`))
    expect(await stepsOf(db)).toEqual(
      numbers.flatMap((n) => [`wamid.out-${n}:delivered`, `wamid.out-${n}:sent`]),
    )
    const [keys] = await db.query(
      sql<{ count: number }>`select count(*)::int as count from whatsapp_webhook_dedupe`,
    )
    expect(keys?.count).toBe(items.length)
    expect(new Set((await eventRows(db)).map(({ status }) => status))).toEqual(new Set(['done']))
    for (const one of [left, right]) expect(one.logged('dead_lettered')).toEqual([])
    // Both take a part, or this was no test of two; on a busy machine one of them may be late for it.
    let more = 0
    for (const one of [left, right]) {
      await until('it processes too', async () => {
        await deliver(one, payload({ messages: [textMessage(`wamid.more-${more++}`, 'hello')] }))
        return one.logged('inbound_processing_finished').length > 0
      })
    }
  })

  test('one with ROLES=api stores and rings, one with ROLES=worker hears it and processes', async () => {
    const { url, db } = await createTestDb()
    const api = await startGatewayProgram({ DATABASE_URL: url, ROLES: 'api' })
    await api.createTenant('Firm A', tenantANumber)
    const heard: string[] = []
    const ear = await listen(
      url,
      ['estafet_inbox'],
      (channel) => void heard.push(channel),
      () => {},
    )
    afterFile(() => ear.close())

    await api.deliver(payload({ messages: [textMessage('wamid.first', 'hello')] }))
    await until('it rings', () => heard.length > 0)
    expect(await eventRows(db)).toMatchObject([{ status: 'pending', attempt: 0 }])
    expect(await api.pendingCount()).toBe(1)

    const worker = await startGatewayProgram({ DATABASE_URL: url, ROLES: 'worker' })
    await until('the first is processed', async () => (await api.pendingCount()) === 0)
    await until('the worker listens', async () => {
      const rows = await db.query(
        sql`select from pg_stat_activity where application_name = 'estafet listen' and datname = current_database()`,
      )
      // The other ear is this test's own.
      return rows.length === 2
    })
    await api.deliver(payload({ messages: [textMessage('wamid.second', 'hello')] }))
    await until('the second is processed', async () => (await api.pendingCount()) === 0)

    expect(await wamidsOf(db)).toEqual(['wamid.first', 'wamid.second'])
    await until('both are logged', () => worker.logged('inbound_processing_finished').length === 2)
    expect(api.logged('inbound_processing_started')).toEqual([])
    const health = await worker.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
    expect(health.status).toBe(404)
  })
})
