// Files that a build left, read once and sent as they are or compressed.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

export interface StaticFile {
  type: string
  plain: Buffer
  compressed: { name: 'br' | 'gzip'; content: Buffer }[]
  /** Weak: it stands for the compressed forms too. */
  etag: string
}

export type StaticFiles = ReadonlyMap<string, StaticFile>

/** By their place below the folder. Empty where nothing was built. */
export async function readStaticFiles(folder: string): Promise<StaticFiles> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const names = found
    .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    names.map(async (path) => {
      const place = path.slice(folder.length + 1).replaceAll('\\', '/')
      return [place, await readStaticFile(path)] as const
    }),
  )
  return new Map(files)
}

async function readStaticFile(path: string): Promise<StaticFile> {
  const read = async (name: 'br' | 'gzip', ending: string) => {
    const content = await readFile(path + ending).catch(() => undefined)
    return content === undefined ? [] : [{ name, content }]
  }
  const plain = await readFile(path)
  return {
    type: types[extname(path)] ?? '',
    plain,
    compressed: [...(await read('br', '.br')), ...(await read('gzip', '.gz'))],
    etag: etagOf(plain),
  }
}

export function etagOf(content: Buffer | string): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

/** Whether the caller has it already, as it is now. */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = String(request.headers['if-none-match'] ?? '')
  return known.split(',').some((one) => one.trim() === etag)
}

export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StaticFile,
): FastifyReply {
  const accepted = acceptedEncodings(String(request.headers['accept-encoding'] ?? ''))
  const form = file.compressed.find(({ name }) => accepted.has(name))
  reply.headers({ 'content-type': file.type, vary: 'accept-encoding' })
  if (form) reply.header('content-encoding', form.name)
  return reply.send(form?.content ?? file.plain)
}

/** `q=0` is a refusal; how much somebody likes one or the other is not asked: ours differ in size alone. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const wishes = header.toLowerCase().split(',')
  const accepted = wishes.filter((wish) => !/;\s*q=0(\.0*)?\s*$/.test(wish))
  return new Set(accepted.map((wish) => wish.split(';')[0]?.trim() ?? ''))
}
