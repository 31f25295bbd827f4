// What Meta said about our access to an account's templates, shown on the account itself.
import { endTemplatesReauth, requireTemplatesReauth } from '../accounts/reauth.ts'
import type { Db } from '../db/connect.ts'
import { transactionWithRetry } from '../db/retry.ts'

/**
 * `denied`: why; null: it was let in. In a commit of its own, because whoever connects a number takes the account before the
 * mirror. Should it be lost, the next listing says the same.
 */
export async function showTemplateAccess(
  db: Db,
  tenantId: string,
  wabaId: string,
  denied: string | null,
): Promise<void> {
  await transactionWithRetry(db, (tx) =>
    denied === null
      ? endTemplatesReauth(tx, tenantId, wabaId)
      : requireTemplatesReauth(tx, tenantId, wabaId, denied),
  )
}
