// A message as callers see it: the row, who wrote it, what it refers to, and what became of it. A handful of statements a
// page, however many messages it has; those that no message of the page asks for are left out.
import type { WaitReason } from '../api/contract-outbox.ts'
import type { Db, Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type MessageMedia, mediaOfMessages, noMedia } from '../media/show.ts'
import { isObject } from '../meta/json.ts'
import { renderMessages } from '../templates/for-messages.ts'
import type { Preview } from '../templates/preview.ts'
import {
  type ChangeRow,
  type MessageRow,
  type ReferredRow,
  type SenderRow,
  type StepRow,
  selectLatestChanges,
  selectNames,
  selectReferred,
  selectSenders,
  selectTimelines,
} from './read-queries.ts'
import { timelineOf } from './timeline.ts'

/** Why a message that is to be sent has not left yet. */
export interface Wait {
  reason: WaitReason
  until: Date | null
  error_code: string | null
}

interface ShownWait extends Omit<Wait, 'until'> {
  until: string | null
}

/** Of these messages, by id. */
export type WaitsOf = (db: Db, tenantId: string, messageIds: string[]) => Promise<Map<string, Wait>>

/** What was read for one message. */
interface Found {
  changes: ChangeRow[]
  sender: SenderRow | undefined
  media: MessageMedia
  rendered: Preview | undefined
  referred: ReferredRow | undefined
  writerName: string | undefined
  steps: StepRow[]
}

export type ShownMessage = ReturnType<typeof show>
export type ShowMessage = (row: MessageRow) => ShownMessage

/** Reads what belongs to these messages; the returned function shows each of them. */
export async function prepareMessages(
  tx: Tx,
  tenantId: string,
  rows: MessageRow[],
): Promise<ShowMessage> {
  const wamids = rows.flatMap((row) => row.wamid ?? [])
  const ask = <Row>(
    ids: string[],
    select: (tx: Tx, tenantId: string, ids: string[]) => Promise<Row[]>,
  ) => (ids.length > 0 ? select(tx, tenantId, [...new Set(ids)]) : Promise.resolve([]))
  const changes = await ask(wamids, selectLatestChanges)
  const steps = await ask(wamids, selectTimelines)
  const senders = await ask(
    rows.flatMap((row) => row.sender_contact_id ?? []),
    selectSenders,
  )
  const referred = await ask(
    rows.flatMap((row) => referenceIn(row) ?? []),
    selectReferred,
  )
  const writers = await ask(
    rows.flatMap((row) => row.sent_by ?? []),
    selectNames,
  )
  const media = await mediaOfMessages(tx, tenantId, rows)
  const rendered = await renderMessages(tx, tenantId, rows)

  const changesOf = groupBy(changes, (change) => change.target_wamid)
  const stepsOf = groupBy(steps, (step) => step.wamid)
  const senderOf = new Map(senders.map((sender) => [sender.asked_id, sender]))
  const referredOf = new Map(referred.map((one) => [one.wamid, one]))
  const nameOf = new Map(writers.map(({ id, name }) => [id, name]))
  return (row) =>
    show(row, {
      changes: changesOf.get(row.wamid ?? '') ?? [],
      steps: stepsOf.get(row.wamid ?? '') ?? [],
      sender: senderOf.get(row.sender_contact_id ?? ''),
      media: media.get(row.id) ?? noMedia,
      rendered: rendered.get(row.id),
      referred: referredOf.get(referenceIn(row) ?? ''),
      writerName: nameOf.get(row.sent_by ?? ''),
    })
}

function groupBy<Row>(rows: Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

/** The wamid of what it answers; of a change, what it changes. */
function referenceIn({ type, content, reply_to_wamid }: MessageRow): string | null {
  const change = ['reaction', 'edit', 'revoke'].includes(type) ? content[type] : undefined
  if (!isObject(change)) return reply_to_wamid
  const target = change.message_id ?? change.original_message_id
  return typeof target === 'string' ? target : null
}

function show(
  { sender_contact_id: _sender, accepted_at: _accepted, ended_at: _ended, ...row }: MessageRow,
  { changes, sender, media, rendered, referred, writerName, steps }: Found,
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
    original_content: edit?.content ? row.content : null,
    rendered: rendered ?? null,
    refers_to: referred ? showReferred(referred) : null,
    sent_by:
      row.sent_by === null ? null : { id: publicId('usr', row.sent_by), name: writerName ?? null },
    waits_for: null as ShownWait | null,
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
    timeline: timelineOf({ ...row, accepted_at: _accepted, ended_at: _ended }, steps),
  }
}

function showReferred({ id, direction, type, content }: ReferredRow) {
  return { id: publicId('msg', id), direction, type, content }
}

/** An edit brings the new text or caption. What the message answers to stays: the context of an edit is a stand-in. */
function edited(
  before: Record<string, unknown>,
  { context: _, ...after }: Record<string, unknown>,
) {
  return { ...before, ...after }
}
