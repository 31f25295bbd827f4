// What a line of the log may hold (the contract's §5), as a schema without a gap: a field or a form that is not here is
// refused, so that each new one is a decision. Every line that a gateway of a test writes is held against it.
import { z } from 'zod'
import type { LogFields } from '../../src/log.ts'

const matching = (form: RegExp) => z.string().regex(form)
const hash = matching(/^h_[0-9a-f]{16}$/)
const word = matching(/^[a-z][a-z0-9_.-]{0,80}$|^[A-Z][A-Z0-9_]{0,80}$/)
/** From outside: what does not look like one of Meta's words is hashed. */
const foreign = z.union([matching(/^[A-Za-z0-9_-]{1,60}$/), hash])
const uuid = z.guid()
const idOf = (prefix: string) => matching(new RegExp(`^${prefix}_[0-9a-f]{32}$`))
const count = z.number().int().min(0).max(999_999_999)
const milliseconds = z.number().min(0).max(999_999_999)

const fields: Record<keyof LogFields, z.ZodType> = {
  eventId: z.union([uuid, idOf('evt')]),
  alert_id: idOf('alt'),
  tenant_id: uuid,
  account_id: idOf('acc'),
  message_id: idOf('msg'),
  media_id: idOf('med'),
  conversation_id: idOf('conv'),
  dead_letter_id: idOf('dlq'),
  endpoint_id: idOf('ep'),
  // Hashed where somebody else said it: whoever calls an internal endpoint.
  correlation_id: z.union([uuid, hash]),
  request_id: uuid,
  phone_number_id: foreign,
  waba_id: foreign,
  wamid: hash,
  contact: hash,
  inbound_event_id: matching(
    /^h_[0-9a-f]{16}(?::[a-z]{2,16}(?::h_[0-9a-f]{16})?)?$|^[0-9a-f]{64}$/,
  ),
  direction: z.enum(['inbound', 'outbound']),
  event_type: z.union([word, hash]),
  statusCode: z.number().int().min(100).max(599),
  provider_code: z.number().int().min(0),
  error_code: matching(/^[A-Za-z0-9_]{1,80}$/),
  error_message: z.string().max(300),
  stack: z.array(matching(/^\S+ [\w.-]+:\d+$/)).max(8),
  attempts: count,
  duration_ms: milliseconds,
  delay_ms: milliseconds,
  count,
  batch_size: count,
  applied: count,
  duplicates: count,
  ignored: count,
  dead: count,
  bytes: count,
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  route: matching(/^unknown$|^(?:\/[A-Za-z0-9:_.*-]*)+$/),
  url: z.url(),
  port: z.number().int().min(0).max(65_535),
  pid: z.number().int().min(1),
  version: matching(/^v?\d+\.\d+\.\d+/),
  role: matching(/^[a-z]+(?:,[a-z]+){0,2}$/),
  path: matching(/^[a-z_]+[a-z_.[\]0-9]*$/),
  reason: word,
  kind: word,
  field: z.union([word, hash]),
  queue: word,
  state: word,
  /** A migration's begins with its number. */
  name: z.union([word, matching(/^\d{4}_[a-z_]{1,60}$/)]),
  signal: word,
}

type Field = keyof LogFields

const step: Field[] = ['direction', 'correlation_id']
const webhook: Field[] = ['direction', 'statusCode', 'duration_ms', 'request_id', 'state']
const number: Field[] = ['tenant_id', 'phone_number_id']
const call: Field[] = ['request_id', 'method', 'route', 'statusCode', 'duration_ms']

/** What is known whenever these happen, and so is never left out. */
const required: Record<string, Field[]> = {
  webhook_received: [...webhook, 'inbound_event_id', 'bytes'],
  webhook_rejected: [...webhook, 'error_code', 'error_message'],
  inbound_processing_started: [...step, 'eventId', 'inbound_event_id', 'attempts'],
  inbound_processing_finished: [
    ...step,
    ...(['eventId', 'inbound_event_id', 'attempts', 'duration_ms'] as const),
    ...(['applied', 'duplicates', 'ignored', 'dead'] as const),
  ],
  inbound_processing_retried: [...step, 'eventId', 'attempts', 'error_code', 'error_message'],
  outbound_send: [
    ...[...step, ...number],
    ...(['message_id', 'event_type', 'attempts', 'kind', 'state', 'duration_ms'] as const),
  ],
  number_held: [...step, ...number, 'reason'],
  circuit_opened: ['direction', 'kind'],
  circuit_closed: ['direction', 'kind'],
  dead_lettered: [...step, 'kind', 'error_code', 'dead_letter_id'],
  reauth_required: number,
  media_fetch: [...step, ...number, 'media_id', 'attempts', 'kind', 'state', 'duration_ms'],
  event_delivery: ['tenant_id', 'endpoint_id', 'eventId', 'attempts', 'state', 'duration_ms'],
  api_request: call,
  api_request_failed: [...call, 'error_code', 'error_message', 'stack'],
}

/** What depends on how it went. */
const requiredWhen: { event: string; is: (line: Line) => boolean; also: Field[] }[] = [
  {
    event: 'webhook_received',
    is: ({ state }) => state === 'accepted',
    also: ['eventId', 'correlation_id'],
  },
  { event: 'outbound_send', is: ({ kind }) => kind === 'accepted', also: ['wamid'] },
  { event: 'outbound_send', is: ({ kind }) => kind !== 'accepted', also: ['error_code'] },
  { event: 'circuit_opened', is: ({ kind }) => kind === 'number', also: number },
  { event: 'api_request', is: ({ statusCode }) => Number(statusCode) >= 400, also: ['error_code'] },
]

type Line = Record<string, unknown>

const form = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']),
  timestamp: z.iso.datetime({ precision: 3 }),
  event: matching(/^[a-z]+(?:_[a-z]+)*$/),
  ...(Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, schema.optional()]),
  ) as Record<Field, z.ZodOptional<z.ZodType>>),
})

export const logLine = form.superRefine((line, context) => {
  const wanted = [
    ...(required[line.event] ?? []),
    ...requiredWhen.flatMap(({ event, is, also }) =>
      event === line.event && is(line) ? also : [],
    ),
  ]
  for (const field of wanted) {
    if (line[field] !== undefined) continue
    context.addIssue({ code: 'custom', path: [field], message: `${line.event} needs it` })
  }
})

/** Fails with the first lines that do not fit, and why. */
export function checkLogLines(text: string): void {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  const problems = whole.flatMap((line) => {
    if (!line.startsWith('{')) return []
    const read = logLine.safeParse(JSON.parse(line))
    return read.success ? [] : [`${line}\n${z.prettifyError(read.error)}`]
  })
  if (problems.length === 0) return
  throw new Error(
    `${problems.length} lines of the log do not fit:\n${problems.slice(0, 5).join('\n')}`,
  )
}
