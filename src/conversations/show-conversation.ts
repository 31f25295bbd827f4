// A conversation as callers see it: the row, and what was said last in it. One more statement a page.
import type { Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type LastMessageRow, selectLastMessages } from './list-queries.ts'
import { windowMs } from './model.ts'
import type { ConversationRow } from './read-queries.ts'

export async function prepareConversations(
  tx: Tx,
  tenantId: string,
  rows: ConversationRow[],
): Promise<(row: ConversationRow) => ReturnType<typeof show>> {
  const ids = rows.map(({ id }) => id)
  const last = await selectLastMessages(tx, tenantId, ids)
  const byConversation = new Map(last.map((message) => [message.conversation_id, message]))
  return (row) => show(row, byConversation.get(row.id))
}

export async function showConversation(tx: Tx, tenantId: string, row: ConversationRow) {
  return (await prepareConversations(tx, tenantId, [row]))(row)
}

/** People of ours have an id of ours; others are called what the application calls them. */
export function assigneeIdOf({
  assigned_user_id: id,
  assignee_name,
}: Pick<ConversationRow, 'assigned_user_id' | 'assignee_name'>): string | null {
  return id === null || assignee_name === null ? id : publicId('usr', id)
}

function show(
  { last_inbound_at, assignee_name, ...row }: ConversationRow,
  last: LastMessageRow | undefined,
) {
  const assignedId = assigneeIdOf({ ...row, assignee_name })
  return {
    ...row,
    id: publicId('conv', row.id),
    suppressions: row.suppressions.map((one) => ({
      ...one,
      id: publicId('sup', one.id),
      since: new Date(one.since).toISOString(),
    })),
    last_message_at: row.last_message_at.toISOString(),
    window_expires_at:
      last_inbound_at === null
        ? null
        : new Date(last_inbound_at.getTime() + windowMs).toISOString(),
    assigned_user_id: assignedId,
    assignee:
      assignedId === null || assignee_name === null
        ? null
        : { id: assignedId, name: assignee_name },
    last_message: last ? showLast(last) : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function showLast({ conversation_id: _, occurred_at, ...message }: LastMessageRow) {
  return { ...message, id: publicId('msg', message.id), at: occurred_at.toISOString() }
}
