// The audit as a list, newest first: one tenant's or everybody's.
import type { Db, Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { type ActRow, type AuditCursor, selectActs, selectActsOfChain } from './queries.ts'

export interface AuditQuery {
  /** Who is asking: a tenant sees its own chain, an operator (null) all. */
  scope: string | null
  tenantId: string | null
  after: string | undefined
  limit: number
}

export async function listActs(db: Db, query: AuditQuery) {
  const after = decodeAuditCursor(query.after)
  const chain = query.tenantId ?? query.scope
  const read = (tx: Tx) =>
    chain === null
      ? selectActs(tx, after, query.limit + 1)
      : selectActsOfChain(tx, chain, after, query.limit + 1)
  const rows = query.scope === null ? await read(db) : await db.tenantTransaction(query.scope, read)
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  return {
    data: shown.map(showAct),
    paging: { next: rows.length > query.limit && last ? encodeAuditCursor(last) : null },
  }
}

function showAct({ chain: _chain, ...row }: ActRow) {
  return {
    ...row,
    position: Number(row.position),
    at: row.at.toISOString(),
    hash: row.hash.toString('hex'),
  }
}

function encodeAuditCursor(row: ActRow): string {
  return Buffer.from(`${row.at.toISOString()} ${row.chain} ${row.position}`).toString('base64url')
}

function decodeAuditCursor(text: string | undefined): AuditCursor | null {
  if (text === undefined) return null
  const decoded = Buffer.from(text, 'base64url').toString('utf8')
  const [, time = '', chain = '', position] =
    /^(\S{1,40}) (operators|[0-9a-f-]{36}) (\d{1,15})$/.exec(decoded) ?? []
  const at = new Date(time)
  if (position === undefined || Number.isNaN(at.getTime())) {
    const problem = 'not a cursor of this API; start again without it'
    throw new AppError('INVALID_CURSOR', 400, `after: ${problem}`, {
      details: { fields: [{ field: 'after', problem }] },
    })
  }
  return { at, chain, position: Number(position) }
}
