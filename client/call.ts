// One call of the API: made again where that is safe, with the same Idempotency-Key, later each time.
import { EstafetError, errorFrom } from './error.ts'
import type { ClientOptions } from './model.ts'
import { type Call, type Outgoing, requestOf } from './request.ts'

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
  const request = requestOf(client, call)
  const isRepeatable = isSafeToRepeat(call)
  let mayBeDone = false
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(client.fetch ?? fetch, request, options.signal, read)
    } catch (error) {
      // What an earlier attempt deleted is not there any more.
      if (mayBeDone && spec.method === 'DELETE' && isGone(error)) return undefined as Answer
      const waitMs = retryDelay(error, isRepeatable, retries)
      if (retries >= maxRetries || waitMs === undefined) {
        throw failureOf(error, request.headers['idempotency-key'])
      }
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

/** An answer that is an error, with how long the gateway wants to be left alone. */
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

function failureOf(error: unknown, idempotencyKey: string | undefined): unknown {
  const failure = error instanceof Refused ? error.error : error
  // Whoever calls again with it does nothing twice, also when it was made up here.
  if (failure instanceof EstafetError) failure.idempotencyKey = idempotencyKey
  return failure
}

async function attempt<Answer>(
  send: typeof fetch,
  { url, method, headers, body, timeoutMs }: Outgoing,
  wish: AbortSignal | undefined,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  const signal = wish ? AbortSignal.any([wish, timeout.signal]) : timeout.signal
  try {
    // Followed, a redirected POST would become a GET.
    const how = { method, headers, signal, redirect: 'manual' } as const
    const response = await send(url, body === undefined ? how : { ...how, body })
    if (response.ok) return await read(response)
    throw new Refused(await errorFrom(response), response.headers.get('retry-after'))
  } catch (error) {
    if (error instanceof Refused) throw error
    // Answered, but by something else: it would answer the same again.
    if (error instanceof EstafetError) throw new Refused(error, null)
    // The caller's own wish is no failure of ours to explain.
    if (wish?.aborted) throw wish.reason
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
