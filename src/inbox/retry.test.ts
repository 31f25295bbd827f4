// What uses up an event's attempts, and what does not.
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway, tenantANumber } from '../../test/support/gateway.ts'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { DatabaseUnavailable, sql } from '../db/connect.ts'

let gateway: TestGateway

beforeEach(async () => {
  gateway = await startTestGateway()
  await gateway.createTenant('Firm A', tenantANumber)
})

const events = () =>
  gateway.db.query(sql<{ status: string; attempt: number; left: number }>`
    select status, attempt, attempts_allowed - attempt as left from whatsapp_webhook_events order by id`)

describe('an attempt is not used up', () => {
  test('by a database that is away, however often it is', async () => {
    await gateway.deliver(payload({ messages: [textMessage('wamid.1', 'hello')] }))
    await gateway.db.query(sql`update whatsapp_webhook_events set attempt = 9`)
    let [failures, isAway] = [0, false]
    const { work } = gateway.runtime.db
    await gateway.drain({
      beforeApply: () => {
        isAway = failures++ < 3
        if (isAway) throw new DatabaseUnavailable(new Error('away'))
      },
      db: {
        ...work,
        query: async (statement) => {
          const wasAway = isAway
          isAway = false
          if (wasAway) throw new DatabaseUnavailable(new Error('still away'))
          return work.query(statement)
        },
      },
    })
    expect(await events()).toEqual([{ status: 'done', attempt: 13, left: 0 }])
  })

  test('by waiting behind others for a turn that does not come in time', async () => {
    for (const name of ['one', 'two', 'three']) {
      await gateway.deliver(payload({ messages: [textMessage(`wamid.${name}`, name)] }))
    }
    // Suspects, each worked alone.
    await gateway.db.query(sql`update whatsapp_webhook_events set attempt = 5`)
    const clock = createManualClock()
    await gateway.drain({ clock, beforeApply: () => clock.advance(11_000) })
    expect(await events()).toEqual([
      { status: 'done', attempt: 6, left: 4 },
      { status: 'done', attempt: 7, left: 4 },
      { status: 'done', attempt: 8, left: 4 },
    ])
  })
})

test('an attempt is used up by a connection that breaks while the database is there', async () => {
  await gateway.deliver(payload({ messages: [textMessage('wamid.1', 'hello')] }))
  await gateway.drain({
    beforeApply: () => {
      throw new DatabaseUnavailable(new Error('broken'))
    },
  })
  expect(await events()).toEqual([{ status: 'failed', attempt: 11, left: -1 }])
})
