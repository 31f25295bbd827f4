// The API's description: as a document for programs and as a page for people. Both are made once, when
// somebody first asks: a gateway that starts has better things to do.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../api/openapi.ts'
import { type OpenApiDocument, resolved } from '../api/openapi-model.ts'
import type { Route } from '../api/route.ts'
import { docsPage, docsStyle } from './docs-page.ts'
import { etagOf, isKnown } from './static-files.ts'

/** Nothing may be run; of styles only ours, known by its digest; nothing loaded but its font and icon. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(docsStyle).digest('base64')}'`,
  "font-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function mountDocs(app: FastifyInstance, routes: Route[], version: string): void {
  let made: { document: OpenApiDocument; page: string; etag: string } | undefined
  function make() {
    const document = openApiDocument(routes, version)
    const page = docsPage(resolved(document))
    return { document, page, etag: etagOf(page) }
  }
  const docs = () => {
    made ??= make()
    return made
  }
  app.get('/openapi.json', async () => docs().document)
  app.get('/docs', async (request, reply) => {
    const { page, etag } = docs()
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (isKnown(request, etag)) return reply.code(304).send()
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    return page
  })
}
