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
  /** Which the call carried, where it takes one: with it, calling again does nothing twice. */
  idempotencyKey?: string | undefined

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

const redirects = [301, 302, 303, 307, 308]

export async function errorFrom(response: Response): Promise<EstafetError> {
  const { status, type, headers } = response
  // Browsers tell of a redirect only that it is one.
  if (redirects.includes(status) || type === 'opaqueredirect') {
    await response.body?.cancel()
    const whereto = headers.get('location') ?? 'another address'
    return new EstafetError('NOT_OURS', `baseUrl redirects to ${whereto}`, { status })
  }
  const text = await response.text()
  const error = errorIn(text)
  if (error) {
    const { code, message, details, request_id: requestId } = error
    return new EstafetError(code, message, { status, details, requestId })
  }
  const requestId = headers.get('x-request-id') ?? undefined
  const message = `answered ${status}: ${text.slice(0, 200)}`
  return new EstafetError('NOT_OURS', message, { status, requestId })
}

/** Undefined when it is not of the gateway's form: others answer with JSON too. */
function errorIn(text: string): ErrorBody['error'] | undefined {
  try {
    const { error } = JSON.parse(text) as ErrorBody
    const isOurs = [error.code, error.message, error.request_id].every(
      (one) => typeof one === 'string',
    )
    return isOurs ? error : undefined
  } catch {
    return undefined
  }
}

/** For what came with a 200 all the same: the page of a proxy, of a hotel's network. */
export async function notOurs(response: Response, expected: string): Promise<EstafetError> {
  const { status, headers } = response
  await response.body?.cancel()
  const given = headers.get('content-type') ?? 'no type'
  return new EstafetError('NOT_OURS', `answered ${status} with ${given} instead of ${expected}`, {
    status,
  })
}

/** Throws unless the answer is of this type. */
export async function checkType(response: Response, type: string): Promise<void> {
  const [given = ''] = (response.headers.get('content-type') ?? '').split(';')
  if (given.trim().toLowerCase() !== type) throw await notOurs(response, type)
}
