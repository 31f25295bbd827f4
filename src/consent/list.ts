// Who gets nothing more, as callers see it.
import type { z } from 'zod'
import type { suppressionsQuery } from '../api/contract-consent.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type SuppressionRow, selectSuppressions } from './queries.ts'

export async function listSuppressions(
  db: Db,
  tenantId: string,
  query: z.output<typeof suppressionsQuery>,
) {
  const filter = {
    isActive: query.state === 'all' ? null : query.state === 'active',
    scope: query.scope ?? null,
    reason: query.reason ?? null,
    phoneNumberId: query.phone_number_id ?? null,
    pattern: query.q === undefined ? null : `%${query.q.replace(/[\\%_]/g, '\\$&')}%`,
  }
  const after = decodeCursor(query.after)
  const rows = await db.tenantTransaction(tenantId, (tx) =>
    selectSuppressions(tx, tenantId, filter, after, query.limit + 1),
  )
  return pageOf(rows, query.limit, (row) => ({ at: row.updated_at, id: row.id }), showSuppression)
}

export function showSuppression(row: SuppressionRow) {
  const { is_active, contact_id: _, since, reason, ...shown } = row
  if (since === null || reason === null) throw new Error('bug: shown without ever having been set')
  return {
    ...shown,
    id: publicId('sup', row.id),
    state: is_active ? ('active' as const) : ('lifted' as const),
    reason,
    since: since.toISOString(),
    lifted_at: is_active ? null : (row.lifted_at?.toISOString() ?? null),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
