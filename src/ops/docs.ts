// The API's description: as a document for programs and as a page for people. Both are made once, at the start.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../api/openapi.ts'
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
  const document = openApiDocument(routes, version)
  const page = docsPage(document)
  app.get('/openapi.json', async () => document)
  app.get('/docs', async (_request, reply) => {
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
