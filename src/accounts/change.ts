// Choosing what answers a number's messages by itself; written down in the same transaction.
import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import { type AccountRow, lockAccount, selectAccountId, updateResponder } from './queries.ts'

export interface AccountChange {
  responder?: AccountRow['responder'] | undefined
  auto_reply_text?: string | null | undefined
  reason?: string | undefined
}

/** What is as wanted already is left alone, also in the audit. */
export async function changeAccount(
  db: Db,
  tenantId: string,
  publicAccountId: string,
  { reason, ...change }: AccountChange,
  by: { actor: string; at: Date },
): Promise<AccountRow> {
  return db.transaction(async (tx) => {
    const uuid = uuidOf('acc', publicAccountId)
    const before = uuid && (await lockAccount(tx, tenantId, uuid))
    if (!before) throw notFound('ACCOUNT_NOT_FOUND', 'account')
    const after: AccountRow = {
      ...before,
      responder: change.responder ?? before.responder,
      auto_reply_text:
        change.auto_reply_text === undefined ? before.auto_reply_text : change.auto_reply_text,
    }
    if (after.responder === 'auto_reply' && after.auto_reply_text === null) {
      const problem = 'required: what auto_reply is to say'
      throw new AppError('INVALID_REQUEST', 400, `auto_reply_text: ${problem}`, {
        details: { fields: [{ field: 'auto_reply_text', problem }] },
      })
    }
    const changed = (['responder', 'auto_reply_text'] as const).filter(
      (key) => before[key] !== after[key],
    )
    if (changed.length === 0) return before
    await updateResponder(tx, tenantId, after, by.at)
    await recordAct(tx, {
      tenantId,
      at: by.at,
      actor: by.actor,
      action: 'account.changed',
      subject: publicAccountId,
      ...(reason !== undefined && { reason }),
      details: {
        phone_number_id: after.phone_number_id,
        ...Object.fromEntries(changed.map((key) => [key, { from: before[key], to: after[key] }])),
      },
    })
    return after
  })
}

/** The account's public id, by itself or by its number. */
export async function accountNamed(db: Db, tenantId: string, idOrNumber: string): Promise<string> {
  if (uuidOf('acc', idOrNumber)) return idOrNumber
  const id = await selectAccountId(db, tenantId, idOrNumber)
  if (!id) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  return publicId('acc', id)
}
