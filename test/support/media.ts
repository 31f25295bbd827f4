// Small files of every kind, forms to upload them with, and what comes back.
import { sql } from '../../src/db/connect.ts'
import type { TestGateway } from './gateway.ts'

export const jpegBytes = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100', 'hex'),
  Buffer.alloc(200, 1),
])
export const pngBytes = Buffer.concat([
  Buffer.from('89504e470d0a1a0a', 'hex'),
  Buffer.alloc(200, 2),
])
export const pdfBytes = Buffer.from('%PDF-1.4\nsomething to read\n%%EOF')

export function fileForm(
  bytes: Buffer,
  type: string,
  { filename = 'file.bin', before = {}, after = {} }: FormExtras = {},
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(before)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(bytes)], { type }), filename)
  for (const [name, value] of Object.entries(after)) form.append(name, value)
  return form
}

interface FormExtras {
  filename?: string
  /** Fields that come before the file, and after it. */
  before?: Record<string, string>
  after?: Record<string, string>
}

/** The id of the file. */
export async function uploadFile(
  { call }: TestGateway,
  key: string,
  bytes: Buffer = jpegBytes,
  type = 'image/jpeg',
  filename = 'picture.jpg',
): Promise<string> {
  const body = fileForm(bytes, type, { filename })
  const answer = await call('POST', '/api/whatsapp/meta/media', { key, body })
  if (answer.status !== 200) throw new Error(`an upload was answered ${answer.text}`)
  return answer.json.media_id
}

export async function getFile(
  { url }: TestGateway,
  key: string,
  mediaId: string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/api/whatsapp/meta/media/${mediaId}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.includes('application/json')
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    code: isJson ? JSON.parse(bytes.toString()).error?.code : undefined,
  }
}

/** As if everything that waits for a time had waited long enough. */
export async function makeFetchesDue({ db }: TestGateway): Promise<void> {
  await db.query(sql`update whatsapp_media set next_run_at = now() where next_run_at is not null`)
}
