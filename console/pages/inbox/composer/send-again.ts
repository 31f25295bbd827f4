// What a message said, as a new one says it. Files go by the gateway's own id.
import type { MessageInList } from '../../../api/types.ts'
import type { Draft } from './unsent-queue.ts'

/** What a message may say of its file; webhooks say more. */
const fileFields = ['id', 'link', 'caption', 'filename', 'voice']
const withFiles = ['audio', 'document', 'image', 'sticker', 'video']

/** Undefined for what cannot be sent: a kind that only contacts send, or that has nothing in it. */
export function draftOf({ type, content, media_id, reply_to_wamid }: MessageInList) {
  const said = content[type]
  if (typeof said !== 'object' || said === null) return undefined
  const context = reply_to_wamid === null ? {} : { context: { message_id: reply_to_wamid } }
  return {
    type,
    [type]: withFiles.includes(type) ? fileOf(said as Record<string, unknown>, media_id) : said,
    ...context,
  } as Draft
}

function fileOf(said: Record<string, unknown>, mediaId: string | null) {
  const kept = Object.fromEntries(
    Object.entries(said).filter(([name]) => fileFields.includes(name)),
  )
  return mediaId === null ? kept : { ...kept, id: mediaId }
}
