import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { seed, times } from '../../test/support/chance.ts'
import { createTestDb } from '../../test/support/database.ts'
import { type Db, sql } from '../db/connect.ts'
import { hashAct, recordAct, recordActs } from './record.ts'
import { verifyAudit } from './verify.ts'
import { verifyPart } from './verify-part.ts'

let db: Db
let counter = 0

beforeAll(async () => {
  db = (await createTestDb()).db
})

/** A tenant whose chain has this many rows. */
async function chainOf(rows: number): Promise<string> {
  counter++
  const id = `00000000-0000-7000-8000-${String(counter).padStart(12, '0')}`
  const now = new Date('2026-03-01T10:00:00.123Z')
  await db.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    values (${id}, 'Firm', ${`firm-${counter}`}, ${now}, ${now})`)
  await db.transaction(async (tx) => {
    for (let index = 1; index <= rows; index++) {
      await recordAct(tx, {
        tenantId: id,
        at: new Date(now.getTime() + index),
        actor: 'alice',
        action: 'thing.done',
        subject: `thing_${index}`,
        reason: `because ${index}`,
        details: { index, z: 1, a: { y: [1, 'ü'], x: null } },
      })
    }
  })
  return id
}

/** As somebody with the database's own rights would, who is stopped neither by foreign keys nor by checks. */
async function tamper(script: string): Promise<void> {
  await db.session(async (session) => {
    await session.script(`
      alter table audit_log drop constraint if exists audit_log_check;
      alter table audit_chains drop constraint if exists audit_chains_check;
      set session_replication_role = replica`)
    await session.script(script)
    await session.script('set session_replication_role = default')
  })
}

async function firstBreak(chain: string) {
  const { broken } = await verifyAudit(db, chain)
  return broken[0]
}

describe('a whole audit', () => {
  test('verifies, over more rows than one batch, and says where each chain ends', async () => {
    const chain = await chainOf(2)
    const at = new Date('2026-03-01T11:00:00Z')
    const act = { tenantId: chain, at, actor: 'alice', action: 'thing.done', subject: 'many' }
    await db.transaction((tx) => recordActs(tx, Array(1500).fill(act)))

    const result = await verifyAudit(db, chain)

    expect(result.broken).toEqual([])
    expect(result.rows).toBe(1502)
    expect(result.chains).toEqual([
      { chain, position: 1502, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })

  test('survives the round trip through jsonb and text, whatever an act says', async () => {
    const chain = await chainOf(1)
    const text = fc.string({ unit: 'binary' })
    const acts = fc.sample(
      fc.record({
        tenantId: fc.constant(chain),
        at: fc.date({
          min: new Date('1970-01-01T00:00:00Z'),
          max: new Date('9999-12-31T00:00:00Z'),
          noInvalidDate: true,
        }),
        actor: text,
        action: text,
        subject: text,
        reason: text,
        details: fc.dictionary(text, fc.jsonValue({ stringUnit: 'binary' }), {
          noNullPrototype: true,
        }),
      }),
      { numRuns: times(300), seed },
    )
    const odd = {
      ...acts[0],
      tenantId: chain,
      at: new Date('2026-01-01T00:00:00Z'),
      actor: 'half \ud800 and \0',
      action: 'a',
      subject: 's',
      details: {
        when: new Date('2026-01-01T00:00:00Z'),
        gone: undefined,
        numbers: [1e21, 1e-7, 5e-324, 1.7976931348623157e308, -0, 0.1 + 0.2, 2 ** 53],
        '\0': '\udfff',
        b: 1,
        a: 2,
        10: 1,
        9: 2,
      },
    }

    await db.transaction((tx) => recordActs(tx, [...acts, odd]))

    expect((await verifyAudit(db, chain)).broken).toEqual([])
  })

  test('twenty acts at once make one chain without a fork', async () => {
    const chain = await chainOf(1)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        db.transaction((tx) =>
          recordAct(tx, {
            tenantId: chain,
            at: new Date('2026-03-01T12:00:00Z'),
            actor: 'bob',
            action: 'thing.done',
            subject: `at_once_${index}`,
          }),
        ),
      ),
    )

    expect(await verifyAudit(db, chain)).toMatchObject({ rows: 21, broken: [] })
  })
})

describe('the verifier names the first broken row', () => {
  test.each([
    ['actor', `actor = 'mallory'`],
    ['action', `action = 'thing.undone'`],
    ['subject', `subject = 'thing_9'`],
    ['reason', `reason = null`],
    ['details', `details = jsonb_set(details, '{index}', '4')`],
    ['at by a microsecond', `at = at + interval '1 microsecond'`],
    ['at to infinity', `at = 'infinity'`],
    ['tenant', `tenant_id = null`],
    ['hash', `hash = sha256('mine')`],
  ])('when its %s was changed', async (_what, change) => {
    const chain = await chainOf(5)
    await tamper(`update audit_log set ${change} where chain = '${chain}' and position in (3, 4)`)

    expect(await firstBreak(chain)).toMatchObject({
      chain,
      position: 3,
      problem: 'content_changed',
    })
  })

  test('when a row in the middle was deleted', async () => {
    const chain = await chainOf(5)
    await tamper(`delete from audit_log where chain = '${chain}' and position in (2, 3)`)

    expect(await firstBreak(chain)).toMatchObject({
      position: 2,
      problem: 'row_missing',
      message: 'row 2 to 3 was deleted',
    })
  })

  test('when the first row was deleted', async () => {
    const chain = await chainOf(3)
    await tamper(`delete from audit_log where chain = '${chain}' and position = 1`)

    expect(await firstBreak(chain)).toMatchObject({ position: 1, problem: 'row_missing' })
  })

  test('when rows were closed up over a deleted one', async () => {
    const chain = await chainOf(5)
    await tamper(`
      delete from audit_log where chain = '${chain}' and position = 2;
      update audit_log set position = position - 1 where chain = '${chain}' and position = 3;
      update audit_log set position = position - 1 where chain = '${chain}' and position = 4;
      update audit_log set position = position - 1 where chain = '${chain}' and position = 5;
      update audit_chains set position = 4 where chain = '${chain}'`)

    expect(await firstBreak(chain)).toMatchObject({ position: 2, problem: 'row_out_of_place' })
  })

  test('when the end was cut off', async () => {
    const chain = await chainOf(5)
    await tamper(`delete from audit_log where chain = '${chain}' and position > 3`)

    expect(await firstBreak(chain)).toMatchObject({ position: 4, problem: 'tail_cut' })
  })

  test('when everything was deleted but the count', async () => {
    const chain = await chainOf(2)
    await tamper(`delete from audit_log where chain = '${chain}'`)

    expect(await firstBreak(chain)).toMatchObject({ position: 1, problem: 'tail_cut' })
  })

  test('when two rows changed places', async () => {
    const chain = await chainOf(5)
    await tamper(`
      update audit_log set position = 99 where chain = '${chain}' and position = 2;
      update audit_log set position = 2 where chain = '${chain}' and position = 3;
      update audit_log set position = 3 where chain = '${chain}' and position = 99`)

    expect(await firstBreak(chain)).toMatchObject({ position: 2, problem: 'row_out_of_place' })
  })

  test('when a row was rewritten together with its own hash: at the next one', async () => {
    const chain = await chainOf(3)
    const [row] = await db.query(sql<{ at: Date; details: unknown; previous_hash: Buffer }>`
      select at, details, previous_hash from audit_log where chain = ${chain} and position = 2`)
    if (!row) throw new Error('there is a second row')
    const forged = {
      tenantId: chain,
      at: row.at,
      actor: 'mallory',
      action: 'thing.done',
      subject: 'thing_2',
      reason: 'because 2',
      details: row.details,
    }
    const hash = hashAct(row.previous_hash, chain, 2, forged).toString('hex')
    await tamper(`update audit_log set actor = 'mallory', hash = '\\x${hash}'
      where chain = '${chain}' and position = 2`)

    expect(await firstBreak(chain)).toMatchObject({ position: 3, problem: 'row_out_of_place' })
  })

  test.each([
    [0, 'no row is written there'],
    [4, 'the chain ends before it'],
  ])('when a row was inserted at %i', async (position, message) => {
    const chain = await chainOf(3)
    await tamper(`
      insert into audit_log (chain, position, tenant_id, at, actor, action, subject, details, previous_hash, hash)
      select chain, ${position}, tenant_id, at, actor, action, subject, details, hash, sha256('mine')
      from audit_log where chain = '${chain}' and position = 3`)

    expect(await firstBreak(chain)).toMatchObject({
      position,
      problem: 'row_inserted',
      message: expect.stringContaining(message),
    })
  })

  test('when the chain’s end was changed', async () => {
    const chain = await chainOf(3)
    await tamper(`update audit_chains set hash = sha256('mine') where chain = '${chain}'`)

    expect(await firstBreak(chain)).toMatchObject({ position: 3, problem: 'end_changed' })
  })

  test('when the chain’s own row is missing, alone or with all its rows', async () => {
    const chain = await chainOf(3)
    const gone = await chainOf(3)
    await tamper(`
      delete from audit_chains where chain in ('${chain}', '${gone}');
      delete from audit_log where chain = '${gone}'`)

    const { broken } = await verifyAudit(db, null)

    expect(broken).toContainEqual(
      expect.objectContaining({ chain, position: null, problem: 'chain_missing' }),
    )
    expect(broken).toContainEqual(
      expect.objectContaining({ chain: gone, position: null, problem: 'chain_missing' }),
    )
  })

  test('when the chain was given to another tenant', async () => {
    const chain = await chainOf(1)
    await tamper(`update audit_chains set tenant_id = null where chain = '${chain}'`)

    expect(await firstBreak(chain)).toMatchObject({ position: null, problem: 'chain_changed' })
  })

  test('and one broken chain does not hide the others', async () => {
    const [first, second] = [await chainOf(2), await chainOf(2)]
    await tamper(
      `update audit_log set actor = 'mallory' where chain in ('${first}', '${second}') and position = 2`,
    )

    const { broken } = await verifyAudit(db, null)

    expect(broken.map((found) => found.chain)).toEqual(expect.arrayContaining([first, second]))
  })
})

describe('part by part', () => {
  /** As a page would ask, until there is nothing left. */
  async function verifyAll(scope: string | null, tenantId: string | null) {
    const parts: Awaited<ReturnType<typeof verifyPart>>[] = []
    let after: string | null | undefined
    while (after !== null) {
      const part = await verifyPart(db, { scope, tenantId, after })
      parts.push(part)
      after = part.next
    }
    return parts
  }
  const many = (chain: string, count: number) =>
    db.transaction((tx) =>
      recordActs(
        tx,
        Array(count).fill({
          tenantId: chain,
          at: new Date('2026-03-01T11:00:00Z'),
          actor: 'alice',
          action: 'thing.done',
          subject: 'many',
        }),
      ),
    )

  test('a long chain takes several calls, and all of it is counted once', async () => {
    const chain = await chainOf(3)
    await many(chain, 9000)

    const parts = await verifyAll(chain, null)

    expect(parts.length).toBeGreaterThan(1)
    expect(parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(9003)
    expect(parts.flatMap(({ whole }) => whole)).toEqual([
      { tenant_id: chain, position: 9003, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(parts.flatMap(({ broken }) => broken)).toEqual([])
    expect(new Set(parts.map((part) => part.total_rows))).toEqual(new Set([9003]))
  })

  test('a row is named that was changed behind the first part, and one that went between two parts', async () => {
    const chain = await chainOf(1)
    await many(chain, 7000)
    await tamper(`update audit_log set reason = 'x' where chain = '${chain}' and position = 6500`)
    const parts = await verifyAll(null, chain)
    expect(parts.flatMap(({ broken }) => broken)).toEqual([
      expect.objectContaining({ tenant_id: chain, position: 6500, problem: 'content_changed' }),
    ])

    const [first] = parts
    await tamper(`delete from audit_log where chain = '${chain}' and position = ${first?.rows}`)
    const after = first?.next ?? undefined
    const { broken } = await verifyPart(db, { scope: null, tenantId: chain, after })
    expect(broken).toEqual([
      expect.objectContaining({ position: first?.rows, problem: 'row_missing' }),
    ])
  })

  test('all chains are walked, also those nobody is left of, and as at the command line', async () => {
    const gone = await chainOf(2)
    await tamper(`delete from audit_chains where chain = '${gone}'`)
    for (let index = 0; index < 101; index++) await chainOf(1)

    const parts = await verifyAll(null, null)
    const whole = await verifyAudit(db, null)

    expect(parts.length).toBeGreaterThan(1)
    expect(parts.flatMap(({ broken }) => broken)).toEqual(
      whole.broken.map(({ chain, ...broken }) => ({ tenant_id: chain, ...broken })),
    )
    expect(whole.broken.map(({ chain }) => chain)).toContain(gone)
    expect(parts.flatMap((part) => part.whole)).toEqual(
      whole.chains.map(({ chain, ...end }) => ({ tenant_id: chain, ...end })),
    )
  })

  test('a tenant gets its own chain and no other', async () => {
    const [own, other] = [await chainOf(1), await chainOf(1)]
    const asked = (tenantId: string | null, after?: string) =>
      verifyPart(db, { scope: own, tenantId, after })
    expect((await asked(null)).whole.map(({ tenant_id }) => tenant_id)).toEqual([own])
    await expect(asked(other)).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' })
    const foreign = Buffer.from(`${other} 0`).toString('base64url')
    await expect(asked(null, foreign)).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    await expect(asked(null, 'nonsense')).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    const nobody = '00000000-0000-7000-8000-ffffffffffff'
    await expect(
      verifyPart(db, { scope: null, tenantId: nobody, after: undefined }),
    ).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' })
  })
})
