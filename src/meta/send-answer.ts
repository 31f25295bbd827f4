// The answer to a send, read from HTTP: what was seen, before anybody says what it means (outcomes.ts does).
import { isObject, parseJson } from './json.ts'

/** What Meta says about a refusal, apart from what we make of it. */
export interface ProviderError {
  code: number | null
  subcode: number | null
  message: string | null
  fbtrace_id: string | null
}

export interface Accepted {
  kind: 'accepted'
  statusCode: number
  wamid: string
  /** Under which Meta knows the contact; can differ from the number that was asked for. */
  waId: string | null
  userId: string | null
  /** Templates only: `accepted`, `held_for_quality_assessment` or `paused`. */
  messageStatus: string | null
}

export interface Refused {
  kind: 'refused'
  statusCode: number
  provider: ProviderError
  retryAfterSeconds?: number | null
  /** Meta's own `is_transient`; only asked when the code means nothing to us. */
  isTransient?: boolean | null
}

export interface Unreachable {
  kind: 'unreachable'
  /** Why: `ECONNREFUSED`, `TIMEOUT` … */
  code: string
  /** Whether any byte of the request can have reached Meta. */
  bytesLeft: boolean
}

/** An answer came, and nothing in it says what became of the message. */
export interface Unreadable {
  kind: 'unreadable'
  statusCode: number
}

export type SendAnswer = Accepted | Refused | Unreachable | Unreadable

export interface HttpAnswer {
  statusCode: number
  /** As undici gives them: lower case. */
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

const maxIdLength = 1024

export function readSendAnswer({ statusCode, headers, body }: HttpAnswer, now: Date): SendAnswer {
  const value = parseJson(body)?.value
  const answer = isObject(value) ? value : {}
  if (isObject(answer.error) || statusCode >= 400) {
    return readRefusal({ statusCode, headers, body }, value, now)
  }
  const message = firstIn(answer.messages)
  const wamid = idIn(message.id)
  if (statusCode < 200 || statusCode >= 300 || wamid === null)
    return { kind: 'unreadable', statusCode }
  const contact = firstIn(answer.contacts)
  return {
    kind: 'accepted',
    statusCode,
    wamid,
    waId: idIn(contact.wa_id)?.replace(/^\+/, '') || null,
    userId: idIn(contact.user_id),
    messageStatus: textIn(message.message_status, 64),
  }
}

/** `value` is the body as JSON, whatever that is. */
export function readRefusal(
  { statusCode, headers }: HttpAnswer,
  value: unknown,
  now: Date,
): Refused {
  const told = isObject(value) && isObject(value.error) ? value.error : {}
  return {
    kind: 'refused',
    statusCode,
    provider: {
      code: codeIn(told.code),
      subcode: codeIn(told.error_subcode),
      message: textIn(told.message, 1000),
      fbtrace_id: textIn(told.fbtrace_id, 200),
    },
    retryAfterSeconds: retryAfterSecondsIn(headers, now),
    isTransient: typeof told.is_transient === 'boolean' ? told.is_transient : null,
  }
}

/** `Retry-After` in seconds or as a date; else the minutes that Meta's usage header estimates. */
export function retryAfterSecondsIn(headers: HttpAnswer['headers'], now: Date): number | null {
  const said = one(headers['retry-after'])?.trim()
  if (said !== undefined && /^\d{1,9}$/.test(said)) return Number(said)
  // Date.parse reads almost anything as some date; an HTTP date has a weekday and a zone.
  if (said !== undefined && /^[A-Za-z]{3,9}, .* GMT$/.test(said)) {
    const at = Date.parse(said)
    if (!Number.isNaN(at)) return Math.max(0, Math.ceil((at - now.getTime()) / 1000))
  }
  return regainSecondsIn(one(headers['x-business-use-case-usage']))
}

function regainSecondsIn(header: string | undefined): number | null {
  const usage = header === undefined ? undefined : parseJson(Buffer.from(header))?.value
  if (!isObject(usage)) return null
  const minutes = Object.values(usage)
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((entry) => (isObject(entry) ? entry.estimated_time_to_regain_access : null))
    .filter((value): value is number => typeof value === 'number' && value > 0)
  return minutes.length === 0 ? null : Math.ceil(Math.max(...minutes) * 60)
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

function firstIn(list: unknown): Record<string, unknown> {
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isObject(first) ? first : {}
}

/** Some proxies and mocks write codes as text. */
function codeIn(value: unknown): number | null {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(code) ? (code as number) : null
}

/** Text that Postgres can store. */
function textIn(value: unknown, max: number): string | null {
  if (typeof value !== 'string' || value === '') return null
  return value.slice(0, max).toWellFormed().replaceAll('\0', '\ufffd')
}

function idIn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length === 0 || value.length > maxIdLength) return null
  return value.isWellFormed() && !value.includes('\0') ? value : null
}
