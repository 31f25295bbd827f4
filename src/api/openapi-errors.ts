// What operations answer when they refuse or fail: one response for each status and set of codes, shared by all that have it.
import { type KnownError, knownError } from './error-codes.ts'
import type { Header, MediaType, Reference, Response } from './openapi-model.ts'

export const headers: Record<string, Header> = {
  'X-Request-Id': {
    description: 'Names this request in the gateway’s log; errors have it as `request_id` too.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'After how many seconds to ask again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotent-Replayed': {
    description: '`true`: this Idempotency-Key was accepted before, and this is its answer again.',
    schema: { type: 'string', const: 'true' },
  },
}

export const always = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } }

export type Pages = 'too' | 'only'

export interface ErrorResponses {
  /** `pages`: whether browsers are told in a page, too or only. */
  of(errors: KnownError[], pages?: Pages): Record<string, Reference>
  /** Those that were asked for so far. */
  named: Record<string, Response>
}

export function createErrorResponses(): ErrorResponses {
  const named: Record<string, Response> = {}
  return {
    named,
    of(errors, pages) {
      const statuses = [...new Set(errors.map(({ status }) => status))]
      return Object.fromEntries(
        statuses.map((status) => {
          const some = errors.filter((one) => one.status === status)
          const codes = codesOf(some).toSorted()
          const name = [status, ...codes, ...(pages ? [pages, 'page'] : [])].join('.')
          named[name] ??= responseOf(some, pages)
          return [status, { $ref: `#/components/responses/${name}` }]
        }),
      )
    },
  }
}

function responseOf(errors: KnownError[], pages?: Pages): Response {
  const hasRetryAfter = errors.some((one) => one.hasRetryAfter)
  return {
    description: errors.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n'),
    headers: {
      ...always,
      ...(hasRetryAfter && { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }),
    },
    content: {
      ...(pages !== 'only' && { 'application/json': bodyOf(errors) }),
      ...(pages && { 'text/html': { schema: { type: 'string' } } }),
    },
  }
}

function bodyOf(errors: KnownError[]): MediaType {
  return {
    schema: {
      $ref: '#/components/schemas/Error',
      properties: { error: { properties: { code: { enum: codesOf(errors) } } } },
    },
    examples: Object.fromEntries(errors.map((one) => [one.code, exampleOf(one)])),
  }
}

const codesOf = (errors: KnownError[]) => errors.map(({ code }) => code)

function exampleOf({ code, meaning }: KnownError) {
  const request_id = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const error = { code, message: meaning, details: {}, request_id }
  return { summary: meaning, value: { error } }
}

/** Anything that comes before a route is found, or that HTTP itself is wrong with. */
export const anythingElse: Response = {
  description:
    'Anything else, in the same form: an address or a request that is no HTTP, headers over 16 KiB.',
  headers: always,
  content: {
    'application/json': {
      ...bodyOf([knownError('HEADERS_TOO_LARGE')]),
      schema: { $ref: '#/components/schemas/Error' },
    },
  },
}
