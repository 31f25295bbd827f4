import type { z } from 'zod'
import type { deadLetterFilter } from '../api/contract-dead-letters.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import type { Db, Tx } from '../db/connect.ts'
import { uuidOf } from '../ids.ts'
import { type LetterFilter, type LetterState, type Scope, selectLetters } from './queries.ts'
import { showLetter } from './show.ts'

/** Operators see all; a tenant's transaction shows that tenant's rows only, whatever a query asks for. */
export function inScope<T>(db: Db, scope: Scope, work: (tx: Tx) => Promise<T>): Promise<T> {
  return scope === null ? db.transaction(work) : db.tenantTransaction(scope, work)
}

export async function listLetters(
  db: Db,
  scope: Scope,
  query: { state: LetterState; filter: LetterFilter; after?: string | undefined; limit: number },
) {
  const after = decodeCursor(query.after)
  const rows = await inScope(db, scope, (tx) =>
    selectLetters(tx, scope, query.state, query.filter, after, query.limit + 1),
  )
  return pageOf(rows, query.limit, (row) => ({ at: row.created_at, id: row.id }), showLetter)
}

/** Ids that cannot be one of ours stay in the list as what matches nothing, so that they are counted as not found. */
const nobody = '00000000-0000-0000-0000-000000000000'

export function letterFilter(
  filter: z.output<typeof deadLetterFilter>,
  ids?: string[] | undefined,
): LetterFilter {
  const dateOf = (text: string | undefined) => (text === undefined ? null : new Date(text))
  return {
    tenantId: filter.tenant_id ?? null,
    kind: filter.kind ?? null,
    errorCode: filter.error_code ?? null,
    phoneNumberId: filter.phone_number_id ?? null,
    messageId:
      filter.message_id === undefined ? null : (uuidOf('msg', filter.message_id) ?? nobody),
    createdBefore: dateOf(filter.created_before),
    createdAfter: dateOf(filter.created_after),
    ids: ids === undefined ? null : [...new Set(ids)].map((id) => uuidOf('dlq', id) ?? nobody),
  }
}
