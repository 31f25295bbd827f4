// The database goes away in every way it can; the gateway says so in time, and goes on by itself when it is back.
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDb } from '../support/database.ts'
import { startDatabaseProxy } from '../support/fault-proxy.ts'
import { operatorKey, tenantANumber } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import {
  type GatewayProgram,
  type OwnPostgres,
  startGatewayProgram,
  startOwnPostgres,
  until,
} from '../support/program.ts'
import { wamidsOf } from '../support/rows.ts'

const message = (wamid: string) => payload({ messages: [textMessage(wamid, 'hello')] })
const health = '/api/admin/whatsapp/health'
/** Meta's patience, and a balancer's. */
const patienceMs = 5_000

/** What a caller hears who waits no longer than that. Asked again when the machine itself stood still for a while. */
async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  let answer: T | undefined
  await until('it answers in time', async () => {
    const asked = performance.now()
    answer = await ask()
    return performance.now() - asked < patienceMs
  })
  return answer as T
}

async function statusesOf(gateway: GatewayProgram, tenantKey: string): Promise<number[]> {
  const answers = await Promise.all([
    gateway.call('GET', '/healthz'),
    gateway.call('GET', '/readyz'),
    gateway.call('GET', health, { key: operatorKey }),
    gateway.call('GET', '/api/whatsapp/conversations', { key: tenantKey }),
  ])
  return answers.map(({ status }) => status)
}

describe('Postgres is stopped', () => {
  let postgres: OwnPostgres
  let gateway: GatewayProgram
  let key: string

  beforeAll(async () => {
    postgres = await startOwnPostgres({ fsync: 'off' })
    gateway = await startGatewayProgram({ DATABASE_URL: postgres.url })
    key = (await gateway.createTenant('Firm A', tenantANumber)).key
  })

  test('webhooks get 500, the API 503, the process is alive but not ready; then all is well without a restart', async () => {
    expect((await gateway.deliver(message('wamid.before'))).status).toBe(200)
    expect(await statusesOf(gateway, key)).toEqual([200, 200, 200, 200])

    await postgres.stop()

    const refused = await gateway.deliver(message('wamid.meanwhile'))
    expect(refused.status).toBe(500)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.json.error).toMatchObject({ code: 'NOT_STORED' })
    expect(await statusesOf(gateway, key)).toEqual([200, 503, 503, 503])
    const answer = await gateway.call('GET', health, { key: operatorKey })
    expect(answer.json.error).toMatchObject({ code: 'UNAVAILABLE' })

    await postgres.startAgain()

    const again = await gateway.deliver(message('wamid.meanwhile'))
    expect(again.status).toBe(200)
    expect(await statusesOf(gateway, key)).toEqual([200, 200, 200, 200])
    await until('both are messages', async () => (await wamidsOf(postgres.db)).length === 2)
    expect(await wamidsOf(postgres.db)).toEqual(['wamid.before', 'wamid.meanwhile'])
  })
})

/** A gateway that reaches its database through a proxy. */
async function startBehindProxy() {
  const { url, db } = await createTestDb()
  const { proxy, url: throughProxy } = await startDatabaseProxy(url)
  const gateway = await startGatewayProgram({ DATABASE_URL: throughProxy })
  await gateway.createTenant('Firm A', tenantANumber)
  return { proxy, gateway, db }
}

// Side by side, because they wait more than they work.
describe.concurrent('the way to Postgres fails', () => {
  test('the answer to a commit is lost: 500, and the redelivery finds it stored', async () => {
    const { proxy, gateway, db } = await startBehindProxy()
    // Bytes travel as hexadecimal, inside an array.
    proxy.loseAnswerTo('wamid.answer-lost')

    const first = await gateway.deliver(message('wamid.answer-lost'))
    const second = await gateway.deliver(message('wamid.answer-lost'))

    expect(proxy.lostAnswers()).toBe(1)
    expect([first.status, second.status]).toEqual([500, 200])
    await until(
      'it is logged as a duplicate',
      () => gateway.logged('webhook_received').at(-1)?.state === 'duplicate',
    )
    await until('it is a message', async () => (await wamidsOf(db)).length > 0)
    await until('nothing is pending', async () => (await gateway.pendingCount()) === 0)
    expect(await wamidsOf(db)).toEqual(['wamid.answer-lost'])
  })

  test('a half-open connection: 500 before Meta gives up, and 200 when the way is free again', async () => {
    const { proxy, gateway, db } = await startBehindProxy()
    proxy.swallowEverything()

    // More than the pool has connections, so that some wait for one.
    const refused = await inTime(() =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => gateway.deliver(message(`wamid.half-${index}`))),
      ),
    )
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 500))
    expect((await gateway.call('GET', '/healthz')).status).toBe(200)
    expect((await inTime(() => gateway.call('GET', '/readyz'))).status).toBe(503)

    proxy.heal()

    await until('it is ready', async () => (await gateway.call('GET', '/readyz')).status === 200)
    await until(
      'a webhook is acknowledged',
      async () => (await gateway.deliver(message('wamid.healed'))).status === 200,
    )
    await until('it is a message', async () => (await wamidsOf(db)).includes('wamid.healed'))
  })

  test('told to stop while the database does not answer, it ends all the same', async () => {
    const { proxy, gateway } = await startBehindProxy()
    expect((await gateway.deliver(message('wamid.last'))).status).toBe(200)
    proxy.swallowEverything()

    // At the limit of start.ts at the latest: without one this would wait for as long as the database is silent.
    expect(await gateway.end('SIGTERM')).toEqual({ code: 0, signal: null })
  })
})
