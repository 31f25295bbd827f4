// The inbox of a large firm is as quick as that of a small one: what a page reads does not grow with what is stored.
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { seedConversations } from '../../test/support/many-conversations.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { type Db, sql, type Tx } from '../db/connect.ts'
import {
  type ConversationFilter,
  countConversations,
  planAnew,
  selectConversations,
  selectLastMessages,
} from './list-queries.ts'

const stored = 8_000
const somebody = '4f9d2b1e-8f0a-4c6b-9d57-1f2e3a4b5c6d'
const nobody = '00000000-0000-4000-8000-000000000001'
const all: ConversationFilter = {
  status: null,
  phoneNumberId: null,
  assignedTo: null,
  isNobodys: false,
  isUnread: null,
}

let db: Db
let tenant: string

beforeAll(async () => {
  db = (await createTestDb()).db
  tenant = await insertTenant(db)
  // A neighbour, without whom every row would be the tenant's.
  const neighbour = await insertTenant(db)
  for (const tenantId of [tenant, neighbour]) {
    await seedConversations(db, {
      tenantId,
      phoneNumberId: `number-of-${tenantId}`,
      count: stored,
      assignedTo: somebody,
    })
  }
})

/** In one transaction: Postgres counts what it has read at once. */
async function rowsRead(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  return db.tenantTransaction(tenant, async (tx) => {
    await planAnew(tx)
    const before = await counted(tx)
    await work(tx)
    return (await counted(tx)) - before
  })
}

async function counted(tx: Tx): Promise<number> {
  const [read] = await tx.query(sql<{ rows: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
    from pg_stat_xact_user_tables
    where relname like 'whatsapp_%'`)
  return read?.rows ?? Number.NaN
}

const cursor = {
  at: new Date(Date.now() - (stored / 2) * 60_000),
  id: '00000000-0000-0000-0000-000000000000',
}

describe('a page of 50 reads little', () => {
  test.each<[string, Partial<ConversationFilter>, number]>([
    ['all', {}, 50],
    ['open', { status: 'open' }, 50],
    ['the few closed', { status: 'closed' }, stored / 1_000],
    ['assigned to somebody', { status: 'open', assignedTo: somebody }, 50],
    ['assigned to somebody who has none', { status: 'open', assignedTo: nobody }, 0],
    ['the few of nobody', { status: 'open', isNobodys: true }, stored / 1_000],
    ['the few unread', { status: 'open', isUnread: true }, stored / 1_000],
  ])('%s', async (_title, wanted, count) => {
    const filter = { ...all, ...wanted }
    let rows: { id: string }[] = []
    const read = await rowsRead(async (tx) => {
      rows = await selectConversations(tx, tenant, filter, null, 50)
      const ids = rows.map(({ id }) => id)
      expect(await selectLastMessages(tx, tenant, ids)).toHaveLength(count)
    })
    expect(rows).toHaveLength(count)
    // The conversation, its contact, its last message, and whatever the index turned up beside them.
    expect(read).toBeLessThan(500)
    if (count < 50) return
    const later = await rowsRead((tx) => selectConversations(tx, tenant, filter, cursor, 50))
    expect(later).toBeLessThan(500)
  })
})

test('counting stops at a thousand', async () => {
  let counts: unknown
  const read = await rowsRead(async (tx) => {
    counts = await countConversations(tx, tenant, somebody)
  })
  expect(counts).toEqual({
    open: 1_000,
    closed: stored / 1_000,
    mine: 1_000,
    unassigned: stored / 1_000,
    waiting: stored / 1_000,
  })
  expect(read).toBeLessThan(5_000)
})
