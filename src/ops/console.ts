// The console's page at /console: files that the build left in dist/console, read once, at the start.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'

/** Nothing may be loaded or run but what comes from here. Files of messages are shown as blobs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
  // Sign-up opens in a window of its own and tells this one when it is done.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'x-frame-options': 'DENY',
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

interface ConsoleFile {
  type: string
  plain: Buffer
  compressed: { name: 'br' | 'gzip'; content: Buffer }[]
}

export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

const builtFolder = join(packageRoot, 'dist', 'console')

/** By their place below /console. Empty where nothing was built. */
export async function readConsoleFiles(folder = builtFolder): Promise<ConsoleFiles> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const names = found
    .filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    names.map(async (path) => {
      const place = path.slice(folder.length + 1).replaceAll('\\', '/')
      return [place, await readConsoleFile(path)] as const
    }),
  )
  return new Map(files)
}

async function readConsoleFile(path: string): Promise<ConsoleFile> {
  const read = async (name: 'br' | 'gzip', ending: string) => {
    const content = await readFile(path + ending).catch(() => undefined)
    return content === undefined ? [] : [{ name, content }]
  }
  return {
    type: types[extname(path)] ?? '',
    plain: await readFile(path),
    compressed: [...(await read('br', '.br')), ...(await read('gzip', '.gz'))],
  }
}

export function mountConsole(app: FastifyInstance, files: ConsoleFiles): void {
  const showPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = files.get('index.html')
    if (!page) {
      throw new AppError('CONSOLE_NOT_BUILT', 404, 'The console is not built here: npm run build.')
    }
    return send(request, reply.headers(pageHeaders), page)
  }
  app.get('/console', showPage)
  app.get('/console/*', async (request, reply) => {
    const { '*': place } = request.params as { '*': string }
    const file = files.get(place)
    // Every view has an address, and all of them are this page.
    if (!file && !place.startsWith('assets/')) return showPage(request, reply)
    if (!file || place === 'index.html') {
      throw new AppError('NOT_FOUND', 404, 'There is nothing at this address.')
    }
    // Files are named after their content, so a name never means anything else; the few others may change.
    const isNamedByContent = place.startsWith('assets/')
    reply.header(
      'cache-control',
      isNamedByContent ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    )
    return send(request, reply, file)
  })
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
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
