// A file, given back: as an attachment under a safe name and a harmless type, whole or in part.
import type { FileAnswer } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import type { Log } from '../log.ts'
import { attachmentHeader, safeFilename, servedType } from './filename.ts'
import type { MediaRow } from './model.ts'
import { selectMedia } from './queries.ts'
import { keyOf, type MediaStore } from './store.ts'
import { unavailable } from './upload.ts'

export interface ServeOptions {
  db: Db
  store: MediaStore
  log: Log
}

export interface Wish {
  tenantId: string
  /** Public. */
  mediaId: string
  range: string | undefined
  ifRange: string | undefined
}

export async function serveMedia(
  { db, store, log }: ServeOptions,
  wish: Wish,
): Promise<FileAnswer> {
  const { tenantId } = wish
  const uuid = uuidOf('med', wish.mediaId)
  const [row] = uuid
    ? await db.tenantTransaction(tenantId, (tx) => selectMedia(tx, tenantId, [uuid]))
    : []
  const file = whole(row)
  const etag = `"${file.sha256.toString('hex')}"`
  const isWhole = wish.ifRange !== undefined && wish.ifRange !== etag
  const range = isWhole ? undefined : readRange(wish.range, file.bytes)
  const content = await store.get(keyOf(tenantId, file.id), range).catch((error) => {
    throw unavailable(error)
  })
  if (!content) {
    log.error('media_bytes_missing', { tenant_id: tenantId, media_id: wish.mediaId })
    throw gone('The file is no longer there.')
  }
  return {
    status: range ? 206 : 200,
    content,
    headers: {
      'content-type': servedType(file.mimeType),
      'content-length': String(range ? range.end - range.start + 1 : file.bytes),
      'content-disposition': attachmentHeader(safeFilename(file.filename, file)),
      // Should a browser show it after all, nothing in it runs or loads.
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'accept-ranges': 'bytes',
      etag,
      ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${file.bytes}` }),
    },
  }
}

function whole(row: MediaRow | undefined): MediaRow & { bytes: number; sha256: Buffer } {
  if (!row || row.state === 'uploading') throw notFound('MEDIA_NOT_FOUND', 'file')
  const { bytes, sha256 } = row
  if (row.state === 'stored' && bytes !== null && sha256 !== null) return { ...row, bytes, sha256 }
  if (row.state === 'pending') {
    throw new AppError('MEDIA_PENDING', 409, 'The file is still being fetched from Meta.', {
      headers: { 'retry-after': '5' },
      ...(row.lastError !== null && { details: { reason: row.lastError } }),
    })
  }
  if (row.state === 'failed') {
    throw new AppError('MEDIA_FAILED', 410, 'The file could not be fetched from Meta.', {
      details: { reason: row.lastError },
    })
  }
  throw gone('The file expired: Meta keeps files for some days, and we for MEDIA_RETENTION_DAYS.')
}

function gone(message: string): AppError {
  return new AppError('MEDIA_EXPIRED', 410, message)
}

/** One range, or undefined for the whole file: also when the header makes no sense, as HTTP wants it. */
export function readRange(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | undefined {
  const said = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '')
  if (!said) return undefined
  const [, first = '', last = ''] = said
  if (first === '' && last === '') return undefined
  // Without a first byte it is the last so many.
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (start >= bytes || start > end) {
    throw new AppError('RANGE_NOT_SATISFIABLE', 416, 'range: the file has no such bytes', {
      headers: { 'content-range': `bytes */${bytes}` },
      details: { fields: [{ field: 'range', problem: 'the file has no such bytes' }] },
    })
  }
  return { start, end }
}
