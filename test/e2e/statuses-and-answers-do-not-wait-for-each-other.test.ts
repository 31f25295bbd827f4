// What Meta answers to a send and what its webhooks say of the same message are written down at the same time, by two who
// take their locks in one order: messages first, the tenant's queue last.
import { beforeAll, expect, test } from 'vitest'
import { sql, type Tx } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

async function somebodyWaitsFor(table: string): Promise<void> {
  await until(`somebody waits for ${table}`, async () => {
    const waiting = await world.gateway.db.query(sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${table}%`}`)
    return waiting.length > 0
  })
}

const takeQueue = (tx: Tx) =>
  tx.query(sql`select from send_tenants where tenant_id = ${firm.id} for no key update nowait`)

test('who writes down an answer waits for the message without keeping the queue from others', async () => {
  const id = await world.send(firm, await world.customerOf(firm))
  let sending: Promise<unknown> | undefined
  await world.gateway.db.transaction(async (tx) => {
    // As a batch of webhooks has it, which then queues replies.
    const message = uuidOf('msg', id) ?? null
    await tx.query(sql`
      select from whatsapp_messages where tenant_id = ${firm.id} and id = ${message} for no key update`)
    sending = world.gateway.sendDue()
    await somebodyWaitsFor('whatsapp_messages')
    expect(await takeQueue(tx)).toHaveLength(1)
  })
  await sending
  expect((await world.read(firm, id)).status).toBe('sent')
})

test('and likewise for an account that is being reconnected', async () => {
  const match = { phone_number_id: firm.phoneNumberId }
  world.fault({ fault: 'error', code: 190, http_status: 401, match, count: 1 })
  const id = await world.send(firm, await world.customerOf(firm))
  let sending: Promise<unknown> | undefined
  await world.gateway.db.transaction(async (tx) => {
    await tx.query(sql`
      select from whatsapp_accounts where tenant_id = ${firm.id} for no key update`)
    sending = world.gateway.sendDue()
    await somebodyWaitsFor('whatsapp_accounts')
    expect(await takeQueue(tx)).toHaveLength(1)
  })
  await sending
  expect((await world.read(firm, id)).status).toBe('queued')
})
