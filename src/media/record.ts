// The files that messages announce: a row each, in the transaction of the messages. Fetching them is fetch.ts's job.
import type { Tx } from '../db/connect.ts'
import { readSha256 } from '../meta/graph-media.ts'
import { isObject } from '../meta/json.ts'
import { isMediaKind } from './kinds.ts'
import type { NewInbound } from './model.ts'
import { insertInbound } from './queries.ts'

interface RecordedMessage {
  id: string
  tenantId: string
  phoneNumberId: string
  type: string
  content: Record<string, unknown>
  correlationId: string
}

/** Ids from webhooks live 7 days. Counted from now, not from when it was written: trying too long costs nothing. */
const idLifeMs = 7 * 24 * 60 * 60 * 1000

export async function expectMedia(
  tx: Tx,
  messages: RecordedMessage[],
  newId: () => string,
  now: Date,
): Promise<void> {
  const files = messages.flatMap((message) => fileOf(message, newId) ?? [])
  if (files.length === 0) return
  await insertInbound(tx, files, now, new Date(now.getTime() + idLifeMs))
}

function fileOf(message: RecordedMessage, newId: () => string): NewInbound | undefined {
  const { type, content, tenantId, phoneNumberId, correlationId } = message
  if (!isMediaKind(type)) return undefined
  const file = content[type]
  if (!isObject(file)) return undefined
  const metaMediaId = textOf(file.id, 128)
  if (metaMediaId === null) return undefined
  return {
    id: newId(),
    tenantId,
    messageId: message.id,
    phoneNumberId,
    metaMediaId,
    kind: type,
    mimeType: textOf(file.mime_type, 200) ?? 'application/octet-stream',
    filename: textOf(file.filename, 1000),
    promisedSha256: readSha256(file.sha256),
    correlationId,
  }
}

/** Somebody else's words: kept as far as Postgres takes them. */
function textOf(value: unknown, max: number): string | null {
  if (typeof value !== 'string' || value === '') return null
  return value.slice(0, max).toWellFormed().replaceAll('\0', '')
}
