// Whether an event really comes from the gateway: signatures as the Standard Webhooks specification has them.
import type { EstafetEvent } from './generated.ts'

export class EventVerificationError extends Error {
  readonly reason: 'headers' | 'timestamp' | 'signature' | 'body'

  constructor(reason: EventVerificationError['reason'], message: string) {
    super(message)
    this.name = 'EventVerificationError'
    this.reason = reason
  }
}

/** A `Headers`, or what Node gives: an object with names in lower case. */
export type GivenHeaders = Headers | Record<string, string | string[] | undefined>

export interface VerifyOptions {
  /** How far the sender's clock may be from ours; 300 seconds unless said. */
  toleranceSeconds?: number | undefined
  now?: Date | undefined
}

/** The event, when one of the secrets signed it and it is fresh; throws `EventVerificationError` otherwise. The body must be
 *  what came, byte for byte: parsed and printed again it is another one. */
export async function verifyEvent(
  secrets: string | readonly string[],
  headers: GivenHeaders,
  rawBody: string | Uint8Array | ArrayBuffer,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<EstafetEvent> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  // So that what is no number is refused too.
  if (!(Math.abs(now.getTime() / 1000 - seconds) <= toleranceSeconds)) {
    throw new EventVerificationError('timestamp', 'The event is too old or too new.')
  }
  const body = bytesOf(rawBody)
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => decoded(one.slice(3)) ?? [])
  if (!(await isSigned([secrets].flat(), given, signed))) {
    throw new EventVerificationError('signature', 'No signature of the event is right.')
  }
  return parsed(body)
}

function headerOf(headers: GivenHeaders, name: string): string {
  // Whichever realm or library they are of.
  const value = isHeaders(headers) ? headers.get(name) : headers[name]
  if (typeof value === 'string' && value !== '') return value
  throw new EventVerificationError('headers', `The header ${name} is missing.`)
}

const isHeaders = (headers: GivenHeaders): headers is Headers => typeof headers.get === 'function'

/** In constant time, each of them: Web Crypto compares. */
async function isSigned(
  secrets: string[],
  signatures: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const secret of secrets) {
    const key = decoded(secret.replace(/^whsec_/, ''))
    if (!key || key.length === 0) throw new TypeError('a secret is not whsec_ and base64')
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const imported = await crypto.subtle.importKey('raw', key, hmac, false, ['verify'])
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', imported, signature, signed)) return true
    }
  }
  return false
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  return body instanceof Uint8Array ? body : new Uint8Array(body)
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length)
  whole.set(head)
  whole.set(tail, head.length)
  return whole
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function parsed(body: Uint8Array): EstafetEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as EstafetEvent
  } catch {
    throw new EventVerificationError('body', 'The body is signed, but no JSON.')
  }
}
