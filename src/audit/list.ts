// The audit as a list, newest first: one tenant's or everybody's.
import { cursorTime, invalidCursor } from '../api/paging.ts'
import type { Db, Tx } from '../db/connect.ts'
import {
  type ActRow,
  type AuditCursor,
  selectActs,
  selectActsOfChain,
  selectActsOnLetter,
  selectNames,
} from './queries.ts'

export interface AuditQuery {
  /** Who is asking: a tenant sees its own chain, an operator (null) all. */
  scope: string | null
  tenantId: string | null
  after?: string | undefined
  limit: number
  /** With a dot at its end: every action that begins so. */
  action?: string | undefined
  actor?: string | undefined
  subject?: string | undefined
  from?: Date | null
  to?: Date | null
}

export async function listActs(db: Db, query: AuditQuery) {
  const after = decodeAuditCursor(query.after)
  const chain = query.tenantId ?? query.scope
  const { action = null, actor = null, subject = null, from = null, to = null } = query
  const wishes = { action, actor, subject, from, to }
  const read = (tx: Tx) =>
    chain === null
      ? selectActs(tx, wishes, after, query.limit + 1)
      : selectActsOfChain(tx, chain, wishes, after, query.limit + 1)
  const rows = query.scope === null ? await read(db) : await db.tenantTransaction(query.scope, read)
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  const named = shown.flatMap((row) => [row.actor, row.subject])
  const names = new Map(
    (await selectNames(db, query.scope, named)).map(({ id, name }) => [id, name]),
  )
  return {
    data: shown.map((row) => ({
      ...showAct(row),
      actor_name: names.get(row.actor) ?? null,
      subject_name: names.get(row.subject) ?? null,
    })),
    paging: { next: rows.length > query.limit && last ? encodeAuditCursor(last) : null },
  }
}

/** Who looked at a dead letter and who decided on it, the latest first. */
export async function listActsOn(tx: Tx, tenantId: string | null, letterId: string) {
  const rows = await selectActsOnLetter(tx, tenantId ?? 'operators', letterId, 200)
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
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

export function decodeAuditCursor(text: string | undefined): AuditCursor | null {
  if (text === undefined) return null
  const decoded = Buffer.from(text, 'base64url').toString('utf8')
  const [, time = '', chain = '', position] =
    /^(\S{1,40}) (operators|[0-9a-f-]{36}) (\d{1,15})$/.exec(decoded) ?? []
  const at = cursorTime(time)
  if (position === undefined || Number.isNaN(at.getTime())) throw invalidCursor()
  return { at, chain, position: Number(position) }
}
