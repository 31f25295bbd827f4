// One call of the API: made again where that is safe, with the same Idempotency-Key, later each time.
import { EstafetError, errorFrom } from './error.ts'
import type { Spec } from './generated.ts'
import type { ClientOptions, SendOptions } from './model.ts'

/** Where, with what, and how patiently. */
export interface Call {
  spec: Pick<Spec, 'method' | 'isKeyed'>
  /** With its query. */
  path: string
  body?: unknown
  headers?: Record<string, string>
  options?: SendOptions | undefined
}

const defaultTimeoutMs = 30_000
const defaultRetries = 3
const firstDelayMs = 250
const longestDelayMs = 10_000
/** Whoever is told to wait longer than this is better told so than kept. */
const longestRetryAfterMs = 60_000

/** `read` is part of an attempt: an answer that breaks off is asked for again too. */
export async function makeCall<Answer>(
  client: ClientOptions,
  call: Call,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const { spec, options = {} } = call
  const maxRetries = options.maxRetries ?? client.maxRetries ?? defaultRetries
  const headers = headersOf(client, call)
  const isRepeatable = isSafeToRepeat(call)
  let mayBeDone = false
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(client, { ...call, headers }, read)
    } catch (error) {
      // What an earlier attempt deleted is not there any more.
      if (mayBeDone && spec.method === 'DELETE' && isGone(error)) return undefined as Answer
      const waitMs = retryDelay(error, isRepeatable, retries)
      if (retries >= maxRetries || waitMs === undefined) throw unwrapped(error)
      mayBeDone ||= !(error instanceof Refused && error.error.status === 429)
      await pause(waitMs, options.signal)
    }
  }
}

/** A change that says what is to be, not what is to be added, can be said again; but one of a template is made at Meta, which
 *  counts them, and where nobody knows what became of the first. */
function isSafeToRepeat({ spec, path }: Call): boolean {
  if (spec.isKeyed || spec.method === 'GET') return true
  const isAtMeta = path.startsWith('/api/whatsapp/meta/templates')
  return !isAtMeta && ['PATCH', 'DELETE'].includes(spec.method)
}

function headersOf(client: ClientOptions, { spec, body, headers, options = {} }: Call) {
  const tenantId = options.tenantId ?? client.tenantId
  return {
    accept: 'application/json',
    authorization: `Bearer ${client.key}`,
    ...(tenantId !== undefined && { 'x-tenant-id': tenantId }),
    ...(body !== undefined &&
      !(body instanceof FormData) && { 'content-type': 'application/json' }),
    ...(spec.isKeyed && { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() }),
    ...headers,
    // Under another spelling they would be sent besides ours, not instead.
    ...lowerCased(options.headers),
  }
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

/** An error with how long the gateway wants to be left alone. */
class Refused extends Error {
  readonly error: EstafetError
  readonly retryAfterMs: number | undefined

  constructor(error: EstafetError, retryAfter: string | null) {
    super(error.message)
    this.error = error
    this.retryAfterMs = retryAfter === null ? undefined : retryAfterMsOf(retryAfter)
  }
}

/** Seconds, or the date of a proxy; undefined when it is neither. */
function retryAfterMsOf(text: string): number | undefined {
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : ms
}

/** Said by the gateway, not by a proxy that does not find it. */
const isGone = (error: unknown) =>
  error instanceof Refused && error.error.status === 404 && error.error.code !== 'NOT_OURS'

const unwrapped = (error: unknown) => (error instanceof Refused ? error.error : error)

async function attempt<Answer>(
  client: ClientOptions,
  { spec, path, body, headers = {}, options = {} }: Call,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const timeout = new AbortController()
  const timer = setTimeout(
    () => timeout.abort(),
    options.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs,
  )
  const signal = options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal
  try {
    const response = await (client.fetch ?? fetch)(client.baseUrl.replace(/\/+$/, '') + path, {
      method: spec.method,
      headers,
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      signal,
    })
    if (response.ok) return await read(response)
    throw new Refused(await errorFrom(response), response.headers.get('retry-after'))
  } catch (error) {
    if (error instanceof Refused) throw error
    // The caller's own wish is no failure of ours to explain.
    if (options.signal?.aborted) throw options.signal.reason
    if (timeout.signal.aborted)
      throw new EstafetError('TIMEOUT', 'No answer in time.', { cause: error })
    throw new EstafetError('NETWORK', 'No answer, or only a part of one.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** Undefined: asking again would be of no use, or might do something twice. */
function retryDelay(error: unknown, isRepeatable: boolean, retries: number): number | undefined {
  const backOffMs =
    Math.min(longestDelayMs, firstDelayMs * 2 ** retries) * (0.5 + Math.random() / 2)
  if (error instanceof EstafetError) return isRepeatable ? backOffMs : undefined
  if (!(error instanceof Refused)) return undefined
  const { retryAfterMs } = error
  const { status } = error.error
  // Who is refused for asking too often has had nothing done.
  const isWorthIt = status === 429 || (isRepeatable && status >= 500)
  if (!isWorthIt || (retryAfterMs ?? 0) > longestRetryAfterMs) return undefined
  return Math.max(backOffMs, retryAfterMs ?? 0)
}

/** Rejects at once when the caller wants no more of it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
