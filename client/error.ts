// What goes wrong, in one shape: the API's own errors, and those of the way there.
import type { ErrorBody, ErrorCode } from './generated.ts'

/** What Meta said, where it was Meta that refused. */
export interface ProviderError {
  code: number | null
  subcode: number | null
  message: string | null
  fbtrace_id: string | null
}

/** `NETWORK`: no answer came. `TIMEOUT`: not in time. `NOT_OURS`: an answer of something else on the way, a proxy perhaps. */
export type ClientErrorCode = ErrorCode | 'NETWORK' | 'TIMEOUT' | 'NOT_OURS'

export class EstafetError extends Error {
  /** Also codes that are newer than this client. */
  readonly code: ClientErrorCode | (string & {})
  /** Of the HTTP answer; 0 when none came. */
  readonly status: number
  readonly details: Record<string, unknown>
  /** Names the request in the gateway's log. */
  readonly requestId: string | undefined

  constructor(
    code: EstafetError['code'],
    message: string,
    more: {
      status?: number
      details?: Record<string, unknown> | undefined
      requestId?: string | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.name = 'EstafetError'
    this.code = code
    this.status = more.status ?? 0
    this.details = more.details ?? {}
    this.requestId = more.requestId
  }

  /** Meta's own words, where it was Meta that refused. */
  get provider(): ProviderError | undefined {
    return this.details.provider as ProviderError | undefined
  }
}

export async function errorFrom(response: Response): Promise<EstafetError> {
  const { status } = response
  const requestId = response.headers.get('x-request-id') ?? undefined
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as ErrorBody
    const { code, message, details, request_id } = error
    return new EstafetError(code, message, { status, details, requestId: request_id })
  } catch {
    const message = `answered ${status}: ${text.slice(0, 200)}`
    return new EstafetError('NOT_OURS', message, { status, requestId })
  }
}
