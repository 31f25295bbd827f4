// A tenant's file: read from its form while it comes, judged by its first bytes and its size, stored as a whole or not at all.

import type { FormFile, FormPart } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { ErrorCode } from '../errors-table.ts'
import type { Random } from '../time-and-chance.ts'
import {
  bareMimeType,
  beginsAs,
  detectType,
  isMediaKind,
  kindOf,
  limitOf,
  type MediaKind,
  takenTypes,
} from './kinds.ts'
import { deleteUpload, finishUpload, insertUpload } from './queries.ts'
import { type Spooled, spool, TooLarge } from './spool.ts'
import { keyOf, type MediaStore } from './store.ts'

export interface UploadOptions {
  db: Db
  store: MediaStore
  random: Random
  clock: { now(): Date }
}

export interface Received {
  id: string
  kind: MediaKind
  bytes: number
}

export async function receiveUpload(
  options: UploadOptions,
  tenantId: string,
  parts: AsyncIterable<FormPart>,
): Promise<Received> {
  const { spooled, mimeType, kind, filename } = await readForm(parts, options.random)
  try {
    const file = {
      tenantId,
      kind,
      mimeType,
      filename,
      bytes: spooled.bytes,
      sha256: spooled.sha256,
    }
    const id = options.random.uuid()
    await keep(options, { ...file, id, correlationId: options.random.uuid() }, spooled)
    return { id, kind, bytes: spooled.bytes }
  } finally {
    await spooled.discard()
  }
}

async function keep(
  { db, store, clock }: UploadOptions,
  file: Parameters<typeof insertUpload>[1],
  spooled: Spooled,
): Promise<void> {
  const { tenantId, id } = file
  await db.tenantTransaction(tenantId, (tx) => insertUpload(tx, file, clock.now()))
  try {
    await store.put(keyOf(tenantId, id), spooled.read(), spooled)
  } catch (error) {
    await undo({ db, store }, tenantId, id)
    throw unavailable(error)
  }
  // crash point: media.uploaded-before-row
  // Should this fail, nobody knows whether it is committed: the bytes stay, and the sweep finds out.
  const isKept = await db.tenantTransaction(tenantId, (tx) =>
    finishUpload(tx, tenantId, id, clock.now()),
  )
  if (!isKept) throw unavailable(new Error('the upload took so long that it was given up'))
}

/** The row last: as long as it is there, the sweep removes what this leaves. */
async function undo(
  { db, store }: Pick<UploadOptions, 'db' | 'store'>,
  tenantId: string,
  id: string,
): Promise<void> {
  try {
    await store.delete(keyOf(tenantId, id))
    await deleteUpload(db, tenantId, id)
  } catch {
    // The sweep's, then.
  }
}

export function unavailable(cause: unknown): unknown {
  if (cause instanceof AppError) return cause
  return new AppError(
    'MEDIA_STORE_UNAVAILABLE',
    503,
    'Files cannot be stored or read at the moment. Try again.',
    { headers: { 'retry-after': '5' }, cause },
  )
}

interface ReadForm {
  spooled: Spooled
  mimeType: string
  kind: MediaKind
  filename: string | null
}

const fieldNames = ['type', 'messaging_product']

/** Reads everything that comes, also after it is clear that it will be refused: who is cut off does not hear why. */
async function readForm(parts: AsyncIterable<FormPart>, random: Random): Promise<ReadForm> {
  const fields = new Map<string, string>()
  let file: ReadForm | undefined
  let refusal: unknown
  try {
    for await (const part of parts) {
      try {
        if (refusal !== undefined) continue
        if (part.kind === 'field') takeField(fields, part.name, part.value)
        else if (part.name !== 'file') throw problem(part.name, 'unknown field')
        else if (file) throw problem('file', 'one file at a time')
        else file = await readFile(part, fields.get('type'), random)
      } catch (error) {
        refusal = error
      } finally {
        if (part.kind === 'file') part.content.resume()
      }
    }
    if (refusal !== undefined) throw refusal
    if (!file) throw problem('file', 'is missing')
    checkType(fields.get('type'), file)
    return file
  } catch (error) {
    await file?.spooled.discard()
    throw refusal ?? error
  }
}

function takeField(fields: Map<string, string>, name: string, value: string): void {
  if (!fieldNames.includes(name)) {
    throw problem(name, name === 'file' ? 'must be a file, with a file name' : 'unknown field')
  }
  if (fields.has(name)) throw problem(name, 'given twice')
  if (name === 'messaging_product' && value !== 'whatsapp') throw problem(name, 'must be whatsapp')
  if (name === 'type' && !isMediaKind(value) && kindOf(value) === undefined) {
    throw refuseType('type', 'is no type or kind that Meta takes')
  }
  fields.set(name, value)
}

async function readFile(
  part: FormFile,
  type: string | undefined,
  random: Random,
): Promise<ReadForm> {
  let judged: { mimeType: string; kind: MediaKind } | undefined
  const judge = (head: Buffer) => {
    judged = judgeHead(part, type, head)
    return limitOf(judged.kind, head)
  }
  const spooled = await spool(part.content, judge, random).catch((error) => {
    throw error instanceof TooLarge ? tooLarge(judged?.kind, error.limit) : error
  })
  if (!judged) throw new Error('bug: a file that nobody judged')
  return { ...judged, spooled, filename: part.filename === undefined ? null : kept(part.filename) }
}

/** Somebody else's words: as far as Postgres takes them. What is shown of them is filename.ts's affair. */
function kept(filename: string): string {
  return filename.slice(0, 1000).toWellFormed().replaceAll('\0', '')
}

function judgeHead(part: FormFile, type: string | undefined, head: Buffer) {
  if (head.length === 0) throw problem('file', 'is empty')
  const said = bareMimeType(part.mimeType)
  const isSaid = said !== '' && said !== 'application/octet-stream'
  const mimeType = isSaid
    ? said
    : type?.includes('/')
      ? bareMimeType(type)
      : (detectType(head) ?? said)
  const kind = kindOf(mimeType)
  if (kind === undefined) {
    throw refuseType('file', 'is of a type that Meta does not take', { types: takenTypes })
  }
  if (!beginsAs(mimeType, head)) throw refuseType('file', `does not begin as ${mimeType} does`)
  return { mimeType, kind }
}

function checkType(type: string | undefined, { mimeType, kind }: ReadForm): void {
  if (type === undefined) return
  if (isMediaKind(type) ? type !== kind : bareMimeType(type) !== mimeType) {
    throw refuseType('type', `says something else than the file, which is ${mimeType}`)
  }
}

function problem(field: string, what: string): AppError {
  return refuse('INVALID_MEDIA', 400, field, what)
}

function refuseType(field: string, what: string, more: Record<string, unknown> = {}): AppError {
  return refuse('MEDIA_TYPE_NOT_SUPPORTED', 415, field, what, more)
}

function tooLarge(kind: MediaKind | undefined, limit: number): AppError {
  const what = `is larger than the ${limit} bytes that Meta takes${kind ? ` for ${kind}` : ''}`
  return refuse('MEDIA_TOO_LARGE', 413, 'file', what, { max_bytes: limit })
}

function refuse(
  code: ErrorCode,
  status: number,
  field: string,
  what: string,
  more: Record<string, unknown> = {},
): AppError {
  const named = field.slice(0, 200).toWellFormed()
  return new AppError(code, status, `${named}: ${what}`, {
    details: { fields: [{ field: named, problem: what }], ...more },
  })
}
