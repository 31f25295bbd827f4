import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../test/support/program.ts'
import { type Firm, type Sending, sendRowOf, startSending } from '../../test/support/sending.ts'
import { DatabaseUnavailable, type Sql, sql } from '../db/connect.ts'
import { sendWorkerOptions } from '../workers.ts'
import { reapWorkers } from './queue-queries.ts'
import { createSendWorker } from './worker.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

/** Statements without parameters, as the superuser. */
const script = (text: string) => world.gateway.db.session((session) => session.script(text))

const workerIds = async () =>
  (await world.gateway.db.query(sql<{ id: string }>`select id from send_workers order by id`)).map(
    (row) => row.id,
  )

describe('what goes wrong on our side', () => {
  test('a token that no key opens: not sent, and tried again', async () => {
    const other = await world.createFirm('Firm B')
    const customer = await world.customerOf(other)
    const [kept] = await world.gateway.db.query(sql<{ token: string }>`
      select access_token as token from whatsapp_accounts where tenant_id = ${other.id}`)
    await world.gateway.db.query(sql`
      update whatsapp_accounts set access_token = 'k9:rubbish' where tenant_id = ${other.id}`)
    const id = await world.send(other, customer)
    await world.gateway.sendDue()

    expect(world.postsTo(customer)).toEqual([])
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: 'TOKEN_UNREADABLE',
    })
    await world.gateway.db.query(sql`
      update whatsapp_accounts set access_token = ${kept?.token} where tenant_id = ${other.id}`)
    await world.sendWhatWaits()
    expect((await world.read(other, id)).status).toBe('sent')
  })

  test('what cannot be looked up after it was claimed: not sent, and tried again', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    await script('alter table whatsapp_conversations rename to elsewhere')
    await world.gateway.sendDue()
    await script('alter table elsewhere rename to whatsapp_conversations')

    expect(world.postsTo(customer)).toEqual([])
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: 'NOT_SENT',
    })
    await world.sendWhatWaits()
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('a database that is away after the claim: not sent, and nothing is used up', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    const { work } = world.gateway.runtime.db
    const worker = createSendWorker({
      ...sendWorkerOptions(world.gateway.runtime),
      db: {
        ...work,
        query: async <Row>(statement: Sql<Row>) => {
          if (!statement.text.includes('unknownForSeconds')) return work.query(statement)
          throw new DatabaseUnavailable(new Error('away'))
        },
      },
    })
    await worker.runDue()
    await worker.idle?.()
    await worker.stop()

    expect(world.postsTo(customer)).toEqual([])
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'pending', attempts: 0 })
    await world.sendWhatWaits()
    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 1 })
  })

  /** Sends what is due; the answers to the first two commits of its settlement get lost. What was logged of it. */
  async function sendAndLoseAnswers(): Promise<Record<string, unknown>[]> {
    const { work } = world.gateway.runtime.db
    const options = sendWorkerOptions(world.gateway.runtime)
    let lost = 2
    const worker = createSendWorker({
      ...options,
      db: {
        ...work,
        transaction: async (doing) => {
          let isSettlement = false
          const done = await work.transaction((tx) =>
            doing({
              ...tx,
              query: (statement) => {
                isSettlement ||= statement.text.includes('"isTold"')
                return tx.query(statement)
              },
            }),
          )
          if (isSettlement && lost-- > 0) throw new DatabaseUnavailable(new Error('lost'))
          return done
        },
      },
    })
    const before = world.gateway.logText().length
    await worker.runDue()
    await worker.idle?.()
    await worker.stop()

    expect(lost).toBe(-1)
    const lines = world.gateway.logText().slice(before).trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  }

  test('a settlement whose answer is lost after the commit: counted once, and told', async () => {
    const other = await world.createFirm('Firm D')
    const customer = await world.customerOf(other)
    const id = await world.send(other, customer)

    const told = (await sendAndLoseAnswers()).filter(({ event }) => event === 'outbound_send')
    expect(told.map(({ state }) => state)).toEqual(['done'])
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(other, id)).toMatchObject({ status: 'sent', attempts: 1 })
    expect(
      await world.gateway.db.query(sql`
        select sum(calls)::int as calls from send_calls where tenant_id = ${other.id}`),
    ).toEqual([{ calls: 1 }])
  })

  test('the same of one that is refused: buried once, and its letter named', async () => {
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'error', code: 131026, match: { recipient: customer }, count: 1 })
    const id = await world.send(firm, customer)

    const told = (await sendAndLoseAnswers()).filter(({ event }) => event === 'dead_lettered')
    const { json } = await world.gateway.call('GET', `/api/whatsapp/dlq?message_id=${id}`, {
      key: firm.key,
    })
    expect(json.data).toHaveLength(1)
    expect(told.map((line) => line.dead_letter_id)).toEqual([json.data[0].id])
  })

  test('a lease that runs out between the claim and the POST: not posted, and taken up by another', async () => {
    const customer = await world.customerOf(firm)
    // What may be with Meta would wait for a person; this is known not to be.
    const id = await world.send(firm, customer, { delivery: 'at_most_once' })
    let sending: Promise<unknown> = Promise.resolve()
    await world.gateway.db.transaction(async (tx) => {
      // What it must look up after its claim stands still meanwhile.
      await tx.query(sql`lock table whatsapp_conversations in access exclusive mode`)
      sending = world.gateway.sendDue()
      await until('it is claimed', async () => {
        return (await sendRowOf(world.gateway.db, id)).status === 'running'
      })
      await world.gateway.db.query(
        sql`update send_workers set alive_until = now() - interval '1 s'`,
      )
      world.clock.advance(15_000)
    })
    await sending

    expect(world.postsTo(customer)).toEqual([])
    expect(await reapWorkers(world.gateway.db, 30, 'standard')).toHaveLength(1)
    await world.sendWhatWaits()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('one that was dropped while a heartbeat was late, which then came: given back, and sent', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer, { delivery: 'at_most_once' })
    const options = sendWorkerOptions(world.gateway.runtime)
    let beat: () => void = () => undefined
    const clock = {
      ...world.clock,
      after(ms: number, task: () => void) {
        if (ms !== 5_000) return world.clock.after(ms, task)
        beat = task
        return () => undefined
      },
    }
    const worker = createSendWorker({ ...options, clock })
    let sending: Promise<unknown> = Promise.resolve()
    await world.gateway.db.transaction(async (tx) => {
      await tx.query(sql`lock table whatsapp_conversations in access exclusive mode`)
      sending = worker.runDue()
      await until('it is claimed', async () => {
        return (await sendRowOf(world.gateway.db, id)).status === 'running'
      })
      // Two seconds before its end in the database it is over here.
      world.clock.advance(14_000)
    })
    await sending
    await worker.idle?.()
    expect(world.postsTo(customer)).toEqual([])
    expect((await sendRowOf(world.gateway.db, id)).status).toBe('running')

    await world.gateway.db.query(sql`
      update whatsapp_send_outbox set updated_at = now() - interval '1 minute' where status = 'running'`)
    beat()
    await until('it is given back', async () => {
      await worker.tidy()
      return (await sendRowOf(world.gateway.db, id)).status === 'pending'
    })
    await worker.runDue()
    await worker.idle?.()
    await worker.stop()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 1 })
  })

  test('a claim whose answer is lost after the commit: given back, unspent, while the process lives on', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    const { work } = world.gateway.runtime.db
    let isLost = true
    const worker = createSendWorker({
      ...sendWorkerOptions(world.gateway.runtime),
      db: {
        ...work,
        query: async <Row>(statement: Sql<Row>) => {
          const rows = await work.query(statement)
          if (!isLost || !statement.text.includes('send_claim')) return rows
          isLost = false
          throw new DatabaseUnavailable(new Error('the answer is lost'))
        },
      },
    })
    await expect(worker.runDue()).rejects.toThrow(DatabaseUnavailable)
    expect((await sendRowOf(world.gateway.db, id)).status).toBe('running')
    // For all it knows, the claim may still be under way.
    await worker.tidy()
    expect((await sendRowOf(world.gateway.db, id)).status).toBe('running')

    await world.gateway.db.query(sql`
      update whatsapp_send_outbox set updated_at = now() - interval '1 minute' where status = 'running'`)
    await worker.tidy()
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'pending', attempts: 0 })
    await worker.runDue()
    await worker.idle?.()
    await worker.stop()

    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 1 })
    // Of the claim that nobody heard of, nothing is left.
    expect(
      await world.gateway.db.query(sql`
        select from send_attempts where tenant_id = ${firm.id} and outcome is null`),
    ).toEqual([])
  })

  test('what is claimed while a look for forgotten ones has yet to begin is not given back', async () => {
    const customer = await world.customerOf(firm)
    const { work } = world.gateway.runtime.db
    let isDelayed = true
    const worker = createSendWorker({
      ...sendWorkerOptions(world.gateway.runtime),
      db: {
        ...work,
        transaction: async (...taken) => {
          if (isDelayed) {
            isDelayed = false
            await worker.runDue()
            await world.gateway.db.query(sql`
              update whatsapp_send_outbox set updated_at = now() - interval '1 minute' where status = 'running'`)
          }
          return work.transaction(...taken)
        },
      },
    })
    await worker.runDue()
    await worker.idle?.()
    const id = await world.send(firm, customer)
    world.simulator.hold({ match: { endpoint: ['messages'] }, when: 'after_accepting' })
    isDelayed = true
    await worker.tidy()

    expect((await sendRowOf(world.gateway.db, id)).status).toBe('running')
    world.simulator.letGo()
    await worker.stop()
    expect(world.postsTo(customer)).toHaveLength(1)
  })

  test('what it works at is not given back, however long it takes', async () => {
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    const worker = createSendWorker(sendWorkerOptions(world.gateway.runtime))
    world.simulator.hold({ match: { endpoint: ['messages'] }, when: 'after_accepting' })
    await worker.runDue()
    await until('Meta has it', () => world.postsTo(customer).length === 1)
    await world.gateway.db.query(sql`
      update whatsapp_send_outbox set updated_at = now() - interval '1 minute' where status = 'running'`)
    await worker.tidy()

    expect((await sendRowOf(world.gateway.db, id)).status).toBe('running')
    world.simulator.letGo()
    await worker.stop()
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  /** A message with this reference cannot be changed. */
  const poison = () =>
    script(`
      create or replace function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'no'; end $$;
      create trigger poison before update on whatsapp_messages for each row
        when (new.client_reference = 'poison') execute function refuse()`)

  test('one that cannot be written down takes no other with it', async () => {
    const other = await world.createFirm('Firm C')
    const poisoned = await world.send(other, await world.customerOf(other), {
      client_reference: 'poison',
    })
    const healthy = await world.send(other, await world.customerOf(other))
    // Both end without a POST, in the same moment, and so in one batch.
    world.clock.advance(24 * 60 * 60 * 1000)
    await poison()
    await world.gateway.sendDue()
    await script('drop trigger poison on whatsapp_messages')

    expect((await world.read(other, healthy)).status).toBe('failed')
    expect((await sendRowOf(world.gateway.db, poisoned)).status).toBe('running')
  })

  test('one that could not be written down is taken up again, and not sent again', async () => {
    const ann = await world.customerOf(firm)
    const poisoned = await world.send(firm, ann, { client_reference: 'poison' })
    await poison()
    await world.gateway.sendDue()
    expect((await sendRowOf(world.gateway.db, poisoned)).status).toBe('running')

    // Nobody keeps its lease alive, so it runs out; what Meta reports tells that it was sent.
    await script('drop trigger poison on whatsapp_messages')
    const later = await world.customerOf(firm)
    await world.send(firm, later)
    await world.gateway.sendDue()
    const held = await world.gateway.db.query(sql<{ id: string }>`
      select worker_id as id from whatsapp_send_outbox where tenant_id = ${firm.id} and status = 'running'`)
    expect((await workerIds()).at(-1)).not.toBe(held[0]?.id)
    await world.gateway.db.query(sql`
      update send_workers set alive_until = now() - interval '1 s' where id = ${held[0]?.id}::bigint`)
    expect(await reapWorkers(world.gateway.db, 30, 'standard')).toHaveLength(1)
    await world.hearMeta()
    await world.sendWhatWaits()

    expect(await world.read(firm, poisoned)).toMatchObject({
      status: 'read',
      wamid: world.acceptedFor(ann)[0]?.wamid,
    })
    expect(world.postsTo(ann)).toHaveLength(1)
    expect((await sendRowOf(world.gateway.db, poisoned)).status).toBe('done')
  })
})
