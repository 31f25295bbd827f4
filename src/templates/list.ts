// Lists of templates and of how far their mirrors are, for the API and the command line.
import { findOneWaba, findWabas, type WabaChoice } from '../accounts/find-waba.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import type { Db } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { selectTemplates } from './queries.ts'
import { showSync, showTemplate } from './show.ts'
import type { TemplateSync } from './sync.ts'
import { selectSyncs } from './sync-queries.ts'

export interface ListQuery extends WabaChoice {
  limit: number
  after?: string | undefined
  name?: string | undefined
  language?: string | undefined
  status?: string | undefined
  category?: string | undefined
  gone: boolean
}

export async function listTemplates(db: Db, tenantId: string, query: ListQuery) {
  const { limit, after, name = null, language = null, status = null, category = null } = query
  const rows = await db.tenantTransaction(tenantId, async (tx) => {
    const wabaIds = isNamed(query) ? await findWabas(tx, tenantId, query) : null
    const filter = { wabaIds, name, language, status, category, isGone: query.gone }
    return selectTemplates(tx, tenantId, filter, decodeCursor(after), limit + 1)
  })
  return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }), showTemplate)
}

const isNamed = ({ account_id, phone_number_id }: WabaChoice) =>
  account_id !== undefined || phone_number_id !== undefined

export async function syncOfAccount(db: Db, tenantId: string, account_id: string, now: Date) {
  const [row] = await db.tenantTransaction(tenantId, async (tx) =>
    selectSyncs(tx, tenantId, await findOneWaba(tx, tenantId, { account_id })),
  )
  if (!row) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  return showSync(row, now)
}

export async function listSyncs(db: Db, tenantId: string, now: Date) {
  const rows = await db.tenantTransaction(tenantId, (tx) => selectSyncs(tx, tenantId, null))
  return rows.map((row) => showSync(row, now))
}

/** Of the account that is named, or of all. One alone fails with its error; of several, each tells its own. */
export async function syncAccounts(
  { db, sync }: { db: Db; sync: TemplateSync },
  tenantId: string,
  choice: WabaChoice,
) {
  const wabaIds = await db.tenantTransaction(tenantId, (tx) => findWabas(tx, tenantId, choice))
  if (wabaIds.length === 0) throw noSuchAccount(choice)
  const results = []
  for (const wabaId of wabaIds) {
    const result = await sync.syncNow(tenantId, wabaId).catch((error) => {
      if (!(error instanceof AppError) || wabaIds.length === 1) throw error
      return { listed: 0, added: 0, gone: 0, error: { code: error.code, message: error.message } }
    })
    const { listed, added, gone } = result
    results.push({
      waba_id: wabaId,
      listed,
      added,
      gone,
      error: 'error' in result ? result.error : null,
    })
  }
  return results
}

function noSuchAccount({ account_id, phone_number_id }: WabaChoice): AppError {
  const field = account_id === undefined ? 'phone_number_id' : 'account_id'
  if (account_id === undefined && phone_number_id === undefined) {
    return notFound('ACCOUNT_NOT_FOUND', 'account: no number is connected')
  }
  const problem = 'is not one of yours'
  return new AppError('INVALID_REQUEST', 400, `${field}: ${problem}`, {
    details: { fields: [{ field, problem }] },
  })
}
