// What a request shows of its caller, and whether a page of ours made it.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { PersonPrincipal } from './route.ts'

export type Credentials = Pick<FastifyRequest, 'headers'>

/** Browsers say where a request comes from; whoever does not say is no page of ours. */
export function mustComeFromOurPage({ headers, host }: FastifyRequest, publicUrl?: string): void {
  const { origin } = headers
  if (origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : isOurs(origin)) return
  throw new AppError('WRONG_ORIGIN', 403, 'This is for the console’s own page.')

  function isOurs(from: string): boolean {
    if (!URL.canParse(from)) return false
    // Hosts, not schemes: what ends TLS before us leaves the host alone.
    const known = [host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])]
    return known.includes(new URL(from).host)
  }
}

/** What a cookie allows is asked for by our own page, which knows the session's token. */
export function mustNotBeForged(
  request: FastifyRequest,
  { csrfToken }: PersonPrincipal,
  publicUrl?: string,
): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  mustComeFromOurPage(request, publicUrl)
  const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
  const wanted = Buffer.from(csrfToken)
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return
  throw new AppError('CSRF_TOKEN_WRONG', 403, 'Load the page again: its token is missing or old.')
}
