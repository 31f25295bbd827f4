// A caller's mistake, or a refusal with a name: rendered by http.ts as {"error": {code, message, details, request_id}}.
import type { ErrorCode } from './errors-table.ts'

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: Record<string, unknown> | undefined
  readonly headers: Record<string, string>
  /** A result, not a fault of ours: nobody need be told in the log, whatever the status. */
  readonly isExpected: boolean

  constructor(
    code: ErrorCode,
    status: number,
    message: string,
    more: {
      details?: Record<string, unknown>
      headers?: Record<string, string>
      isExpected?: true
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.details = more.details
    this.headers = more.headers ?? {}
    this.isExpected = more.isExpected ?? false
  }
}

/** The same answer for what is not there and for what is another tenant's. */
export function notFound(code: ErrorCode, thing: string): AppError {
  return new AppError(code, 404, `There is no such ${thing}.`)
}
