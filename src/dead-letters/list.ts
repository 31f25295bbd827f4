import type { z } from 'zod'
import type { deadLetterFilter } from '../api/contract-dead-letters.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import type { Db, Tx } from '../db/connect.ts'
import { uuidOf } from '../ids.ts'
import {
  countLetters,
  type LetterFilter,
  type LetterKind,
  type LetterState,
  type Scope,
  selectLetters,
} from './queries.ts'
import { filterOfReason, reasonOf } from './reasons.ts'
import { narrow } from './search.ts'
import { showLetter } from './show.ts'

/** Operators see all; a tenant's transaction shows that tenant's rows only, whatever a query asks for. */
export function inScope<T>(db: Db, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  return scope === null ? db.transaction(work) : db.tenantTransaction(scope, work)
}

type AskedState = LetterState | 'decided'

const statesOf = (state: AskedState): LetterState[] =>
  state === 'decided' ? ['requeued', 'discarded', 'resolved'] : [state]

export async function listLetters(
  db: Db,
  scope: Scope,
  query: { state: AskedState; filter: LetterFilter; after?: string | undefined; limit: number },
) {
  const after = decodeCursor(query.after)
  const states = statesOf(query.state)
  const rows = await inScope(db, scope, async (tx) => {
    const filter = await narrow(tx, scope, states, query.filter)
    return selectLetters(tx, scope, states, filter, after, query.limit + 1)
  })
  return pageOf(rows, query.limit, (row) => ({ at: row.created_at, id: row.id }), showLetter)
}

/** How many there are of what, the most first. */
export async function countByReason(
  db: Db,
  scope: Scope,
  query: { state: AskedState; filter: LetterFilter },
) {
  const states = statesOf(query.state)
  const rows = await inScope(db, scope, async (tx) =>
    countLetters(tx, scope, states, await narrow(tx, scope, states, query.filter)),
  )
  return {
    total: rows.reduce((total, { count }) => total + count, 0),
    groups: rows.map(({ newest_at, ...row }) => ({
      ...row,
      reason: reasonOf(row.kind, row.error_code),
      newest_at: newest_at.toISOString(),
    })),
  }
}

/** Ids that cannot be one of ours stay in the list as what matches nothing, so that they are counted as not found. */
const nobody = '00000000-0000-0000-0000-000000000000'

export function letterFilter(
  filter: z.output<typeof deadLetterFilter>,
  ids?: string[] | undefined,
): LetterFilter {
  const dateOf = (text: string | undefined) => (text === undefined ? null : new Date(text))
  const reason = filter.reason && filterOfReason(filter.reason)
  const code = filter.error_code
  return {
    tenantId: filter.tenant_id ?? null,
    kinds: both(both(filter.kind && [filter.kind], kindsOf(filter.direction)), reason?.kinds),
    codes: both(code === undefined ? undefined : [code], reason?.codes),
    notCodes: reason?.notCodes ?? null,
    phoneNumberId: filter.phone_number_id ?? null,
    messageId:
      filter.message_id === undefined ? null : (uuidOf('msg', filter.message_id) ?? nobody),
    createdBefore: dateOf(filter.created_before),
    createdAfter: dateOf(filter.created_after),
    ids: ids === undefined ? null : [...new Set(ids)].map((id) => uuidOf('dlq', id) ?? nobody),
    sought: filter.q ?? null,
  }
}

function kindsOf(direction: 'inbound' | 'outbound' | undefined): LetterKind[] | undefined {
  if (direction === undefined) return undefined
  return direction === 'outbound' ? ['outbound', 'unknown'] : ['inbound', 'malformed', 'unroutable']
}

/** What both allow; who says nothing allows all. */
function both<T>(one: T[] | null | undefined, other: T[] | null | undefined): T[] | null {
  if (!one || !other) return one ?? other ?? null
  return one.filter((value) => other.includes(value))
}
