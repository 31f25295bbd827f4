// A status and the message it belongs to, written at the same moment by two transactions. Each statement of each of them
// waits for the schedule's word, so every way they can overlap is tried, and in every one the message ends up raised.
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { settled } from '../../test/support/manual-clock.ts'
import { insertOutbound, insertTenant } from '../../test/support/outbound.ts'
import { type Db, sql, type Tx } from '../db/connect.ts'
import { applyStatuses, expectEarlyStatuses, joinEarlyStatuses } from './apply-status.ts'

let db: Db
let tenantId: string

beforeAll(async () => {
  db = (await createTestDb()).db
  tenantId = await insertTenant(db)
})

interface Actor {
  /** Lets it do one more statement; returns when that is done, or waits for a lock. */
  step(): Promise<void>
  isDone(): boolean
  finished: Promise<void>
}

/** A transaction that does nothing of its own accord. */
async function createActor(work: (tx: Tx) => Promise<unknown>): Promise<Actor> {
  let state: 'paused' | 'running' | 'done' = 'running'
  let resume = () => {}
  let pid = 0
  const pause = () =>
    new Promise<void>((resolve) => {
      state = 'paused'
      resume = resolve
    })
  const isBlocked = async () => {
    const [row] = await db.query(
      sql<{ blocked: boolean }>`select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`,
    )
    return row?.blocked === true
  }
  const rest = async () => {
    for (;;) {
      await settled()
      if (state !== 'running' || (await isBlocked())) return
    }
  }
  const finished = db
    .transaction(async (tx) => {
      const [row] = await tx.query(sql<{ pid: number }>`select pg_backend_pid() as pid`)
      pid = row?.pid ?? 0
      await work({
        query: async (statement) => {
          await pause()
          return tx.query(statement)
        },
      })
      await pause()
    })
    .finally(() => {
      state = 'done'
    })
  await rest()
  return {
    step: async () => {
      if (state === 'paused') {
        state = 'running'
        resume()
      }
      await rest()
    },
    isDone: () => state === 'done',
    finished,
  }
}

const receive = (wamid: string) =>
  createActor((tx) =>
    applyStatuses(tx, [
      {
        tenantId,
        wamid,
        status: 'delivered',
        participant: '',
        phoneNumberId: '1',
        occurredAt: new Date(),
        receivedAt: new Date(),
        details: {},
        eventId: '00000000-0000-4000-8000-000000000001',
        correlationId: '00000000-0000-4000-8000-000000000002',
      },
    ]),
  )

const send = (message: string, wamid: string) =>
  createActor(async (tx) => {
    await expectEarlyStatuses(tx, [{ tenantId, wamid }])
    await tx.query(sql`update whatsapp_messages set wamid = ${wamid}, status = 'sent'
      where tenant_id = ${tenantId} and id = ${message}`)
    await joinEarlyStatuses(tx, [{ tenantId, wamid }])
  })

async function finish(actors: Actor[]) {
  while (actors.some((actor) => !actor.isDone())) {
    for (const actor of actors) await actor.step()
  }
  await Promise.all(actors.map((actor) => actor.finished))
}

describe.each(['status', 'message'])('I6: the %s begins', (first) => {
  // A status takes six statements with its commit, a message up to five.
  const [own, others] = first === 'status' ? [6, 5] : [5, 6]

  test.each(Array.from({ length: own + 1 }, (_, steps) => steps))(
    'and is interrupted after %i statements: they find each other',
    async (steps) => {
      for (let foreign = 1; foreign <= others; foreign++) {
        const wamid = `${first} ${steps} ${foreign}`
        const message = await insertOutbound(db, { tenantId, wamid: null })
        const [status, sending] = [await receive(wamid), await send(message, wamid)]
        const [one, other] = first === 'status' ? [status, sending] : [sending, status]

        for (let step = 0; step < steps; step++) await one.step()
        for (let step = 0; step < foreign; step++) await other.step()
        await finish([one, other])

        const [row] = await db.query(
          sql<{ status: string }>`select status from whatsapp_messages where wamid = ${wamid}`,
        )
        expect(row?.status, `after ${steps} and ${foreign} statements`).toBe('delivered')
      }
    },
  )
})
