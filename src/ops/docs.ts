// The API's description: as a document for programs and as a page for people. Both are made once, when
// somebody first asks: a gateway that starts has better things to do.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../api/openapi.ts'
import { type OpenApiDocument, resolved } from '../api/openapi-model.ts'
import type { Route } from '../api/route.ts'
import { docsPage, docsStyle } from './docs-page.ts'

/** Nothing may be loaded or run; of styles only ours, known by its digest. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(docsStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function mountDocs(app: FastifyInstance, routes: Route[], version: string): void {
  let made: { document: OpenApiDocument; page: string } | undefined
  function make() {
    const document = openApiDocument(routes, version)
    return { document, page: docsPage(resolved(document)) }
  }
  const docs = () => {
    made ??= make()
    return made
  }
  app.get('/openapi.json', async () => docs().document)
  app.get('/docs', async (_request, reply) => {
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
    return docs().page
  })
}
