// Which errors a route can answer: those of its kind, said here once, and those it declares itself.
import type { ErrorCode } from '../errors-table.ts'
import type { DeclaredError, KnownError } from './error-codes.ts'
import { knownError } from './error-codes.ts'
import type { Access, Route } from './route.ts'

type Kind = Pick<Route, 'method' | 'access'> &
  Partial<Pick<Route, 'params' | 'query' | 'headers' | 'form' | 'invalidCode' | 'errors'>>

const ofAccess: Record<Access, readonly ErrorCode[]> = {
  agent: ['UNAUTHORIZED', 'RATE_LIMITED', 'TENANT_REQUIRED', 'TENANT_NOT_FOUND'],
  tenant: ['UNAUTHORIZED', 'RATE_LIMITED', 'TENANT_REQUIRED', 'TENANT_NOT_FOUND', 'FORBIDDEN'],
  operator: ['UNAUTHORIZED', 'RATE_LIMITED', 'FORBIDDEN'],
  person: ['UNAUTHORIZED', 'RATE_LIMITED', 'FORBIDDEN'],
  page: ['RATE_LIMITED', 'WRONG_ORIGIN'],
  internal: ['UNAUTHORIZED'],
  public: [],
}

/** Whoever may come with a session’s cookie must show that a page of ours sent them. */
const withSession: readonly Access[] = ['agent', 'tenant', 'operator', 'person']
const ofBodies = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT'] as const

/** Every error of a route once, by status. What is open to anybody says all of its own. */
export function errorsOf(one: Kind): KnownError[] {
  const declared = one.access === 'public' ? (one.errors ?? []) : allOf(one)
  const known = new Map(
    declared.map(knownError).map((error) => [`${error.status} ${error.code}`, error]),
  )
  return [...known.values()].toSorted((a, b) => a.status - b.status)
}

function allOf(one: Kind): DeclaredError[] {
  const changes = one.method !== 'GET'
  const reads = one.params ?? one.query ?? one.headers
  return [
    ...ofAccess[one.access],
    ...(changes && withSession.includes(one.access)
      ? (['WRONG_ORIGIN', 'CSRF_TOKEN_WRONG'] as const)
      : []),
    ...(reads || (changes && !one.form) ? (['INVALID_REQUEST'] as const) : []),
    ...(isPaged(one) ? (['INVALID_CURSOR'] as const) : []),
    ...(changes && !one.form ? ofBodies : []),
    ...(one.invalidCode === undefined ? [] : [one.invalidCode]),
    ...(one.errors ?? []),
    'INTERNAL',
    'UNAVAILABLE',
  ]
}

/** A list whose pages follow each other by `after`. */
export function isPaged({ query }: Pick<Kind, 'query'>): boolean {
  if (!query || !('shape' in query)) return false
  return ['limit', 'after'].every((name) => name in (query.shape as object))
}
