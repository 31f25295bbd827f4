// The console's page at /console: files that the build left in dist/console, read once, at the start.
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { readStaticFiles, type StaticFiles, sendStatic } from './static-files.ts'

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

const builtFolder = join(packageRoot, 'dist', 'console')

/** By their place below /console. Empty where nothing was built. */
export const readConsoleFiles = (folder = builtFolder) => readStaticFiles(folder)

export function mountConsole(app: FastifyInstance, files: StaticFiles): void {
  const showPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = files.get('index.html')
    if (!page) {
      throw new AppError('CONSOLE_NOT_BUILT', 404, 'The console is not built here: npm run build.')
    }
    return sendStatic(request, reply.headers(pageHeaders), page)
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
    return sendStatic(request, reply, file)
  })
}
