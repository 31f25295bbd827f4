import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { type Db, sql, type Tx } from '../db/connect.ts'
import { type Act, firstHash, hashAct, recordAct } from './record.ts'

const tenantA = '00000000-0000-7000-8000-00000000000a'
const tenantB = '00000000-0000-7000-8000-00000000000b'
let db: Db

beforeAll(async () => {
  ;({ db } = await createTestDb())
})

beforeEach(async () => {
  await db.query(sql`truncate audit_chains, audit_log`)
})

function anAct(more: Partial<Act> = {}): Act {
  return {
    tenantId: tenantA,
    at: new Date('2026-09-01T12:00:00.123Z'),
    actor: 'alice',
    action: 'thing.done',
    subject: 'the thing',
    ...more,
  }
}

interface Row {
  position: number
  tenant_id: string | null
  at: Date
  actor: string
  action: string
  subject: string
  reason: string | null
  details: Record<string, unknown>
  previous_hash: Buffer
  hash: Buffer
}

function rowsOf(chain: string): Promise<Row[]> {
  return db.query(sql<Row>`
    select position::int, tenant_id, at, actor, action, subject, reason, details, previous_hash, hash
    from audit_log
    where chain = ${chain}
    order by position`)
}

/** From the rows alone, as somebody would who doubts them: without gaps, each on the one before, the end remembered. */
async function expectUnbroken(chain: string): Promise<Row[]> {
  const rows = await rowsOf(chain)
  let previous: Buffer = firstHash
  for (const [index, row] of rows.entries()) {
    const { tenant_id: tenantId, at, actor, action, subject, reason, details } = row
    const act = { tenantId, at, actor, action, subject, reason, details }
    expect(row.position).toBe(index + 1)
    expect(row.previous_hash).toEqual(previous)
    expect(row.hash).toEqual(hashAct(previous, chain, row.position, act))
    previous = row.hash
  }
  const ends = await db.query(sql`
    select position::int, hash
    from audit_chains
    where chain = ${chain}`)
  expect(ends).toEqual(rows.length === 0 ? [] : [{ position: rows.length, hash: previous }])
  return rows
}

describe('acts', () => {
  test('form a chain in which each row holds the hash of the one before', async () => {
    await db.transaction((tx) => recordAct(tx, anAct({ subject: 'first' })))
    await db.transaction(async (tx) => {
      await recordAct(tx, anAct({ subject: 'second', reason: 'because' }))
      await recordAct(tx, anAct({ subject: 'third' }))
    })

    const rows = await expectUnbroken(tenantA)
    expect(rows.map(({ subject }) => subject)).toEqual(['first', 'second', 'third'])
    expect(rows[1]).toMatchObject({ actor: 'alice', action: 'thing.done', reason: 'because' })
  })

  test('are hashed in a form that must not change, or older rows look forged', () => {
    const act = { ...anAct(), reason: 'because', details: { b: [{ d: 1, c: 2 }], a: null } }
    const told =
      `["${tenantA}",7,"${tenantA}","2026-09-01T12:00:00.123Z","alice","thing.done","the thing",` +
      '"because",{"a":null,"b":[{"c":2,"d":1}]}]'

    expect(hashAct(firstHash, tenantA, 7, act)).toEqual(
      createHash('sha256').update(firstHash).update(told).digest(),
    )
  })

  test('hash the same when they are read back, whatever their details hold', async () => {
    const details = {
      when: new Date('2026-09-01T00:00:00Z'),
      missing: undefined,
      list: [undefined, -0, 1e21, 0.1, 'ümlaut 😀 "\\', { z: 1, 10: 1, 9: 2, a: true }],
      nested: { b: {}, a: [] },
    }

    await db.transaction((tx) => recordAct(tx, anAct({ details })))

    expect(await expectUnbroken(tenantA)).toHaveLength(1)
  })

  test('of twenty at once follow each other without gaps or doubles', async () => {
    const subjects = Array.from({ length: 20 }, (_, index) => `thing ${index}`)

    await Promise.all(
      subjects.map((subject) => db.transaction((tx) => recordAct(tx, anAct({ subject })))),
    )

    const rows = await expectUnbroken(tenantA)
    expect(rows.map(({ subject }) => subject).sort()).toEqual(subjects.sort())
  })

  test('of each tenant, and of no tenant, form chains of their own', async () => {
    for (const tenantId of [tenantA, tenantB, null, tenantB]) {
      await db.transaction((tx) => recordAct(tx, anAct({ tenantId })))
    }

    expect(await expectUnbroken(tenantA)).toHaveLength(1)
    expect(await expectUnbroken(tenantB)).toHaveLength(2)
    expect(await expectUnbroken('operators')).toMatchObject([{ position: 1, tenant_id: null }])
  })

  test('that are rolled back leave neither a row nor a gap', async () => {
    const regret = new Error('rolled back on purpose')
    const regretted = (tx: Tx) => recordAct(tx, anAct({ subject: 'regretted' })).then(fail)
    const fail = () => Promise.reject(regret)

    await expect(db.transaction(regretted)).rejects.toBe(regret)
    expect(await expectUnbroken(tenantA)).toEqual([])
    await db.transaction((tx) => recordAct(tx, anAct({ subject: 'first' })))
    await expect(db.transaction(regretted)).rejects.toBe(regret)
    await db.transaction((tx) => recordAct(tx, anAct({ subject: 'second' })))

    const rows = await expectUnbroken(tenantA)
    expect(rows.map(({ subject }) => subject)).toEqual(['first', 'second'])
  })

  test('are recorded in the transaction of a tenant too, and only as its own', async () => {
    await db.transaction((tx) => recordAct(tx, anAct({ subject: 'by an operator' })))

    await db.tenantTransaction(tenantA, (tx) => recordAct(tx, anAct({ subject: 'by the tenant' })))
    await db.tenantTransaction(tenantB, (tx) => recordAct(tx, anAct({ tenantId: tenantB })))
    for (const tenantId of [tenantB, null]) {
      const foreign = db.tenantTransaction(tenantA, (tx) => recordAct(tx, anAct({ tenantId })))
      // 42501: row-level security
      await expect(foreign).rejects.toMatchObject({ code: '42501' })
    }

    expect(await expectUnbroken(tenantA)).toHaveLength(2)
    expect(await expectUnbroken(tenantB)).toHaveLength(1)
    expect(await expectUnbroken('operators')).toEqual([])
  })

  test('cannot be changed or taken back by a tenant', async () => {
    await db.transaction((tx) => recordAct(tx, anAct()))

    for (const statement of [
      sql`update audit_log set actor = 'mallory'`,
      sql`delete from audit_log`,
    ]) {
      const forged = db.tenantTransaction(tenantA, (tx) => tx.query(statement))
      await expect(forged).rejects.toMatchObject({ code: '42501' })
    }
  })
})
