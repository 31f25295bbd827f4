import type { z } from 'zod'

/** A mistake of whoever drives the simulator; rendered as `{error: {code, message}}`. */
export class RequestError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'RequestError'
    this.status = status
    this.code = code
  }
}

/** Parses, or names every wrong field in an error; `at` is where `value` stands in the request. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  at: string[] = [],
): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => {
    const field = [...at, ...issue.path].map(String).join('.')
    return `${field || 'body'}: ${issue.message}`
  })
  throw new RequestError(400, 'INVALID_REQUEST', problems.join('; '))
}
