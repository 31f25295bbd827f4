// Calls to Meta's Graph API. The token goes to the configured origin and nowhere else: redirects are not followed.
import { Pool } from 'undici'
import type { Clock } from '../time-and-chance.ts'
import { isObject, parseJson } from './json.ts'

export interface GraphOptions {
  /** Origin, and a path in front of every other where a proxy wants one. */
  url: string
  version: string
  /** Of a whole call, from the connection to the last byte. */
  timeoutMs: number
  clock: Clock
}

export interface NumberAccess {
  phoneNumberId: string
  accessToken: string
}

/** What Meta says about a refusal, apart from what we make of it. */
export interface ProviderError {
  code: number | null
  subcode: number | null
  message: string | null
  fbtrace_id: string | null
}

export type GraphAnswer =
  | { kind: 'accepted'; statusCode: number; body: Record<string, unknown> }
  | { kind: 'refused'; statusCode: number; provider: ProviderError }
  /** No answer, or none that can be read; `code` says why. */
  | { kind: 'unreachable'; code: string }

export interface Graph {
  /** Marks a message, and all before it, as read: the contact sees the blue ticks. */
  markRead(number: NumberAccess, wamid: string): Promise<GraphAnswer>
  close(): Promise<void>
}

/** Nobody waits longer than this for blue ticks; the next call marks the same message again. */
const markReadTimeoutMs = 5_000
const connectTimeoutMs = 3_000
/** Meta's answers are a few hundred bytes. */
const maxAnswerBytes = 1024 * 1024

export function createGraph({ url, version, timeoutMs, clock }: GraphOptions): Graph {
  const { origin, pathname } = new URL(url)
  const base = `${pathname.replace(/\/$/, '')}/${version}`
  const pool = new Pool(origin, {
    connections: 64,
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxAnswerBytes,
  })

  async function post(
    path: string,
    accessToken: string,
    body: Record<string, unknown>,
    limitMs: number,
  ): Promise<GraphAnswer> {
    const late = new AbortController()
    const cancel = clock.after(limitMs, () => late.abort())
    try {
      const answer = await pool.request({
        method: 'POST',
        path: `${base}/${path}`,
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: late.signal,
      })
      const raw = Buffer.from(await answer.body.arrayBuffer())
      return readAnswer(answer.statusCode, parseJson(raw)?.value)
    } catch (error) {
      return { kind: 'unreachable', code: late.signal.aborted ? 'TIMEOUT' : codeOf(error) }
    } finally {
      cancel()
    }
  }

  return {
    markRead: (number, wamid) =>
      post(
        `${encodeURIComponent(number.phoneNumberId)}/messages`,
        number.accessToken,
        { messaging_product: 'whatsapp', status: 'read', message_id: wamid },
        Math.min(markReadTimeoutMs, timeoutMs),
      ),
    close: () => pool.destroy(),
  }
}

function readAnswer(statusCode: number, body: unknown): GraphAnswer {
  const error = isObject(body) ? body.error : undefined
  if (statusCode >= 200 && statusCode < 300 && isObject(body) && error === undefined) {
    return { kind: 'accepted', statusCode, body }
  }
  if (statusCode < 400 && error === undefined) return { kind: 'unreachable', code: 'UNREADABLE' }
  const told = isObject(error) ? error : {}
  const numberIn = (value: unknown) => (typeof value === 'number' ? value : null)
  const textIn = (value: unknown) => (typeof value === 'string' ? value.slice(0, 1000) : null)
  return {
    kind: 'refused',
    statusCode,
    provider: {
      code: numberIn(told.code),
      subcode: numberIn(told.error_subcode),
      message: textIn(told.message),
      fbtrace_id: textIn(told.fbtrace_id),
    },
  }
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'UNREACHABLE'
}
