// A message as callers see it: the row, who wrote it, and what later messages did to it. Two more statements a page,
// however many messages it has; a third where some of them have files.
import type { Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type MessageMedia, mediaOfMessages, noMedia } from '../media/show.ts'
import {
  type ChangeRow,
  type MessageRow,
  type SenderRow,
  selectLatestChanges,
  selectSenders,
} from './read-queries.ts'

export type ShowMessage = (row: MessageRow) => ReturnType<typeof show>

/** Reads what belongs to these messages; the returned function shows each of them. */
export async function prepareMessages(
  tx: Tx,
  tenantId: string,
  rows: MessageRow[],
): Promise<ShowMessage> {
  const wamids = rows.flatMap((row) => row.wamid ?? [])
  const senderIds = [...new Set(rows.flatMap((row) => row.sender_contact_id ?? []))]
  const changes = wamids.length > 0 ? await selectLatestChanges(tx, tenantId, wamids) : []
  const senders = senderIds.length > 0 ? await selectSenders(tx, tenantId, senderIds) : []
  const media = await mediaOfMessages(tx, tenantId, rows)
  const byTarget = new Map<string, ChangeRow[]>()
  for (const change of changes) {
    byTarget.set(change.target_wamid, [...(byTarget.get(change.target_wamid) ?? []), change])
  }
  const byId = new Map(senders.map((sender) => [sender.asked_id, sender]))
  return (row) =>
    show(
      row,
      byTarget.get(row.wamid ?? '') ?? [],
      byId.get(row.sender_contact_id ?? ''),
      media.get(row.id) ?? noMedia,
    )
}

function show(
  { sender_contact_id: _sender, accepted_at: _accepted, ended_at: _ended, ...row }: MessageRow,
  changes: ChangeRow[],
  sender: SenderRow | undefined,
  media: MessageMedia,
) {
  const edit = changes.find((change) => change.kind === 'edit')
  const revocation = changes.find((change) => change.kind === 'revoke')
  return {
    ...row,
    ...media,
    id: publicId('msg', row.id),
    conversation_id: row.conversation_id === null ? null : publicId('conv', row.conversation_id),
    sender: sender ? { wa_id: sender.wa_id, user_id: sender.user_id, name: sender.name } : null,
    content: edit?.content ? edited(row.content, edit.content) : row.content,
    reactions: changes.flatMap(({ kind, emoji, actor, occurred_at }) =>
      kind === 'reaction' && emoji !== null
        ? [{ emoji, from: actor, at: occurred_at.toISOString() }]
        : [],
    ),
    edited_at: edit?.occurred_at.toISOString() ?? null,
    revoked_at: revocation?.occurred_at.toISOString() ?? null,
    duplicate_confirmed_at: row.duplicate_confirmed_at?.toISOString() ?? null,
    occurred_at: row.occurred_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}

/** An edit brings the new text or caption. What the message answers to stays: the context of an edit is a stand-in. */
function edited(
  before: Record<string, unknown>,
  { context: _, ...after }: Record<string, unknown>,
) {
  return { ...before, ...after }
}
