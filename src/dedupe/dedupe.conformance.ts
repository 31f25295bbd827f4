// What holds with every store, Postgres included: with real events and a real send queue as the effects. Run by
// postgres.db.test.ts, redis.db.test.ts and firestore.db.test.ts, each against a real server.
import { beforeAll, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { until } from '../../test/support/program.ts'
import { makeDue, queueHand } from '../../test/support/queue.ts'
import { eventRows } from '../../test/support/rows.ts'
import { type Db, sql } from '../db/connect.ts'
import { createReceiver } from '../inbox/receive.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { reapWorkers } from '../outbox/queue-queries.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import type { Dedupe } from './dedupe.ts'
import { createFilter } from './filter.ts'
import { createKeys } from './keys.ts'
import type { Marks } from './marks.ts'

export interface DedupeSubject {
  /** As another process has it, with nothing in common but the store. */
  open(): Dedupe
  /** As if so much time had passed for the store. */
  letTimePass(ms: number): Promise<void>
  forgetAll(): Promise<void>
}

/** A store apart from Postgres, which can be away on its own. */
export interface OutsideSubject extends DedupeSubject {
  server: { stop(): Promise<void>; startAgain(): Promise<void> }
}

/** A filter as the runtime makes it. */
export function openFilter(store: 'redis' | 'firestore', open: () => Promise<Marks>): Dedupe {
  const destination = { write: () => undefined }
  return createFilter({
    store,
    clock: systemClock,
    log: createLog({ level: 'debug', hashKey: Buffer.alloc(32), clock: systemClock, destination }),
    metrics: createMetrics(),
    patienceMs: 20_000,
    keys: createKeys(Buffer.alloc(32, 1), async () => 'this database'),
    load: async () => open,
  })
}

const dayMs = 24 * 60 * 60 * 1000

export function dedupeConformance(subject: () => DedupeSubject) {
  let db: Db
  let one: Dedupe
  let other: Dedupe
  beforeAll(async () => {
    ;({ db } = await createTestDb())
    one = subject().open()
    other = subject().open()
  })

  function receiverOf(dedupe: Dedupe) {
    const random = systemRandom(systemClock)
    const options = { db, dedupe, random, clock: systemClock, appId: null, deadlineMs: 60_000 }
    return createReceiver({ ...options, onStored: () => undefined })
  }
  const bodyOf = (wamid: string) =>
    Buffer.from(JSON.stringify(payload({ messages: [textMessage(wamid, 'hello')] })))
  const storedAs = async (wamid: string) =>
    (await eventRows(db)).filter((event) => event.inbound_event_id === wamid).length

  test('of fifty deliveries of the same at two processes one is stored, and the rest are repeats', async () => {
    const receivers = [receiverOf(one), receiverOf(other)] as const
    const deliver = (index: number) =>
      receivers[index % 2 === 0 ? 0 : 1].receive(bodyOf('wamid.fifty'))

    const received = await Promise.all(Array.from({ length: 50 }, (_, index) => deliver(index)))
    await Promise.all(receivers.map((receiver) => receiver.idle()))
    received.push(await deliver(0), await deliver(1))

    expect(received.filter(({ eventId }) => eventId !== undefined)).toHaveLength(1)
    expect(await storedAs('wamid.fifty')).toBe(1)
  })

  test('a process that dies between mark and commit leaves nothing behind that stops the next', async () => {
    const dying = one.markIfNew(
      ['x'],
      () => 'wamid.orphan',
      () => Promise.reject(new Error('it died here')),
    )
    await expect(dying).rejects.toThrow('it died here')

    const next = await other.markIfNew(
      ['x'],
      () => 'wamid.orphan',
      async () => [{ value: 'stored' }],
    )

    expect(next).toEqual([{ value: 'stored' }])
  })

  test('marks that are forgotten or over change nothing: the rows decide', async () => {
    const receiver = receiverOf(one)
    await receiver.receive(bodyOf('wamid.forgotten'))
    await receiver.idle()

    await subject().forgetAll()
    const flushed = await receiver.receive(bodyOf('wamid.forgotten'))
    await receiver.idle()
    await subject().letTimePass(8 * dayMs)
    const expired = await receiver.receive(bodyOf('wamid.forgotten'))

    expect([flushed.eventId, expired.eventId]).toEqual([undefined, undefined])
    expect(await storedAs('wamid.forgotten')).toBe(1)
  })

  test('after its days the same counts as new, with the key of its row gone too', async () => {
    const receiver = receiverOf(one)
    await receiver.receive(bodyOf('wamid.old'))
    await receiver.idle()
    await db.query(
      sql`update whatsapp_webhook_events set body_sha256 = null, single_item_of = null`,
    )
    await subject().letTimePass(8 * dayMs)

    expect((await receiver.receive(bodyOf('wamid.old'))).eventId).toBeDefined()
    await receiver.idle()
  })

  /** One message to send, and workers that try: each claims, posts if it may, and says how that went. */
  async function queueOne() {
    const tenant = await insertTenant(db)
    const posted: string[] = []
    const queue = await queueHand(db)
    await queue.add(tenant, ['ann'])
    return {
      posted,
      async tryToSend(dedupe: Dedupe, post?: () => Promise<never>) {
        const worker = await queueHand(db)
        const [send] = await worker.claim(1)
        if (!send) return 'not ours'
        const { attemptId: attempt, messageId: name } = send
        const turned = await dedupe.postOnce({ name, attempt }, async () => {
          posted.push(attempt)
          await post?.()
          return { value: undefined, proof: () => 'proof' }
        })
        const isDone = turned.state === 'posted' || turned.state === 'sent'
        await worker.settle([send], {
          state: isDone ? 'done' : 'pending',
          runAt: isDone ? null : new Date(),
        })
        return turned.state
      },
      /** As if whoever holds it had been silent for too long, and the wait for evidence were over. */
      async reap() {
        await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
        await reapWorkers(db, 0, 'standard')
        await makeDue(db)
      },
    }
  }

  test('of fifty workers that want the same row one posts it', async () => {
    const row = await queueOne()

    const tried = await Promise.all(
      Array.from({ length: 50 }, (_, index) => row.tryToSend(index % 2 === 0 ? one : other)),
    )

    expect(tried.filter((state) => state === 'posted')).toHaveLength(1)
    expect(row.posted).toHaveLength(1)
  })

  test('what a worker held when it died is taken over, and posted', async () => {
    const row = await queueOne()
    const dying = row.tryToSend(one, () => Promise.reject(new Error('it died here')))
    await expect(dying).rejects.toThrow('it died here')
    expect(await row.tryToSend(other)).toBe('not ours')

    await row.reap()
    await subject().letTimePass(dayMs)

    expect(await row.tryToSend(other)).toBe('posted')
    expect(row.posted).toHaveLength(2)
  })

  test('forgetting everything while a message is posted posts nothing twice', async () => {
    const row = await queueOne()

    await row.tryToSend(one, async () => (await subject().forgetAll()) as never)

    expect(await row.tryToSend(other)).toBe('not ours')
    expect(row.posted).toHaveLength(1)
  })

  return { receiverOf, bodyOf, storedAs, queueOne, one: () => one, db: () => db }
}

export function outsideConformance(subject: () => OutsideSubject): void {
  const { receiverOf, bodyOf, storedAs, queueOne, ...parts } = dedupeConformance(subject)

  test('without the store nothing is stored and nothing is posted; with it, both, once', async () => {
    const { server } = subject()
    const [one, db] = [parts.one(), parts.db()]
    const row = await queueOne()
    const receiver = receiverOf(one)
    await server.stop()

    await expect(receiver.receive(bodyOf('wamid.away'))).rejects.toMatchObject({
      code: 'DEDUPE_UNAVAILABLE',
    })
    expect(await row.tryToSend(one)).toBe('unavailable')
    expect(await one.isThere()).toBe(false)
    expect(await one.problems()).toEqual([`the dedupe store (${one.store}) does not answer`])
    expect([await storedAs('wamid.away'), row.posted]).toEqual([0, []])

    await server.startAgain()
    await until('it is there', () => one.isThere())
    expect((await receiver.receive(bodyOf('wamid.away'))).eventId).toBeDefined()
    await makeDue(db)
    expect(await row.tryToSend(one)).toBe('posted')
    await receiver.idle()
  })
}
