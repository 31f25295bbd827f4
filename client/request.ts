// What is sent, put together before the first attempt: what is wrong with it is the caller's to mend, and asking again would
// not mend it.
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

/** The same for every attempt. */
export interface Outgoing {
  url: string
  method: string
  headers: Record<string, string>
  body: FormData | string | undefined
  timeoutMs: number
}

const defaultTimeoutMs = 30_000
/** Told to wait longer, `setTimeout` does not wait at all. */
const longestTimeoutMs = 2 ** 31 - 1

/** Throws a TypeError for what no attempt could send, and never quotes a value: one of them is the key. */
export function requestOf(client: ClientOptions, call: Call): Outgoing {
  const { spec, path, body, options = {} } = call
  return {
    url: addressOf(client.baseUrl, path),
    method: spec.method,
    headers: checked(headersOf(client, call)),
    body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
    timeoutMs: timeoutOf(options.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs),
  }
}

function addressOf(baseUrl: string, path: string): string {
  const address = String(baseUrl).replace(/\/+$/, '') + path
  const url = URL.canParse(address) ? new URL(address) : undefined
  // `fetch` knows no other kinds, and takes no names and passwords.
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password === '') return address
  throw new TypeError('baseUrl must be an address such as https://gateway.example')
}

function timeoutOf(ms: number): number {
  // So that what is no number is refused too.
  if (!(ms > 0)) throw new TypeError('timeoutMs must be more than 0')
  return Math.min(ms, longestTimeoutMs)
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

function checked(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]])
    } catch {
      // Without its cause, which quotes the value.
      throw new TypeError(`what is given for the header ${JSON.stringify(name)} cannot be sent`)
    }
  }
  return headers
}
