// The documents as pages below /docs: files that the build left in dist/site, read when somebody first asks.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import {
  isKnown,
  readStaticFiles,
  type StaticFile,
  type StaticFiles,
  sendStatic,
} from './static-files.ts'

const builtFolder = join(packageRoot, 'dist', 'site')

export function mountGuide(app: FastifyInstance, folder = builtFolder): void {
  let reading: Promise<StaticFiles> | undefined
  const files = () => {
    reading ??= readStaticFiles(folder)
    return reading
  }
  app.get('/docs/:page', async (request, reply) => {
    const { page } = request.params as { page: string }
    const built = await files()
    if (built.size === 0) throw notBuilt()
    const file = isServed(page) ? (built.get(page) ?? built.get(`${page}.html`)) : undefined
    return file ? show(request, reply, file) : showMissing(request, reply, built)
  })
  app.get('/llms.txt', async (request, reply) => {
    const file = (await files()).get('llms.txt')
    if (!file) throw notBuilt()
    return show(request, reply, file)
  })
}

/** A page has one address, without an ending; the page for what is missing has none. */
const isServed = (page: string) => !page.endsWith('.html') && !['404', 'llms.txt'].includes(page)

const notBuilt = () =>
  new AppError('DOCUMENTS_NOT_BUILT', 404, 'The documents are not built here: npm run build.')

function show(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const isLasting = /^(font|image)\//.test(file.type)
  // Asked for again every time: a new version of the program may say something else.
  reply.headers({
    etag: file.etag,
    'cache-control': isLasting ? 'public, max-age=86400' : 'no-cache',
  })
  if (isKnown(request, file.etag)) return reply.code(304).send()
  if (file.type.startsWith('text/html')) reply.headers(pageHeaders(file))
  return sendStatic(request, reply, file)
}

/** In a browser a page that helps on, elsewhere the error that everything else is answered with. */
function showMissing(
  request: FastifyRequest,
  reply: FastifyReply,
  files: StaticFiles,
): FastifyReply {
  const page = files.get('404.html')
  const isBrowser = String(request.headers.accept ?? '').includes('text/html')
  if (!page || !isBrowser) throw new AppError('NOT_FOUND', 404, 'There is nothing at this address.')
  return sendStatic(request, reply.code(404).headers(pageHeaders(page)), page)
}

/** Its own style and script, known by their digests; fonts, pictures and what search reads from here; nothing else. */
function pageHeaders({ plain }: StaticFile): Record<string, string> {
  const html = plain.toString('utf8')
  const policy = [
    "default-src 'none'",
    `script-src ${digestOf(html, 'script')}`,
    `style-src ${digestOf(html, 'style')}`,
    "font-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return {
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}

/** Of the one in the page's head; whatever else there might be stays without effect. */
function digestOf(html: string, name: 'script' | 'style'): string {
  const head = html.slice(0, html.indexOf('</head>'))
  const content = new RegExp(`<${name}[^>]*>([\\s\\S]*?)</${name}>`).exec(head)?.[1] ?? ''
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
}
