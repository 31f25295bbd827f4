// With Redis in front of Postgres: repeats are turned away by it, forgetting everything changes nothing, and while it is away
// nothing comes in and nothing goes out, until it is back. What Meta accepted is counted at Meta's end.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { reapWorkers } from '../../src/outbox/queue-queries.ts'
import { createSendWorker } from '../../src/outbox/worker.ts'
import { sendWorkerOptions } from '../../src/workers.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { keepInboxSteady, makeDue } from '../support/queue.ts'
import { type OwnRedis, redisHint, redisRuns, startRedis } from '../support/redis.ts'
import { wamidsOf } from '../support/rows.ts'
import { type Firm, type Sending, sendRowOf, startSending } from '../support/sending.ts'

const runs = redisRuns()

describe.skipIf(!runs)(runs ? 'with Redis' : `with Redis (skipped: ${redisHint})`, () => {
  let redis: OwnRedis
  let world: Sending
  let firm: Firm

  beforeAll(async () => {
    redis = await startRedis()
    world = await startSending({ DEDUPE_STORE: 'redis', REDIS_URL: redis.url })
    firm = await world.createFirm('Firm A')
  })

  const webhook = (wamid: string) =>
    payload({
      number: { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId },
      messages: [textMessage(wamid, 'hello', { from: '16505559001' })],
    })
  const statusesOf = async (wamids: string[]) =>
    (await Promise.all(wamids.map((wamid) => world.gateway.deliver(webhook(wamid))))).map(
      ({ status }) => status,
    )
  /** As Meta does: what is not answered 200 comes again. A busy machine may take a moment's silence for an absence. */
  async function deliverAll(wamids: string[]): Promise<void> {
    let left = wamids
    await until('all of it is taken', async () => {
      const statuses = await statusesOf(left)
      left = left.filter((_, index) => statuses[index] !== 200)
      return left.length === 0
    })
  }
  const sendAllTo = (customers: string[]) =>
    until('Meta has all of it', async () => {
      await world.sendWhatWaits()
      return customers.every((customer) => world.acceptedFor(customer).length > 0)
    })
  const mark = canary('wamid').text
  const names = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `wamid.${word}-${index}-${mark}`)
  const storedOf = async (word: string) =>
    (await wamidsOf(world.gateway.db)).filter((wamid) => wamid?.startsWith(`wamid.${word}-`))
  const marked = async (outcome: string) => {
    const { values } = await world.gateway.runtime.metrics.dedupeMarks.get()
    return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0
  }
  const call = (path: string) => world.gateway.call('GET', path, { key: operatorKey })

  test('a storm of repeats is answered 200 each, by Redis alone once it knows them, and has one effect', async () => {
    const wamids = names('storm', 10)
    const storm = Array.from({ length: 5 }, () => wamids).flat()

    await deliverAll(storm)
    await until('Redis alone answers for all of it', async () => {
      await world.gateway.runtime.dedupe.idle()
      const before = await marked('done')
      await deliverAll(storm)
      return (await marked('done')) === before + storm.length
    })
    await world.gateway.drain()

    expect(await storedOf('storm')).toEqual(wamids.toSorted())
  })

  test('nothing in it names a person, a message or a number', async () => {
    const customer = await world.customerOf(firm)
    await world.send(firm, customer)
    await sendAllTo([customer])

    const keys = await redis.client.keys('*')
    const values = await Promise.all(keys.map((key) => redis.client.get(key)))
    const all = [...keys, ...values].join('\n')
    expect(values.some((value) => value?.startsWith('sent '))).toBe(true)
    const [accepted] = world.acceptedFor(customer)
    expectNone(all, ...names('storm', 10), accepted?.wamid ?? '', customer, firm.phoneNumberId)
    for (const key of keys) expect(await redis.client.pttl(key)).toBeGreaterThan(0)
  })

  test('flushed again and again under load, every message comes in once and goes out once', async () => {
    const wamids = names('flushed', 20)
    const customers = await Promise.all(wamids.map(() => world.customerOf(firm)))
    await Promise.all(customers.map((customer) => world.send(firm, customer)))
    let isOver = false
    const flushing = (async () => {
      while (!isOver) await redis.flush()
    })()

    await Promise.all([
      deliverAll([...wamids, ...wamids]),
      world.gateway.sendDue(),
      world.gateway.drain(),
    ])
    await deliverAll(wamids)
    await sendAllTo(customers)
    isOver = true
    await flushing
    await world.hearMeta()

    expect(await storedOf('flushed')).toEqual(wamids.toSorted())
    expect(customers.map((customer) => world.acceptedFor(customer).length)).toEqual(
      customers.map(() => 1),
    )
  })

  test('what Meta took before a worker died is not posted again, though nobody else heard of it', async () => {
    const { gateway } = world
    const customer = await world.customerOf(firm)
    const message = await world.send(firm, customer)
    const options = sendWorkerOptions(gateway.runtime)
    const dying = createSendWorker({
      ...options,
      db: { ...options.db, transaction: () => Promise.reject(new Error('it died here')) },
    })
    await dying.runDue()
    await dying.idle?.()
    expect(world.acceptedFor(customer)).toHaveLength(1)
    await gateway.db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    await reapWorkers(gateway.db, 0, 'standard')

    await keepInboxSteady(gateway.db)
    await makeDue(gateway.db)
    await gateway.sendDue()

    expect(world.postsTo(customer)).toHaveLength(1)
    const [accepted] = world.acceptedFor(customer)
    expect(await world.read(firm, message)).toMatchObject({
      status: 'sent',
      wamid: accepted?.wamid,
    })
  })

  test.each([
    ['stopped', () => redis.stop(), () => redis.startAgain()],
    ['silent', async () => redis.freeze(), async () => redis.thaw()],
  ])(
    '%s: webhooks get 500, sends wait and use nothing up; then everything flows',
    async (state, leave, comeBack) => {
      const { gateway } = world
      const customer = await world.customerOf(firm)
      const message = await world.send(firm, customer)
      const wamids = names(state, 20)
      await leave()

      expect(await statusesOf(wamids)).toEqual(wamids.map(() => 500))
      await gateway.sendDue()
      expect(await call('/readyz')).toMatchObject({
        status: 503,
        json: { problems: ['the dedupe store (redis) does not answer'] },
      })
      expect((await call('/api/admin/whatsapp/health')).json).toMatchObject({
        status: 'down',
        reasons: expect.arrayContaining(['the dedupe store (redis) does not answer']),
      })
      expect(await storedOf(state)).toEqual([])
      expect(world.postsTo(customer)).toEqual([])
      expect(await sendRowOf(gateway.db, message)).toMatchObject({ status: 'pending', attempts: 0 })
      expect(gateway.logText()).toContain('"event":"dedupe_store_unavailable"')

      await comeBack()
      await until('it is ready', async () => (await call('/readyz')).status === 200)
      await deliverAll([...wamids, ...wamids])
      await gateway.drain()
      await sendAllTo([customer])

      expect(await storedOf(state)).toEqual(wamids.toSorted())
      expect(world.acceptedFor(customer)).toHaveLength(1)
      expect(await world.read(firm, message)).toMatchObject({ status: 'sent' })
      expect(gateway.logText()).toContain('"event":"dedupe_store_back"')
    },
  )
})
