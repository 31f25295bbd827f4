import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { type Db, sql } from '../db/connect.ts'
import { holdNumber } from './queue-queries.ts'

let db: Db

beforeAll(async () => {
  ;({ db } = await createTestDb())
})

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)

async function holdOf(tenantId: string): Promise<string> {
  const [row] = await db.query(sql<{ hold: string }>`
    select case when isfinite(hold_until) then to_char(hold_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      else hold_until::text end as hold
    from send_numbers where tenant_id = ${tenantId}`)
  return row?.hold ?? 'none'
}

describe('several holds of one number', () => {
  test('the longest counts, whichever came last', async () => {
    const tenant = await insertTenant(db)
    const [short, long] = [inMinutes(1), inMinutes(60)]
    await holdNumber(db, tenant, '1', long)
    await holdNumber(db, tenant, '1', short)
    expect(await holdOf(tenant)).toBe(long.toISOString())
    await holdNumber(db, tenant, '1', inMinutes(90))
    expect((await holdOf(tenant)) > long.toISOString()).toBe(true)
  })

  test('one that is parked stays parked, and a release ends them all', async () => {
    const tenant = await insertTenant(db)
    await holdNumber(db, tenant, '1', 'parked')
    await holdNumber(db, tenant, '1', inMinutes(1))
    expect(await holdOf(tenant)).toBe('infinity')
    await holdNumber(db, tenant, '1', null)
    expect(await holdOf(tenant)).toBe('-infinity')
  })
})
