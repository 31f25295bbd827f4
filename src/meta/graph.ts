// Calls to Meta's Graph API. The token goes to the configured origin and nowhere else: redirects are not followed.
import { Pool } from 'undici'
import type { Clock } from '../time-and-chance.ts'
import { isObject, parseJson } from './json.ts'
import {
  type HttpAnswer,
  type ProviderError,
  readSendAnswer,
  type SendAnswer,
  type Unreachable,
} from './send-answer.ts'

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

export type GraphAnswer =
  | { kind: 'accepted'; statusCode: number; body: Record<string, unknown> }
  | { kind: 'refused'; statusCode: number; provider: ProviderError }
  /** No answer, or none that can be read; `code` says why. */
  | Unreachable

export interface Graph {
  /** Posts a message. Never throws; what became of it is in the answer. */
  send(number: NumberAccess, body: Record<string, unknown>): Promise<SendAnswer>
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
    connections: 256,
    connect: { timeout: Math.min(connectTimeoutMs, timeoutMs) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxAnswerBytes,
  })

  /** One POST to a number's messages, read by `read`. */
  async function post<Answer>(
    number: NumberAccess,
    body: Record<string, unknown>,
    limitMs: number,
    read: (answer: HttpAnswer) => Answer,
  ): Promise<Answer | Unreachable> {
    const late = new AbortController()
    const cancel = clock.after(limitMs, () => late.abort())
    try {
      const {
        statusCode,
        headers,
        body: stream,
      } = await pool.request({
        method: 'POST',
        path: `${base}/${encodeURIComponent(number.phoneNumberId)}/messages`,
        headers: {
          authorization: `Bearer ${number.accessToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
        signal: late.signal,
      })
      return read({ statusCode, headers, body: Buffer.from(await stream.arrayBuffer()) })
    } catch (error) {
      const code = late.signal.aborted ? 'TIMEOUT' : codeOf(error)
      return { kind: 'unreachable', code, bytesLeft: !beforeSending.test(code) }
    } finally {
      cancel()
    }
  }

  return {
    send: (number, body) =>
      post(number, body, timeoutMs, (answer) => readSendAnswer(answer, clock.now())),
    markRead: (number, wamid) =>
      post(
        number,
        { messaging_product: 'whatsapp', status: 'read', message_id: wamid },
        Math.min(markReadTimeoutMs, timeoutMs),
        ({ statusCode, body }) => readAnswer(statusCode, parseJson(body)?.value),
      ),
    close: () => pool.destroy(),
  }
}

/** No connection came about, so nothing of the request left us. Whatever is not listed may have been sent. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

function readAnswer(statusCode: number, body: unknown): GraphAnswer {
  const error = isObject(body) ? body.error : undefined
  if (statusCode >= 200 && statusCode < 300 && isObject(body) && error === undefined) {
    return { kind: 'accepted', statusCode, body }
  }
  if (statusCode < 400 && error === undefined) {
    return { kind: 'unreachable', code: 'UNREADABLE', bytesLeft: true }
  }
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
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'UNREACHABLE'
}
