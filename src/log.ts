// One JSON object a line on stdout, by an allow-list: a field that has no rule here is not written, whatever a cast
// let through. A value without its field's form is written as a keyed hash, so that a mix-up shows without leaking.
import { hkdfSync, hash as sha256Of } from 'node:crypto'
import { writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import type { LogEvent } from './log-events.ts'
import type { Clock } from './time-and-chance.ts'

type Maybe<T> = T | null | undefined

export interface LogFields {
  eventId?: Maybe<string>
  alert_id?: Maybe<string>
  tenant_id?: Maybe<string>
  account_id?: Maybe<string>
  message_id?: Maybe<string>
  media_id?: Maybe<string>
  conversation_id?: Maybe<string>
  dead_letter_id?: Maybe<string>
  endpoint_id?: Maybe<string>
  correlation_id?: Maybe<string>
  request_id?: Maybe<string>
  phone_number_id?: Maybe<string>
  waba_id?: Maybe<string>
  /** Written as a keyed hash, like the next two: Meta's message ids hold the phone number in base64. */
  wamid?: Maybe<string>
  /** The contact's WhatsApp id as the database has it: other spellings give other hashes. */
  contact?: Maybe<string>
  inbound_event_id?: Maybe<string>
  direction?: Maybe<'inbound' | 'outbound'>
  event_type?: Maybe<string>
  statusCode?: Maybe<number>
  provider_code?: Maybe<number>
  error_code?: Maybe<string>
  /** Scrubbed, but only for what looks secret: pass an error's text (`errorFields`), never what a person wrote. */
  error_message?: Maybe<string>
  /** Only written at level error. */
  stack?: Maybe<readonly string[]>
  attempts?: Maybe<number>
  duration_ms?: Maybe<number>
  delay_ms?: Maybe<number>
  count?: Maybe<number>
  batch_size?: Maybe<number>
  applied?: Maybe<number>
  duplicates?: Maybe<number>
  ignored?: Maybe<number>
  dead?: Maybe<number>
  bytes?: Maybe<number>
  method?: Maybe<string>
  /** The route's pattern, `/api/whatsapp/messages/:id`. */
  route?: Maybe<string>
  /** Only for the addresses we listen on. */
  url?: Maybe<string>
  port?: Maybe<number>
  pid?: Maybe<number>
  version?: Maybe<string>
  role?: Maybe<string>
  /** Where in a payload, `entry[0].changes[1].value`. */
  path?: Maybe<string>
  /** These are words like `bad_signature`; a sentence, above all a person's own, is written as a hash. */
  reason?: Maybe<string>
  kind?: Maybe<string>
  field?: Maybe<string>
  queue?: Maybe<string>
  state?: Maybe<string>
  name?: Maybe<string>
  signal?: Maybe<string>
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type Log = Record<LogLevel, (event: LogEvent, fields?: LogFields) => void> & {
  child(fields: LogFields): Log
}

export interface LogOptions {
  level: string
  hashKey: Buffer
  clock: Clock
  destination?: DestinationStream
}

export function createLog(options: LogOptions): Log {
  const { level, hashKey, clock } = options
  const writer = pino(
    {
      level,
      base: null,
      timestamp: () => `,"timestamp":"${clock.now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? stdout(clock),
  )
  const hash = (value: string) => hashForLog(hashKey, value)

  function withBase(base: Line): Log {
    const write = (at: LogLevel) => (event: LogEvent, fields?: LogFields) => {
      if (!writer.isLevelEnabled(at)) return
      const line: Line = { event: word(event, hash), ...base }
      addPermitted(line, fields, hash)
      if (at !== 'error') delete line.stack
      writer[at](line)
    }
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => withBase(addPermitted({ ...base }, fields, hash)),
    }
  }
  return withBase({})
}

/** `estafet trace` computes the same to find what a hash in the log stands for. 64 bits tell contacts apart. */
export function hashForLog(hashKey: Buffer, value: string): string {
  // Key first and a quarter of the digest: as good as an HMAC here, at a fifth of its time (bench ingest).
  return `h_${sha256Of('sha256', `${hashKey.toString('latin1')} ${value}`, 'hex').slice(0, 16)}`
}

/** What the log would write of these: for whatever else leaves the process (spans). */
export function permittedFields(fields: LogFields, hashKey: Buffer): Record<string, unknown> {
  return addPermitted({}, fields, (value) => hashForLog(hashKey, value))
}

/** The key of the log's hashes, derived so that the log never uses an encryption key itself. */
export function logHashKey(ring: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', ring, '', 'estafet log hash', 32))
}

type Line = Record<string, unknown>
type Hash = (value: string) => string
/** What is written for a value; undefined leaves the field out. */
type Rule = (value: unknown, hash: Hash) => unknown

const shaped =
  (...forms: RegExp[]): Rule =>
  (value, hash) => {
    if (typeof value !== 'string' || value === '') return undefined
    return forms.some((form) => form.test(value)) ? value : hash(value)
  }

// Nothing we count reaches ten digits, and a phone number with its country code does.
const upTo =
  (max: number): Rule =>
  (value) =>
    typeof value === 'number' && value >= 0 && value <= max ? value : undefined

const hashed: Rule = (value, hash) =>
  typeof value === 'string' && value !== '' ? hash(value) : undefined

// Words joined by _ . or -, each with at most one short number in it, which no key, token or phone number is.
const lowerWords =
  /^(?!est_)(?:\d{1,4}[_-])?[a-z]{1,20}(?:\d{1,4}[a-z]{0,10})?(?:[_.-][a-z]{1,20}(?:\d{1,4}[a-z]{0,10})?){0,7}$/
const upperWords =
  /^[A-Z]{1,20}(?:\d{1,4}[A-Z]{0,10})?(?:_[A-Z]{1,20}(?:\d{1,4}[A-Z]{0,10})?){0,7}$/
const word = shaped(lowerWords, upperWords)
const errorName = /^(?:[A-Z][a-z]{1,15}){0,5}Error$/
const errorCode = shaped(lowerWords, upperWords, errorName, /^PG_[0-9A-Z]{5}$/, /^\d{1,7}$/)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const prefixedId =
  /^(?:msg|conv|acc|dlq|key|evt|ep|req|usr|tpl|med|aud|ach|alt)_[A-Za-z0-9-]{16,64}$/
const ownId = shaped(uuid, prefixedId, /^req-[0-9a-z]{1,6}$/)
// Meta's ids of numbers and accounts: the business's own, nobody's phone number, and what operators search by.
const metaId = shaped(/^\d{1,32}$/, /^[A-Za-z]{1,10}\d{0,9}(?:[_-][A-Za-z0-9]{1,9}){0,3}$/)
const listenUrl =
  /^https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,39}\]|[a-z][a-z-]{0,30}(?:\.[a-z-]{1,30}){0,5})(?::\d{1,5})?(?:\/[a-z-]{0,20}){0,4}$/
const routePattern = /^(?:\/(?:[a-z][a-z_.-]{0,30}|v\d|:[A-Za-z]{1,20}|\*)?){1,10}$/
const payloadPath = /^[a-z_]{1,30}(?:\[\d{1,4}\]|\.[a-z_]{1,30}){0,20}$/
const stackFrame = /^[\w$.<>#]{1,80} [\w.-]{1,60}:\d{1,6}$/

const rules: Record<keyof LogFields, Rule> = {
  eventId: ownId,
  alert_id: ownId,
  tenant_id: ownId,
  account_id: ownId,
  message_id: ownId,
  media_id: ownId,
  conversation_id: ownId,
  dead_letter_id: ownId,
  endpoint_id: ownId,
  correlation_id: ownId,
  request_id: ownId,
  phone_number_id: metaId,
  waba_id: metaId,
  wamid: hashed,
  contact: hashed,
  inbound_event_id: (value, hash) =>
    typeof value === 'string' && value !== '' ? hashInboundEventId(value, hash) : undefined,
  direction: shaped(/^(?:in|out)bound$/),
  event_type: word,
  statusCode: upTo(999),
  provider_code: upTo(9_999_999),
  error_code: errorCode,
  error_message: (value) => (typeof value === 'string' ? scrub(value) : undefined),
  stack: (value) =>
    Array.isArray(value)
      ? value.filter((it) => typeof it === 'string' && stackFrame.test(it)).slice(0, maxFrames)
      : undefined,
  attempts: upTo(1_000_000),
  duration_ms: upTo(999_999_999),
  delay_ms: upTo(999_999_999),
  count: upTo(999_999_999),
  batch_size: upTo(1_000_000),
  applied: upTo(1_000_000),
  duplicates: upTo(1_000_000),
  ignored: upTo(1_000_000),
  dead: upTo(1_000_000),
  bytes: upTo(999_999_999),
  method: shaped(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/),
  route: shaped(routePattern, /^unknown$/),
  url: shaped(listenUrl),
  port: upTo(65_535),
  pid: upTo(4_194_304),
  version: shaped(/^v?\d{1,4}(?:\.\d{1,4}){1,3}(?:-[a-z]{1,10}(?:\.\d{1,4})?)?$/),
  role: shaped(/^(?:api|worker|console)(?:,(?:api|worker|console)){0,2}$/),
  path: shaped(payloadPath),
  reason: word,
  kind: word,
  field: word,
  queue: word,
  state: word,
  name: word,
  signal: word,
}

function addPermitted(line: Line, fields: LogFields | undefined, hash: Hash): Line {
  for (const key in fields) {
    if (!Object.hasOwn(rules, key)) continue
    const written = rules[key as keyof LogFields](fields[key as keyof LogFields], hash)
    if (written !== undefined) line[key] = written
  }
  return line
}

/** `id`, `id:status` or, in groups, `id:status:participant`. A digest of a body names nobody and stays. */
function hashInboundEventId(value: string, hash: Hash): string {
  if (/^[0-9a-f]{64}$/.test(value)) return value
  const [id = '', status, participant, ...rest] = value.split(':')
  if (status === undefined || !/^[a-z]{2,16}$/.test(status) || rest.length > 0) return hash(value)
  return [hash(id), status, ...(participant ? [hash(participant)] : [])].join(':')
}

const mask = '***'
const maxMessageLength = 300

/**
 * Masks whatever in an error's text could be a person's or a secret. It goes too far rather than not far enough:
 * from the first quotation mark to the last one nothing is kept, since quoted input may hold marks of its own.
 */
export function scrub(text: string): string {
  // The cut bounds the work; the word it went through goes too, for half a token is still half a token.
  const bounded = text.length > 4000 ? text.slice(0, 4000).replace(/\S*$/, '') : text
  const masked = bounded
    .replace(/["“”„«»‹›‘`][\s\S]*["“”„«»‹›’`]|["“”„«»‹›‘`][\s\S]*$/, `"${mask}"`)
    .replace(/(?<![\p{L}\p{N}])'(?:[\s\S]*'(?![\p{L}\p{N}])|[\s\S]*$)/u, `'${mask}'`)
    .replace(/\b(Bearer|Basic)\s+\S+/gi, `$1 ${mask}`)
    .replace(
      /\b(\w{0,40}(?:token|secret|password|key|authorization))(\s*[=:]\s*)\S+/gi,
      `$1$2${mask}`,
    )
    .replace(/(https?:\/\/[^\s?#]{1,300})[?#]\S*/gi, `$1?${mask}`)
    .replace(/[^\s@]{1,300}@[^\s@]{1,300}/g, mask)
    .replace(/\bwamid\.\S+|\best_\S+|\bEAA\w+/gi, mask)
    .replace(/[A-Za-z0-9+/_=-]{20,}/g, mask)
    .replace(/[A-Za-z0-9+/_-]{7,}/g, (run) => (hidesDigits(run) ? mask : run))
    .replace(/\+?\(?\p{Nd}[\p{Nd}\s().-]{5,}\p{Nd}/gu, (run) => (isPhoneLike(run) ? mask : run))
    .replace(/\p{Nd}{5,}/gu, mask)
  if (masked.length <= maxMessageLength) return masked
  return `${masked.slice(0, maxMessageLength - 1)}…`
}

/** Base64 of a phone number, wherever in a longer text the number began. */
function hidesDigits(run: string): boolean {
  const starts = [0, 1, 2, 3]
  return starts.some((start) =>
    /\d{5}/.test(Buffer.from(run.slice(start), 'base64').toString('latin1')),
  )
}

function isPhoneLike(run: string): boolean {
  const isAddress = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(run)
  return !isAddress && run.replace(/\P{Nd}/gu, '').length >= 7
}

const maxFrames = 8
const maxCauses = 5

export interface ErrorFields {
  error_code: string
  error_message: string
  stack: string[]
}

/** What of an error may be logged. Postgres' detail and where hold rows' contents and are never looked at. */
export function errorFields(error: unknown): ErrorFields {
  const chain = causesOf(error)
  const outermost = chain[0]
  if (!outermost) {
    const error_message = 'something other than an Error was thrown'
    return { error_code: 'NOT_AN_ERROR', error_message, stack: [] }
  }
  const name = errorName.test(outermost.name) ? outermost.name : 'Error'
  const messages = chain.map((it) =>
    it instanceof SyntaxError ? 'the text could not be parsed' : scrub(String(it.message)),
  )
  return {
    error_code: chain.map(codeOf).find((code) => code !== undefined) ?? name,
    error_message: scrub([...new Set(messages)].filter((it) => it !== '').join(': ')),
    stack: framesOf(outermost),
  }
}

/** The error, its cause, the cause's cause; of several errors at once (a host's addresses) the first. */
function causesOf(error: unknown): Error[] {
  const chain: Error[] = []
  let next = error
  while (next instanceof Error && chain.length < maxCauses) {
    chain.push(next)
    next = next instanceof AggregateError ? next.errors[0] : next.cause
  }
  return chain
}

function codeOf(error: Error & { code?: unknown; severity?: unknown }): string | undefined {
  const { code, severity } = error
  if (typeof code !== 'string') return undefined
  if (typeof severity === 'string' && /^[0-9A-Z]{5}$/.test(code)) return `PG_${code}`
  return lowerWords.test(code) || upperWords.test(code) ? code : undefined
}

function framesOf(error: Error): string[] {
  const { stack = '', message } = error
  // The message stands before the frames and may hold lines that look like them.
  const end = stack.indexOf(message)
  if (end < 0) return []
  return stack
    .slice(end + message.length)
    .split('\n')
    .flatMap((line) => {
      const frame =
        /^\s+at (?:async )?(?:new )?(?:([\w$.<>#]{1,80})(?: \[as [\w$.]+\])? \()?(?:[^()]*[/\\:])?([\w.-]{1,60}):(\d{1,6}):\d+\)?$/.exec(
          line,
        )
      return frame ? [`${frame[1] ?? '<anonymous>'} ${frame[2]}:${frame[3]}`] : []
    })
    .slice(0, maxFrames)
}

// What a stuck reader may hold up before lines are dropped rather than the process grown.
const maxWaitingBytes = 4 * 1024 * 1024

/**
 * Writes the lines of a turn together, and what is left when the process ends. A reader that is gone (EPIPE) ends the log
 * and not the process; one that is slow on a non-blocking pipe (EAGAIN) makes lines wait, then drop and be counted.
 */
function stdout(clock: Clock): DestinationStream {
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let droppedLines = 0
  let isGone = false
  let isRetrying = false
  let isScheduled = false

  function flush(): void {
    for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
      const written = tryWrite(line)
      if (written === 'later') {
        retry()
        return
      }
      if (written === 'gone') {
        isGone = true
        waiting = []
        return
      }
      waitingBytes -= written
      if (written < line.length) waiting[0] = line.subarray(written)
      else waiting.shift()
    }
    if (droppedLines > 0) reportDropped()
  }
  function retry(): void {
    if (isRetrying) return
    isRetrying = true
    clock.after(20, () => {
      isRetrying = false
      flush()
    })
  }
  function reportDropped(): void {
    const timestamp = clock.now().toISOString()
    const line = { level: 'warn', timestamp, event: 'log_lines_dropped', count: droppedLines }
    droppedLines = 0
    write(`${JSON.stringify(line)}\n`)
  }
  function write(text: string): void {
    if (isGone) return
    const line = Buffer.from(text)
    if (waitingBytes + line.length > maxWaitingBytes) {
      droppedLines++
      return
    }
    waiting.push(line)
    waitingBytes += line.length
    if (isScheduled) return
    // The lines of one turn share one write. Those of the last turn are written at exit, below.
    isScheduled = true
    clock.afterThisTurn(() => {
      isScheduled = false
      if (waiting.length > 1) waiting = [Buffer.concat(waiting)]
      flush()
    })
  }
  process.once('exit', () => {
    // Timers no longer run. Two seconds are what a slow reader gets.
    const pause = new Int32Array(new SharedArrayBuffer(4))
    for (let tries = 0; tries < 200 && waiting.length > 0; tries++) {
      flush()
      if (waiting.length > 0) Atomics.wait(pause, 0, 0, 10)
    }
  })
  return { write }
}

/** How many bytes were taken. A line that cannot be written for another reason (a full disk) counts as taken. */
function tryWrite(line: Buffer): number | 'later' | 'gone' {
  try {
    return writeSync(1, line)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EAGAIN') return 'later'
    return code === 'EPIPE' ? 'gone' : line.length
  }
}
