// Closing, reopening and assigning a conversation; written down in the same transaction.
import { recordAct } from '../audit/record.ts'
import type { Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import { holdConversation } from './find.ts'
import { selectAssignee } from './list-queries.ts'
import { type ConversationRow, updateConversation } from './read-queries.ts'
import { assigneeIdOf } from './show-conversation.ts'

export interface ConversationChange {
  status?: 'open' | 'closed' | undefined
  /** `usr_…` or a uuid. */
  assigned_user_id?: string | null | undefined
}

/** What is as wanted already is left alone, also in the audit. */
export async function changeConversation(
  tx: Tx,
  tenantId: string,
  publicConversationId: string,
  change: ConversationChange,
  by: { actor: string; at: Date },
): Promise<ConversationRow> {
  const before = await holdConversation(tx, tenantId, publicConversationId)
  const after: ConversationRow = {
    ...before,
    ...(await assigneeAfter(tx, tenantId, before, change.assigned_user_id)),
    status: change.status ?? before.status,
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
      changed.map((key) => [key, { from: named(before, key), to: named(after, key) }]),
    ),
  })
  return after
}

/** As the API names it: what the audit says of a person is found by that name. */
function named(row: ConversationRow, key: 'status' | 'assigned_user_id'): string | null {
  return key === 'assigned_user_id' ? assigneeIdOf(row) : row[key]
}

/**
 * One of the tenant's own people, and none who is shut out; whoever has it already may keep it. A bare uuid that is nobody
 * here is somebody of the application's.
 */
async function assigneeAfter(
  tx: Tx,
  tenantId: string,
  before: ConversationRow,
  wanted: string | null | undefined,
): Promise<Pick<ConversationRow, 'assigned_user_id' | 'assignee_name'>> {
  const { assigned_user_id, assignee_name } = before
  if (wanted === undefined) return { assigned_user_id, assignee_name }
  if (wanted === null) return { assigned_user_id: null, assignee_name: null }
  const id = uuidOf('usr', wanted) ?? wanted
  if (id === assigned_user_id) return { assigned_user_id, assignee_name }
  const person = await selectAssignee(tx, tenantId, id)
  if (!person && wanted === id) return { assigned_user_id: id, assignee_name: null }
  if (!person) throw notFound('PERSON_NOT_FOUND', 'person')
  if (person.is_disabled) {
    throw new AppError('PERSON_DISABLED', 409, 'This person is shut out. Let them in first.')
  }
  return { assigned_user_id: id, assignee_name: person.name }
}
