// Calls to Meta's Graph API. The token goes to the configured origin and nowhere else: redirects are not followed.
import { Readable } from 'node:stream'
import { Pool } from 'undici'
import type { Clock } from '../time-and-chance.ts'
import { isObject, parseJson } from './json.ts'
import {
  type HttpAnswer,
  type Refused,
  readRefusal,
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
  | Refused
  /** No answer, or none that can be read; `code` says why. */
  | Unreachable

/** One call to any edge or node, as Meta's reference writes it. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE'
  /** Ids and edges below the version, in order: `[wabaId, 'message_templates']`. */
  path: readonly string[]
  query?: Record<string, string>
  accessToken?: string
  /** An object goes as JSON; a stream goes as it is, with the headers that say what it is. */
  body?: Record<string, unknown> | Readable
  headers?: Record<string, string>
  /** Besides the token: what must not stay in Meta's words, which are stored and shown. */
  secrets?: string[]
  /** That of the whole client, unless said. */
  limitMs?: number
  /** For a caller that may have to leave before the answer is there. */
  signal?: AbortSignal | undefined
}

export interface Graph {
  /** Any call but a send. Never throws, as none of these. */
  call(call: GraphCall): Promise<GraphAnswer>
  /** The same, for others to read. */
  ask(call: GraphCall): Promise<HttpAnswer | Unreachable>
  /** Posts a message; what became of it is in the answer. */
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
    maxResponseSize: maxAnswerBytes,
  })

  async function ask(given: GraphCall): Promise<HttpAnswer | Unreachable> {
    const { limitMs = timeoutMs } = given
    const late = new AbortController()
    const cancel = clock.after(limitMs, () => late.abort())
    try {
      const {
        statusCode,
        headers,
        body: stream,
      } = await pool.request({
        ...requestOf(base, given),
        headersTimeout: limitMs,
        bodyTimeout: limitMs,
        signal: given.signal ? AbortSignal.any([late.signal, given.signal]) : late.signal,
      })
      return { statusCode, headers, body: Buffer.from(await stream.arrayBuffer()) }
    } catch (error) {
      const code = late.signal.aborted ? 'TIMEOUT' : codeOf(error)
      return { kind: 'unreachable', code, bytesLeft: !beforeSending.test(code) }
    } finally {
      cancel()
    }
  }

  async function call(given: GraphCall): Promise<GraphAnswer> {
    const answer = await ask(given)
    if ('kind' in answer) return answer
    return withoutSecrets(readAnswer(answer, clock.now()), given)
  }

  const toMessages = ({ phoneNumberId, accessToken }: NumberAccess, body: GraphCall['body']) => ({
    method: 'POST' as const,
    path: [phoneNumberId, 'messages'],
    accessToken,
    ...(body && { body }),
  })

  return {
    call,
    ask,
    async send(number, body) {
      const answer = await ask(toMessages(number, body))
      return 'kind' in answer ? answer : readSendAnswer(answer, clock.now())
    },
    markRead: (number, wamid) =>
      call({
        ...toMessages(number, {
          messaging_product: 'whatsapp',
          status: 'read',
          message_id: wamid,
        }),
        limitMs: Math.min(markReadTimeoutMs, timeoutMs),
      }),
    close: () => pool.destroy(),
  }
}

function requestOf(base: string, { method, path, query, accessToken, body, headers }: GraphCall) {
  const isJson = body !== undefined && !(body instanceof Readable)
  const asked = new URLSearchParams(query).toString()
  return {
    method,
    path: `${base}/${path.map(encodeURIComponent).join('/')}${asked && `?${asked}`}`,
    headers: {
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
  }
}

function withoutSecrets(
  answer: GraphAnswer,
  { accessToken = '', secrets = [] }: GraphCall,
): GraphAnswer {
  if (answer.kind !== 'refused') return answer
  const { provider } = answer
  const hidden = [accessToken, ...secrets].filter((secret) => secret !== '')
  const message = hidden.reduce<string | null>(
    (text, secret) => text?.replaceAll(secret, '…') ?? null,
    provider.message,
  )
  return { ...answer, provider: { ...provider, message } }
}

/** No connection came about, so nothing of the request left us. Whatever is not listed may have been sent. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

/** What any answer but that to a send says. */
export function readAnswer(answer: HttpAnswer, now: Date): GraphAnswer {
  const { statusCode } = answer
  const body = parseJson(answer.body)?.value
  const error = isObject(body) ? body.error : undefined
  if (statusCode >= 200 && statusCode < 300 && isObject(body) && error === undefined) {
    return { kind: 'accepted', statusCode, body }
  }
  if (statusCode < 400 && error === undefined) {
    return { kind: 'unreachable', code: 'UNREADABLE', bytesLeft: true }
  }
  return readRefusal(answer, body, now)
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'UNREACHABLE'
}
