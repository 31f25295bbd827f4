// A stored file for others to hand over: what it is, and its bytes as often as wanted.
import type { Readable } from 'node:stream'
import type { Db } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import { plainFilename, safeFilename } from './filename.ts'
import { bareMimeType } from './kinds.ts'
import { selectMedia } from './queries.ts'
import { keyOf, type MediaStore } from './store.ts'
import { unavailable } from './upload.ts'

export interface StoredFile {
  filename: string
  mimeType: string
  bytes: number
  read(): Promise<Readable>
}

/** `mediaId` is public. */
export async function openFile(
  { db, store }: { db: Db; store: MediaStore },
  tenantId: string,
  mediaId: string,
): Promise<StoredFile> {
  const uuid = uuidOf('med', mediaId)
  const [row] = uuid
    ? await db.tenantTransaction(tenantId, (tx) => selectMedia(tx, tenantId, [uuid]))
    : []
  if (row?.state !== 'stored' || row.bytes === null) throw notFound('MEDIA_NOT_FOUND', 'file')
  const key = keyOf(tenantId, row.id)
  return {
    filename: plainFilename(safeFilename(row.filename, row)),
    mimeType: bareMimeType(row.mimeType),
    bytes: row.bytes,
    async read() {
      const content = await store.get(key).catch((error) => {
        throw unavailable(error)
      })
      if (!content) throw notFound('MEDIA_NOT_FOUND', 'file')
      return content
    },
  }
}
