// Whether Meta has a message whose answer was lost: any proof ends the wait at once, wherever the message is by then. And
// silence is an answer only while our own inbox keeps up.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { beatInbox } from '../../src/inbox/queries.ts'
import { reapWorkers } from '../../src/outbox/queue-queries.ts'
import { createSendWorker } from '../../src/outbox/worker.ts'
import { sendWorkerOptions } from '../../src/workers.ts'
import { afterFile } from '../support/after-file.ts'
import { payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { makeDue } from '../support/queue.ts'
import { type Firm, type Sending, sendRowOf, startSending } from '../support/sending.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

const rowOf = (id: string) => sendRowOf(world.gateway.db, id)

/** Meta has it and its answer is lost; its statuses are still on their way. */
async function sendAmbiguously(customer: string, more: Record<string, unknown> = {}) {
  const match = { recipient: customer }
  world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
  const id = await world.send(firm, customer, more)
  await world.gateway.sendDue()
  expect((await rowOf(id)).status).toBe('pending')
  return id
}

/** As Meta would, for the attempt that is on record. */
async function deliverStatus(attemptId: string, wamid: string, status = 'sent') {
  const biz_opaque_callback_data = `est:${attemptId}`
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  const statuses = [statusUpdate(wamid, status, { biz_opaque_callback_data })]
  await world.gateway.deliver(payload({ number, statuses }))
  await world.gateway.drain()
}

const attemptsOf = (rowId: string) =>
  world.gateway.db.query(sql<{ id: string; outcome: string; wamid: string | null }>`
    select id, outcome, wamid from send_attempts where outbox_id = ${rowId}::bigint order by started_at`)

describe('a status', () => {
  test('ends the wait at once, and the next one to the contact goes out', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendAmbiguously(customer)
    const next = await world.send(firm, customer, { text: { body: 'And another' } })
    await world.gateway.sendDue()
    expect((await world.read(firm, next)).status).toBe('queued')

    await world.hearMeta()
    expect(await rowOf(id)).toMatchObject({ status: 'done', last_error: null })
    await world.gateway.sendDue()

    expect((await world.read(firm, next)).status).toBe('sent')
    const [first, second, ...more] = world.acceptedFor(customer)
    expect(more).toEqual([])
    expect((await world.read(firm, id)).wamid).toBe(first?.wamid)
    expect((await world.read(firm, next)).wamid).toBe(second?.wamid)
    expect(await attemptsOf((await rowOf(id)).id)).toMatchObject([
      { outcome: 'unknown', wamid: first?.wamid },
    ])
  })

  test('may still come: what Meta may have cannot be cancelled', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendAmbiguously(customer, { delivery: 'at_most_once' })

    const path = `/api/whatsapp/messages/${id}/cancel`
    const answer = await world.gateway.call('POST', path, { key: firm.key, body: {} })

    expect([answer.status, answer.json.error?.code]).toEqual([409, 'NOT_CANCELLABLE'])
    expect((await rowOf(id)).status).toBe('pending')
    expect((await world.read(firm, id)).status).toBe('queued')
    await world.hearMeta()
    expect((await world.read(firm, id)).status).toBe('read')
  })

  test('is not taken back: what Meta is known to have cannot be cancelled, though its row still waits', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendAmbiguously(customer)
    await world.hearMeta()
    // The statuses are applied, and their process died before it ended the wait.
    await world.gateway.db.query(sql`
      update whatsapp_send_outbox set status = 'pending', lane_head = true
      where id = ${(await rowOf(id)).id}::bigint`)

    const path = `/api/whatsapp/messages/${id}/cancel`
    const answer = await world.gateway.call('POST', path, { key: firm.key, body: {} })

    expect([answer.status, answer.json.error?.code]).toEqual([409, 'NOT_CANCELLABLE'])
    expect((await world.read(firm, id)).wamid).toBe(world.acceptedFor(customer)[0]?.wamid)
    expect((await world.read(firm, id)).status).toBe('read')
    await world.sendWhatWaits()
    expect((await rowOf(id)).status).toBe('done')
    expect(world.postsTo(customer)).toHaveLength(1)
  })

  test('tells of what a process had that is gone: ended when that is noticed, not sent again', async () => {
    const { db, runtime } = world.gateway
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    const [gone] = await db.query(sql<{ id: string }>`
      insert into send_workers (alive_until) values (now() + interval '1 hour') returning id`)
    await db.query(sql`select id from send_claim(${gone?.id}::bigint, 10, 10)`)
    const [attempt] = await attemptsOf((await rowOf(id)).id)
    await deliverStatus(attempt?.id ?? '', 'wamid.of-the-gone', 'delivered')
    expect(await world.read(firm, id)).toMatchObject({
      status: 'delivered',
      wamid: 'wamid.of-the-gone',
    })
    expect((await rowOf(id)).status).toBe('running')

    await db.query(sql`
      update send_workers set alive_until = now() - interval '1 s' where id = ${gone?.id}::bigint`)
    const worker = createSendWorker({ ...sendWorkerOptions(runtime), leaseSeconds: 99 })
    afterFile(() => worker.stop())
    await worker.runDue()
    await until('it is ended', async () => {
      // Its heart beats.
      world.clock.runOut(33_000)
      return (await rowOf(id)).status === 'done'
    })
    await worker.stop()

    await world.sendWhatWaits()
    expect(world.postsTo(customer)).toEqual([])
  })

  test('of an earlier row keeps what a person had sent again from going out twice', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendAmbiguously(customer, { delivery: 'at_most_once' })
    await world.sendWhatWaits()
    const letters = `/api/whatsapp/dlq?message_id=${id}`
    const { key } = firm
    const [letter] = (await world.gateway.call('GET', letters, { key })).json.data
    expect(letter.kind).toBe('unknown')
    const path = `/api/whatsapp/dlq/${letter.id}/requeue`
    await world.gateway.call('POST', path, { key, body: { reason: 'they did not get it' } })
    expect((await rowOf(id)).status).toBe('pending')

    await world.hearMeta()
    expect((await rowOf(id)).status).toBe('done')
    await world.sendWhatWaits()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'read',
      wamid: world.acceptedFor(customer)[0]?.wamid,
    })
  })
})

describe('an answer that comes after its sender was taken for dead', () => {
  test('is a proof too: nothing is sent again', async () => {
    const { db } = world.gateway
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.simulator.hold({ when: 'after_accepting', match })
    world.fault({ fault: 'stuck', after: 'accepted', match })
    const id = await world.send(firm, customer)
    const sending = world.gateway.sendDue()
    await until('Meta has it', () => world.acceptedFor(customer).length > 0)
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    expect(await reapWorkers(db, 30, 'standard')).toHaveLength(1)
    expect((await rowOf(id)).status).toBe('pending')
    world.simulator.letGo()
    await sending

    expect(await rowOf(id)).toMatchObject({ status: 'done' })
    expect(await world.read(firm, id)).toMatchObject({
      status: 'sent',
      attempts: 1,
      wamid: world.acceptedFor(customer)[0]?.wamid,
    })
    await world.sendWhatWaits()
    expect(world.postsTo(customer)).toHaveLength(1)
  })
})

describe('a process that died', () => {
  test('leaves what it had to wait as long as the policy says, when that is longer', async () => {
    const { db, call } = world.gateway
    const slow = await world.createFirm('Slow Firm')
    const path = `/api/admin/tenants/${slow.id}`
    const key = 'operator-key-of-alice-000001'
    await call('PATCH', path, { key, body: { retry_policy: 'patient' } })
    const customer = await world.customerOf(slow)
    const id = await world.send(slow, customer)
    const [gone] = await db.query(sql<{ id: string }>`
      insert into send_workers (alive_until) values (now() + interval '1 hour') returning id`)
    const seconds: number[] = []
    for (let death = 0; death < 2; death++) {
      await makeDue(db)
      await db.query(sql`select id from send_claim(${gone?.id}::bigint, 10, 10)`)
      await db.query(sql`
        update whatsapp_send_outbox set worker_id = -1 where worker_id = ${gone?.id}::bigint`)
      await db.query(sql`
        insert into send_workers (id, alive_until) overriding system value values (-1, now() - interval '1 ms')`)
      await reapWorkers(db, 30, 'standard')
      const [row] = await db.query(sql<{ seconds: number }>`
        select round(extract(epoch from o.next_run_at - max(a.finished_at)))::int as seconds
        from whatsapp_send_outbox o
        join send_attempts a on a.outbox_id = o.id
        where o.id = ${(await rowOf(id)).id}::bigint
        group by o.next_run_at`)
      seconds.push(row?.seconds ?? 0)
    }
    expect(seconds).toEqual([60, 300])
    await db.query(sql`
      update whatsapp_send_outbox set status = 'failed', lane_head = false where tenant_id = ${slow.id}`)
    await db.query(sql`delete from send_workers where id = ${gone?.id}::bigint`)
  })
})

describe('while our own inbox is behind', () => {
  const number = () => ({ waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId })
  const pulse = (longestBreakSeconds = 20) =>
    beatInbox(world.gateway.db, new Date(world.clock.now().getTime() - 5_000), longestBreakSeconds)
  /** As if it had been fine for this long. */
  const steadyFor = (seconds: number) =>
    world.gateway.db.query(sql`
      update inbox_watch set seen_at = now(), steady_since = now() - make_interval(secs => ${seconds})`)
  /** Something has come that nobody processes. No pulse, and the gateway has one of its own, can say that all is well. */
  async function fallBehind(customer: string): Promise<void> {
    const greeting = textMessage(`wamid.late-greeting-of-${customer}`, 'hello', { from: customer })
    await world.gateway.deliver(payload({ number: number(), messages: [greeting] }))
    world.clock.advance(6_000)
  }
  /** What waits is due, and the inbox is as it is: `world.sendWhatWaits` would make it steady. */
  const sendWhatIsDue = async () => {
    await makeDue(world.gateway.db)
    await world.gateway.sendDue()
  }
  const secondsToWait = async (id: string) => {
    const { next_run_at } = await rowOf(id)
    return (next_run_at.getTime() - world.clock.now().getTime()) / 1000
  }

  test('nothing ambiguous is sent again; then the wait begins anew, and no attempt is used up', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'stuck', after: 'accepted', match })
    const id = await sendAmbiguously(customer)
    await fallBehind(customer)

    await sendWhatIsDue()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await rowOf(id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: 'INBOX_BEHIND',
    })
    expect(await secondsToWait(id)).toBe(30)
    expect(await attemptsOf((await rowOf(id)).id)).toHaveLength(1)

    await pulse()
    await world.gateway.drain()
    await pulse()
    await sendWhatIsDue()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await secondsToWait(id)).toBeGreaterThan(20)
    expect((await rowOf(id)).attempts).toBe(1)

    await steadyFor(31)
    await sendWhatIsDue()
    expect(world.postsTo(customer)).toHaveLength(2)
    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  test('nothing is given up as unknown either', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendAmbiguously(customer, { delivery: 'at_most_once' })
    await world.gateway.db.query(sql`update inbox_watch set seen_at = now() - interval '1 min'`)
    // A gateway starts after a minute in which none was there.
    await pulse(5)
    await sendWhatIsDue()
    expect((await world.read(firm, id)).status).toBe('queued')
    expect((await rowOf(id)).last_error).toBe('INBOX_BEHIND')

    await world.hearMeta()
    expect((await world.read(firm, id)).status).toBe('read')
    expect(world.postsTo(customer)).toHaveLength(1)
    await steadyFor(3600)
  })

  test.each(['at_least_once', 'at_most_once'])(
    'what Meta says that it did not take is not sent again either (%s)',
    async (delivery) => {
      const customer = await world.customerOf(firm)
      const match = { recipient: customer }
      world.fault({ fault: 'error', code: 131000, when: 'after_accepting', match, count: 1 })
      const id = await world.send(firm, customer, { delivery })
      await world.gateway.sendDue()
      await fallBehind(customer)

      await sendWhatIsDue()
      expect(world.postsTo(customer)).toHaveLength(1)
      expect(await rowOf(id)).toMatchObject({ attempts: 1, last_error: 'INBOX_BEHIND' })

      await world.hearMeta()
      expect(await world.read(firm, id)).toMatchObject({ status: 'read', attempts: 1 })
      await steadyFor(3600)
    },
  )

  test('what is not ambiguous goes out as ever', async () => {
    const customer = await world.customerOf(firm)
    await fallBehind(customer)
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('sent')
  })
})
