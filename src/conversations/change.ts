// Closing, reopening and assigning a conversation; written down in the same transaction.
import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { holdConversation } from './find.ts'
import { type ConversationRow, updateConversation } from './read-queries.ts'

export interface ConversationChange {
  status?: 'open' | 'closed' | undefined
  assigned_user_id?: string | null | undefined
}

/** What is as wanted already is left alone, also in the audit. */
export async function changeConversation(
  db: Db,
  tenantId: string,
  publicConversationId: string,
  change: ConversationChange,
  by: { actor: string; at: Date },
): Promise<ConversationRow> {
  return db.tenantTransaction(tenantId, async (tx) => {
    const before = await holdConversation(tx, tenantId, publicConversationId)
    const after: ConversationRow = {
      ...before,
      status: change.status ?? before.status,
      assigned_user_id:
        change.assigned_user_id === undefined ? before.assigned_user_id : change.assigned_user_id,
      updated_at: by.at,
    }
    const changed = (['status', 'assigned_user_id'] as const).filter(
      (key) => before[key] !== after[key],
    )
    if (changed.length === 0) return before
    await updateConversation(tx, tenantId, after, by.at)
    await recordAct(tx, {
      tenantId,
      at: by.at,
      actor: by.actor,
      action: 'conversation.changed',
      subject: publicId('conv', after.id),
      details: Object.fromEntries(
        changed.map((key) => [key, { from: before[key], to: after[key] }]),
      ),
    })
    return after
  })
}
