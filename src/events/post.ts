// One POST to an address that a tenant chose: to the public internet only, no redirects, little time and little answer.
// Never throws; what came of it is in the outcome.
import { request } from 'undici'
import { retryAfterSecondsIn } from '../meta/send-answer.ts'
import { createGuardedAgent, type ResolveName } from '../net/guarded-agent.ts'
import type { Clock } from '../time-and-chance.ts'
import type { PostOutcome } from './model.ts'

export interface PostOptions {
  clock: Clock
  allowPrivate: boolean
  /** Of a whole call, from the connection to the last byte. */
  timeoutMs: number
  version: string
  /** The system's, unless a test says otherwise. */
  resolve?: ResolveName
}

export interface Poster {
  post(call: PostCall): Promise<PostOutcome>
  /** Ends what is under way, and what comes after: whoever was called may have taken it or not. */
  giveUp(): void
  close(): Promise<void>
}

export interface PostCall {
  url: string
  headers: Record<string, string>
  body: string
  /** Whether the answer of who takes it is to be read. */
  asks: boolean
  /** And that of who refuses it. */
  hearsRefusals?: boolean
}

const connectTimeoutMs = 5_000
/** What is read of an answer that is wanted, and of one that is not: a connection that is read to its end is kept. */
const maxAnswerBytes = 64 * 1024
const maxIgnoredBytes = 16 * 1024

export function createPoster(options: PostOptions): Poster {
  const { clock, timeoutMs } = options
  const agent = createGuardedAgent({
    allowPrivate: options.allowPrivate,
    connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
    silenceMs: timeoutMs,
    ...(options.resolve && { resolve: options.resolve }),
  })

  const underWay = new Set<AbortController>()
  let isGivenUp = false

  async function post(call: PostCall): Promise<PostOutcome> {
    const { url, headers, body, asks, hearsRefusals = false } = call
    const late = new AbortController()
    const cancel = clock.after(timeoutMs, () => late.abort())
    underWay.add(late)
    if (isGivenUp) late.abort()
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: agent,
        headers: {
          'content-type': 'application/json',
          'user-agent': `Estafet/${options.version}`,
          ...headers,
        },
        body,
        signal: late.signal,
      })
      const { statusCode } = answer
      const isTaken = statusCode >= 200 && statusCode < 300
      const outcome = {
        statusCode,
        errorCode: isTaken ? null : codeOfStatus(statusCode),
        retryAfterSeconds: isTaken ? null : retryAfterSecondsIn(answer.headers, clock.now()),
      }
      if (!(isTaken ? asks : hearsRefusals)) {
        // It said what it had to say; how it ends is its own affair.
        await answer.body
          .dump({ limit: maxIgnoredBytes, signal: late.signal })
          .catch(() => undefined)
        return { ...outcome, body: null }
      }
      if (!isTaken) {
        // It refused, whatever becomes of its reasons.
        const reasons = await readBounded(answer.body).catch(() => undefined)
        return { ...outcome, body: reasons ?? null }
      }
      const read = await readBounded(answer.body)
      return read ? { ...outcome, body: read } : { ...outcome, ...tooLarge }
    } catch (error) {
      const ended = isGivenUp ? 'STOPPED' : 'TIMEOUT'
      const errorCode = late.signal.aborted ? ended : codeOfError(error)
      return { statusCode: null, errorCode, retryAfterSeconds: null, body: null }
    } finally {
      cancel()
      underWay.delete(late)
    }
  }

  function giveUp(): void {
    isGivenUp = true
    for (const one of underWay) one.abort()
  }

  return { post, giveUp, close: () => agent.destroy() }
}

const tooLarge = { errorCode: 'ANSWER_TOO_LARGE', body: null }

/** Undefined when it is larger than anybody needs. */
async function readBounded(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    // Leaving the loop ends the connection.
    if (bytes > maxAnswerBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function codeOfStatus(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400 ? 'REDIRECTED' : `HTTP_${statusCode}`
}

function codeOfError(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string' || !/^[A-Z0-9_]{1,60}$/.test(code)) return 'UNREACHABLE'
  return /^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code) ? 'TIMEOUT' : code
}
