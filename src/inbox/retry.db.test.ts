// What uses up an event's attempts, and what does not.
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway, tenantANumber } from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { DatabaseUnavailable, type Sql, sql } from '../db/connect.ts'
import { claimEvents } from './queries.ts'

let gateway: TestGateway

beforeEach(async () => {
  gateway = await startTestGateway()
  await gateway.createTenant('Firm A', tenantANumber)
})

const events = () =>
  gateway.db.query(sql<{ status: string; attempt: number; left: number }>`
    select status, attempt, attempts_allowed - attempt as left from whatsapp_webhook_events order by id`)

/** The connection breaks under these attempts, and the database is still away when they are first given back. */
const awayWhile = (isHit: () => boolean) => {
  let isAway = false
  const { work } = gateway.runtime.db
  return {
    beforeApply: () => {
      isAway = isHit()
      if (isAway) throw new DatabaseUnavailable(new Error('away'))
    },
    db: {
      ...work,
      query: async <Row>(statement: Sql<Row>) => {
        const wasAway = isAway
        isAway = false
        if (wasAway) throw new DatabaseUnavailable(new Error('still away'))
        return work.query(statement)
      },
    },
  }
}

describe('an attempt is not used up', () => {
  test('by a database that is away while nobody is suspected', async () => {
    await gateway.deliver(payload({ messages: [textMessage('wamid.1', 'hello')] }))
    await gateway.db.query(sql`update whatsapp_webhook_events set attempts_allowed = 1`)
    let failures = 0
    await gateway.drain(awayWhile(() => failures++ < 2))
    expect(await events()).toEqual([{ status: 'done', attempt: 3, left: 0 }])
  })

  test('by standing behind one that breaks the connection, or ends the process', async () => {
    for (const name of ['one', 'two', 'three']) {
      await gateway.deliver(payload({ messages: [textMessage(`wamid.${name}`, name)] }))
    }
    await gateway.db.query(sql`update whatsapp_webhook_events set attempt = 5`)
    const [first] = await gateway.db.query(
      sql<{ id: string }>`select id from whatsapp_webhook_events order by id limit 1`,
    )
    await gateway.drain({
      beforeApply: ({ id }) => {
        if (id === first?.id) throw new DatabaseUnavailable(new Error('broken'))
      },
    })
    expect(await events()).toEqual([
      { status: 'failed', attempt: 11, left: -1 },
      { status: 'done', attempt: 6, left: 4 },
      { status: 'done', attempt: 6, left: 4 },
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

test('what takes the database down each time runs out of attempts all the same', async () => {
  await gateway.deliver(payload({ messages: [textMessage('wamid.1', 'hello')] }))
  await gateway.db.query(sql`update whatsapp_webhook_events set attempt = 1, attempts_allowed = 3`)
  await gateway.drain(awayWhile(() => true))
  // The second attempt was free; the third and the fourth, alone, were not.
  expect(await events()).toEqual([{ status: 'failed', attempt: 5, left: -1 }])
})

test('suspects are claimed one by one, in their turn, and those who are none together', async () => {
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    await gateway.deliver(payload({ messages: [textMessage(`wamid.${name}`, name)] }))
  }
  const ids = (
    await gateway.db.query(sql<{ id: string }>`
      select id from whatsapp_webhook_events order by next_run_at, id`)
  ).map(({ id }) => id)
  await gateway.db.query(sql`
    update whatsapp_webhook_events set attempt = 2 where id in (${ids[1]}, ${ids[3]})`)
  // What went through before is none, however often that was.
  await gateway.db.query(sql`
    update whatsapp_webhook_events set attempt = 7, attempts_before = 6 where id = ${ids[4]}`)
  const claim = async () => {
    const options = { limit: 100, maxBytes: 2 ** 20, leaseSeconds: 20, taskName: 'test', now: null }
    const claimed = await claimEvents(gateway.runtime.db.work, options)
    return claimed.map(({ id }) => ids.indexOf(id)).sort()
  }
  expect([await claim(), await claim(), await claim(), await claim()]).toEqual([
    [0, 2, 4],
    [1],
    [3],
    [],
  ])
})
