// What the API answers when it refuses, and what the page knows when nothing answers at all.

export class ApiProblem extends Error {
  /** 0: nobody answered. */
  readonly status: number
  /** Stable, such as `WINDOW_CLOSED`; `NO_CONNECTION` where nobody answered. */
  readonly code: string
  readonly requestId: string | undefined
  readonly details: Record<string, unknown>

  constructor(
    status: number,
    code: string,
    message: string,
    requestId?: string,
    details: Record<string, unknown> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.details = details
  }

  /** Whether the same call may succeed in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }

  /** The problem with one field of a form, as the API names it. */
  fieldProblem(field: string): string | undefined {
    const { fields } = this.details as { fields?: { field: string; problem: string }[] }
    return fields?.find((one) => one.field === field)?.problem
  }
}

export function toProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem(0, 'UNEXPECTED', error instanceof Error ? error.message : String(error))
}
