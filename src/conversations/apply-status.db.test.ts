// I6: a status is a join. Whatever order the steps come in, however often, before or after their
// message: the message shows the highest one, and each step is kept once.
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { createTestDb } from '../../test/support/database.ts'
import { insertOutbound, insertTenant, type Outbound } from '../../test/support/outbound.ts'
import { type Db, sql } from '../db/connect.ts'
import {
  applyStatuses,
  expectEarlyStatuses,
  joinEarlyStatuses,
  messagesOfStatuses,
  statusKey,
} from './apply-status.ts'
import type { NewStatus } from './model.ts'
import { selectTimelines } from './read-queries.ts'

let db: Db
let tenantId: string
let count = 0

beforeAll(async () => {
  db = (await createTestDb()).db
  tenantId = await insertTenant(db)
})

const ladder = ['queued', 'sent', 'failed', 'delivered', 'read', 'played']
const newWamid = () => `wamid.${++count}`

function step(wamid: string, status: string, more: Partial<NewStatus> = {}): NewStatus {
  return {
    tenantId,
    wamid,
    status,
    participant: '',
    phoneNumberId: '1',
    occurredAt: new Date(Date.UTC(2026, 10, 15, 12, 0, ladder.indexOf(status) + 1)),
    receivedAt: new Date('2026-11-15T13:00:00Z'),
    details: status === 'failed' ? { errors: [{ code: 131026, title: 'no' }] } : {},
    eventId: '00000000-0000-4000-8000-000000000001',
    correlationId: '00000000-0000-4000-8000-000000000002',
    ...more,
  }
}

const apply = (...steps: NewStatus[]) => db.transaction((tx) => applyStatuses(tx, steps))
const outbound = (wamid: string | null, more: Partial<Outbound> = {}) =>
  insertOutbound(db, { tenantId, wamid, ...more })

async function stateOf(wamid: string) {
  const [row] = await db.query(sql<{ status: string; error: unknown }>`
    select status, error from whatsapp_messages where tenant_id = ${tenantId} and wamid = ${wamid}`)
  return row
}

async function stepsOf(wamid: string): Promise<{ status: string; at: Date }[]> {
  const steps = await selectTimelines(db, tenantId, [wamid])
  return steps.map(({ status, at }) => ({ status, at }))
}

async function timelineOf(wamid: string): Promise<string[]> {
  const steps = await stepsOf(wamid)
  return steps.map(({ status }) => status)
}

/** As the sender does it: the wamid is written between the two halves of the join. */
async function send(message: string, wamid: string) {
  await db.transaction(async (tx) => {
    await expectEarlyStatuses(tx, [{ tenantId, wamid }])
    await tx.query(sql`update whatsapp_messages set wamid = ${wamid}, status = 'sent'
      where tenant_id = ${tenantId} and id = ${message}`)
    await joinEarlyStatuses(tx, [{ tenantId, wamid }])
  })
}

const highest = (steps: string[]) =>
  ladder[Math.max(...steps.map((status) => ladder.indexOf(status)))]

/** Some steps, some of them repeatedly, in any order. */
const anySteps = fc
  .subarray(ladder, { minLength: 1 })
  .chain((some) =>
    fc
      .array(fc.constantFrom(...some), { maxLength: 4 })
      .chain((again) => fc.shuffledSubarray([...some, ...again], { minLength: some.length })),
  )

describe('the ladder', () => {
  test('I6: every order of any steps, with repetitions, comes to the same state', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, async (steps) => {
        const wamid = newWamid()
        await outbound(wamid)
        for (const status of steps) await apply(step(wamid, status))

        const expected = highest(steps) as string
        expect(await stateOf(wamid)).toEqual({
          status: expected,
          error: expected === 'failed' ? { code: 131026, title: 'no' } : null,
        })
        const timeline = await timelineOf(wamid)
        expect(timeline).toEqual(ladder.filter((status) => steps.includes(status)))
      }),
      { numRuns: times(60) },
    )
  })

  test('I6: any steps at once come to the same state as one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(ladder, { minLength: 1 }), async (steps) => {
        const wamid = newWamid()
        await outbound(wamid)
        const fresh = await apply(...steps.map((status) => step(wamid, status)))

        expect(fresh.size).toBe(steps.length)
        expect((await stateOf(wamid))?.status).toBe(highest(steps))
      }),
      { numRuns: times(40) },
    )
  })

  test('I6: any steps before the message, and the rest after it, come to the same state', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, fc.nat(10), async (steps, cut) => {
        const wamid = newWamid()
        const message = await outbound(null)
        for (const status of steps.slice(0, cut)) await apply(step(wamid, status))
        await send(message, wamid)
        for (const status of steps.slice(cut)) await apply(step(wamid, status))

        expect((await stateOf(wamid))?.status).toBe(highest(['sent', ...steps]))
      }),
      { numRuns: times(60) },
    )
  })

  test('a failure sets the error, a late sent does not undo it, a delivery to another device does', async () => {
    const wamid = newWamid()
    await outbound(wamid)
    await apply(step(wamid, 'failed'))
    expect(await stateOf(wamid)).toMatchObject({ status: 'failed', error: { code: 131026 } })

    await apply(step(wamid, 'sent'))
    expect(await stateOf(wamid)).toMatchObject({ status: 'failed', error: { code: 131026 } })

    await apply(step(wamid, 'delivered'))
    expect(await stateOf(wamid)).toEqual({ status: 'delivered', error: null })
  })

  test.each([
    ['no errors', {}],
    ['errors that are no list', { errors: 'x' }],
    ['an empty list', { errors: [] }],
    ['an error that is a text', { errors: ['x'] }],
    ['an error that is null', { errors: [null] }],
  ])('a failure with %s is a failure without an error', async (_name, details) => {
    const wamid = newWamid()
    await outbound(wamid)
    await apply(step(wamid, 'failed', { details }))
    const [row] = await db.query(sql<{ status: string; bare: boolean }>`
      select status, error is null as bare from whatsapp_messages where wamid = ${wamid}`)
    expect(row).toEqual({ status: 'failed', bare: true })
  })
})

describe('a step', () => {
  test('is new once; of a repetition nothing changes, its time neither', async () => {
    const wamid = newWamid()
    await outbound(wamid)
    const read = step(wamid, 'read')

    expect([...(await apply(read))]).toEqual([statusKey(read)])
    expect(await apply({ ...read, occurredAt: new Date() })).toEqual(new Set())

    expect(await stepsOf(wamid)).toEqual([{ status: 'read', at: read.occurredAt }])
  })

  test.each(['deleted', 'warning', 'teleported'])(
    'I9: "%s" is kept, and the message stays as it is',
    async (status) => {
      const wamid = newWamid()
      await outbound(wamid, { status: 'delivered' })

      expect((await apply(step(wamid, status))).size).toBe(1)

      expect((await stateOf(wamid))?.status).toBe('delivered')
      expect(await timelineOf(wamid)).toEqual([status])
    },
  )

  test('of each participant of a group is kept; the timeline has the first of each', async () => {
    const wamid = newWamid()
    await outbound(wamid)
    const of = (participant: string, status: string, second: number) =>
      step(wamid, status, {
        participant,
        occurredAt: new Date(Date.UTC(2026, 10, 15, 12, 0, second)),
      })

    await apply(of('ann', 'delivered', 5), of('bob', 'delivered', 3), of('bob', 'read', 9))
    await apply(of('ann', 'delivered', 5))

    const [kept] = await db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_message_statuses where wamid = ${wamid}`)
    expect(kept?.count).toBe(3)
    expect(await stepsOf(wamid)).toEqual([
      { status: 'delivered', at: new Date('2026-11-15T12:00:03Z') },
      { status: 'read', at: new Date('2026-11-15T12:00:09Z') },
    ])
    expect((await stateOf(wamid))?.status).toBe('read')
  })

  test('proves that a message whose fate was unknown was sent', async () => {
    const wamid = newWamid()
    await outbound(wamid, { status: 'unknown' })
    await apply(step(wamid, 'sent'))
    expect((await stateOf(wamid))?.status).toBe('sent')
  })

  test('does not touch an inbound message, nor one of another tenant', async () => {
    const wamid = newWamid()
    const other = await insertTenant(db)
    await outbound(wamid, { direction: 'inbound', status: 'received' })
    await outbound(wamid, { tenantId: other })

    await apply(step(wamid, 'read'))

    const rows = await db.query(
      sql`select status from whatsapp_messages where wamid = ${wamid} order by status`,
    )
    expect(rows).toEqual([{ status: 'queued' }, { status: 'received' }])
  })

  test('without its message is kept, and joined when the message appears', async () => {
    const wamid = newWamid()
    const message = await outbound(null)
    expect((await apply(step(wamid, 'failed'), step(wamid, 'sent'))).size).toBe(2)

    await send(message, wamid)

    expect(await stateOf(wamid)).toMatchObject({ status: 'failed', error: { code: 131026 } })
  })

  test('nothing to apply, expect or join is no statement at all', async () => {
    expect(await apply()).toEqual(new Set())
    await db.transaction(async (tx) => {
      await expectEarlyStatuses(tx, [])
      await joinEarlyStatuses(tx, [])
    })
  })
})

test('each step is about its message, and one member of a group was the first to reach it', async () => {
  const wamid = newWamid()
  const messageId = await outbound(wamid)
  const later = new Date('2026-11-15T13:00:01Z')
  const steps = [
    step(wamid, 'delivered', { participant: 'b' }),
    step(wamid, 'delivered', { participant: 'a', receivedAt: later }),
    step(wamid, 'read', { participant: 'a' }),
    step(newWamid(), 'read'),
  ]
  await apply(...steps)
  const about = await db.transaction((tx) => messagesOfStatuses(tx, steps))
  const told = steps.map((one) => about.get(statusKey(one)))
  expect(told.map((one) => one?.isFirst)).toEqual([true, false, true, undefined])
  expect(told[0]?.messageId).toBe(messageId)
  expect(told[0]?.correlationId).not.toBe(steps[0]?.correlationId)
})
