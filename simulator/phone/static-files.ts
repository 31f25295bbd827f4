// Serves a folder of a page's files, read once, under a policy that allows nothing from elsewhere.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** No inline script or style, nothing from another origin, no framing. */
export const contentSecurityPolicy = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

export interface StaticFiles {
  send(reply: FastifyReply, name: string): FastifyReply
}

/** `folder` is counted from the package's root, which also holds when this runs from a build. */
export function readStaticFiles(folder: string): StaticFiles {
  const root = join(packageRoot(dirname(fileURLToPath(import.meta.url))), folder)
  const files = new Map(
    readdirSync(root)
      .filter((name) => contentTypes[extname(name)] !== undefined)
      .map((name) => [name, readFileSync(join(root, name))]),
  )
  return {
    send(reply, name) {
      const file = files.get(name)
      if (file === undefined) return secure(reply).code(404).type('text/plain').send('Not found.\n')
      return secure(reply)
        .type(contentTypes[extname(name)] ?? 'application/octet-stream')
        .send(file)
    },
  }
}

export function secure(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', contentSecurityPolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache')
}

export function mountStaticFiles(app: FastifyInstance, path: string, files: StaticFiles): void {
  app.get(path, async (_request, reply) => files.send(reply, 'index.html'))
  app.get<{ Params: { name: string } }>(`${path}/:name`, async (request, reply) =>
    files.send(reply, request.params.name),
  )
}

/** The folder that holds package.json: above `simulator/`, and above `dist/simulator/` too. */
function packageRoot(folder: string): string {
  const isRoot = readdirSync(folder).includes('package.json')
  const parent = dirname(folder)
  if (isRoot || parent === folder) return folder
  return packageRoot(parent)
}
