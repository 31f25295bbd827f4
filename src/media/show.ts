// How far the files of messages got, for whoever shows messages.
import type { Tx } from '../db/connect.ts'
import { publicId, uuidOf } from '../ids.ts'
import { mediaKinds } from './kinds.ts'
import type { MediaState } from './model.ts'
import { selectShown } from './queries.ts'

export interface MessageMedia {
  media: 'pending' | 'stored' | 'expired' | 'failed' | null
  media_id: string | null
  /** Why there is no file, or not yet. */
  media_error: string | null
  media_bytes: number | null
}

interface ShownMessage {
  id: string
  type: string
  content: Record<string, unknown>
}

export const noMedia: MessageMedia = {
  media: null,
  media_id: null,
  media_error: null,
  media_bytes: null,
}

/** By message id; those without a file of ours are left out. */
export async function mediaOfMessages(
  tx: Tx,
  tenantId: string,
  messages: ShownMessage[],
): Promise<Map<string, MessageMedia>> {
  const withFiles = messages.filter(({ type }) => (mediaKinds as readonly string[]).includes(type))
  if (withFiles.length === 0) return new Map()
  const named = new Map(withFiles.flatMap((message) => ownIdIn(message) ?? []))
  const rows = await selectShown(
    tx,
    tenantId,
    withFiles.map(({ id }) => id),
    [...named.values()],
  )
  const byMessage = new Map(rows.map((row) => [row.message_id, row]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    withFiles.flatMap(({ id }) => {
      const row = byMessage.get(id) ?? byId.get(named.get(id) ?? '')
      if (!row) return []
      const shown = {
        media: shownState(row.state),
        media_id: publicId('med', row.id),
        media_error: row.state === 'stored' ? null : row.last_error,
        media_bytes: row.state === 'stored' ? row.bytes : null,
      }
      return [[id, shown] as const]
    }),
  )
}

/** A message that was sent by our id names its file itself. */
function ownIdIn({ id, type, content }: ShownMessage): [string, string][] | undefined {
  const file = content[type] as { id?: unknown } | undefined
  const uuid = typeof file?.id === 'string' ? uuidOf('med', file.id) : undefined
  return uuid === undefined ? undefined : [[id, uuid]]
}

function shownState(state: MediaState): NonNullable<MessageMedia['media']> {
  if (state === 'deleting') return 'expired'
  return state === 'uploading' ? 'pending' : state
}
