// Everything in this process that reads what strangers wrote, each with good input to begin with and with what must hold
// of whatever it makes of bad input.

import type { z } from 'zod'
import { newsOf } from '../../src/accounts/news.ts'
import { inboundTask, outboundTask } from '../../src/api/contract-tasks.ts'
import { parsePart } from '../../src/api/route.ts'
import { AppError } from '../../src/errors.ts'
import type { ErrorCode } from '../../src/errors-table.ts'
import { isUuid, publicId, uuidOf } from '../../src/ids.ts'
import { errorFields, scrub } from '../../src/log.ts'
import { attachmentHeader, plainFilename, safeFilename } from '../../src/media/filename.ts'
import { packCallback, unpackCallback } from '../../src/meta/callback-data.ts'
import { describeDelivery } from '../../src/meta/delivery.ts'
import { isSignatureHeader, isSigned } from '../../src/meta/signature.ts'
import { parseWebhook, timeOf } from '../../src/meta/webhook.ts'
import { targetProblem } from '../../src/net/guarded-agent.ts'
import {
  describeContent,
  fallbackOf,
  type SendRequest,
  sendRequest,
  toMeta,
} from '../../src/outbox/message.ts'
import { newTemplate, templateChange, templateDefinition } from '../../src/templates/definition.ts'
import { showPreview } from '../../src/templates/show.ts'
import { signatureOf, testSecrets } from '../../test/support/gateway.ts'
import { everyMessage } from '../../test/support/messages-to-send.ts'
import { cursorReaders } from './cursor-readers.ts'
import { graphReaders } from './graph-readers.ts'
import type { Reader } from './model.ts'
import { webhookBodies } from './samples.ts'

const uuid = '019a0000-0000-7000-8000-0123456789ab'
const text = (...samples: string[]) => samples.map((sample) => Buffer.from(sample))
const json = (...samples: unknown[]) => samples.map((sample) => Buffer.from(JSON.stringify(sample)))

/** As a body of the API: JSON, or refused before anybody looks at it. */
function parsed(bytes: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(bytes.toString()) }
  } catch {
    return undefined
  }
}

/** Undefined: it was refused, and by name. */
function accepted<Schema extends z.ZodType>(
  schema: Schema,
  given: Buffer | { value: unknown },
  code: ErrorCode,
): z.output<Schema> | undefined {
  const body = Buffer.isBuffer(given) ? parsed(given) : given
  if (!body) return undefined
  try {
    return parsePart(schema, body.value, 'body', code) as z.output<Schema>
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400 || error.code !== code) throw error
    const { fields } = error.details as { fields: { field: string; problem: string }[] }
    const isNamed = fields.every(({ field, problem }) => field !== '' && problem !== '')
    if (fields.length === 0 || !isNamed) throw new Error('refused without a name', { cause: error })
    return undefined
  }
}

const isPlain = (value: string) => value.isWellFormed() && !value.includes('\0')

function readDelivery(bytes: Buffer): string | undefined {
  const { inboundEventId, singleItemOf, phoneNumberId } = describeDelivery(bytes)
  const names = [inboundEventId, singleItemOf ?? 'x', phoneNumberId ?? 'x']
  if (!names.every((name) => name !== '' && name.length <= 1_100 && isPlain(name))) {
    return 'a name that cannot be stored'
  }
  return undefined
}

function readWebhook(bytes: Buffer): string | undefined {
  const webhook = parseWebhook(bytes)
  if (!('items' in webhook))
    return webhook.malformed === '' ? 'malformed, not saying why' : undefined
  const now = new Date()
  for (const item of webhook.items) {
    const ids = [item.wabaId, item.phoneNumberId, 'wamid' in item ? item.wamid : undefined]
    if (!ids.every((id) => id === undefined || isPlain(id))) return `${item.path}: a broken id`
    const at = 'timestamp' in item ? timeOf(item.timestamp, now) : now
    if (Number.isNaN(at.getTime())) return `${item.path}: no time at all`
    const news = item.kind === 'notice' ? newsOf(item.field, item.content) : []
    for (const { accessLost = '' } of news) {
      if (typeof accessLost !== 'string') return `${item.path}: access is lost, not saying why`
    }
  }
  return undefined
}

const signed = webhookBodies[0] ?? Buffer.alloc(0)
const signature = signatureOf(signed)
const secrets = [testSecrets.META_APP_SECRET, 'another-secret']

function readSignature(bytes: Buffer): string | undefined {
  const header = bytes.toString('latin1')
  const isRight = header === signature
  if (isSigned(signed, header, secrets) !== isRight) return `signed is not ${isRight}`
  return isSignatureHeader(header) || !isRight ? undefined : 'the right form is refused'
}

function readCallback(bytes: Buffer): string | undefined {
  const given = bytes.toString()
  const read = unpackCallback(given)
  if (!read) return undefined
  return packCallback(read.attemptId, read.own) === given ? undefined : 'other data than was given'
}

const prefixes = [
  'msg',
  'conv',
  'acc',
  'key',
  'dlq',
  'sup',
  'tpl',
  'med',
  'evt',
  'ep',
  'usr',
] as const

function readId(bytes: Buffer): string | undefined {
  const given = bytes.toString()
  for (const prefix of prefixes) {
    const read = uuidOf(prefix, given)
    if (read === undefined) continue
    if (!isUuid(read) || publicId(prefix, read) !== given) return `read as ${read}`
  }
  return undefined
}

function readMessage(bytes: Buffer): string | undefined {
  const request = accepted(sendRequest, bytes, 'INVALID_MESSAGE') as SendRequest | undefined
  if (!request) return undefined
  const sent = toMeta(request)
  if (typeof (sent.to ?? sent.recipient) !== 'string') return 'a message to nobody'
  if ('fallback_template' in sent || 'send_at' in sent) return 'Meta is sent what is ours'
  describeContent(request)
  fallbackOf(request)
  return undefined
}

function readFilename(bytes: Buffer): string | undefined {
  for (const mimeType of ['application/pdf', 'image/jpeg', bytes.toString('latin1')]) {
    const name = safeFilename(bytes.toString(), { kind: 'document', mimeType, id: uuid })
    if (name === '' || Buffer.byteLength(name) > 160) return 'its length'
    if (/[\p{Cc}\\/]|^\./u.test(name)) return `unsafe: ${JSON.stringify(name)}`
    if (!/^[\x20-\x7e]+$/.test(attachmentHeader(name))) return 'not a header'
    if (!/^[A-Za-z0-9._ -]+$/.test(plainFilename(name))) return 'not plain'
  }
  return undefined
}

const components = [
  { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['Mara'] } },
  { type: 'BODY', text: 'Order {{1}} of {{2}}.', example: { body_text: [['7', 'May']] } },
  { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go', url: 'https://a.example/{{1}}' }] },
]
const given = [
  { type: 'body', parameters: [{ type: 'text', text: '7' }] },
  { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'x' }] },
]
const definition = { category: 'UTILITY', parameter_format: 'POSITIONAL', components }

function readTemplate(bytes: Buffer): string | undefined {
  const whole = accepted(newTemplate, bytes, 'INVALID_TEMPLATE')
  accepted(templateChange, bytes, 'INVALID_TEMPLATE')
  return whole && whole.components.length === 0 ? 'a template of nothing' : undefined
}

function readPreview(bytes: Buffer): string | undefined {
  const { value } = parsed(bytes) ?? {}
  const asked = value as { template?: unknown; components?: unknown } | null | undefined
  const known = { parameterFormat: 'POSITIONAL' as const, components }
  showPreview(known, asked?.components, true)
  const template = accepted(templateDefinition, { value: asked?.template }, 'INVALID_MESSAGE')
  if (!template) return undefined
  const content = { parameterFormat: template.parameter_format, components: template.components }
  return typeof showPreview(content, asked?.components, false).body === 'string'
    ? undefined
    : 'no body'
}

function readLogText(bytes: Buffer): string | undefined {
  const { error_message } = errorFields(new Error(bytes.toString()))
  return scrub(bytes.toString()).length <= 300 && error_message.length <= 300
    ? undefined
    : 'too long'
}

const attempt = { event_id: uuid, inbound_event_id: 'wamid.x', correlation_id: uuid }
const send = { outbox_id: '17', idempotency_key: 'key', correlation_id: uuid }

function readTarget(bytes: Buffer): string | undefined {
  const given = bytes.toString()
  if (targetProblem(given, { allowPrivate: false }) !== undefined) return undefined
  const { hostname } = new URL(given)
  const isPrivate = /^(?:127\.\d+|169\.254|10\.\d+|0\.0)\.\d+\.\d+$|^\[::/.test(hostname)
  return isPrivate ? `${hostname} is let through` : undefined
}

export const readers: Reader[] = [
  { name: 'delivery', samples: webhookBodies, isJson: true, read: readDelivery },
  { name: 'webhook', samples: webhookBodies, isJson: true, read: readWebhook },
  {
    name: 'signature',
    samples: text(signature, signature.toUpperCase(), 'sha1=00'),
    read: readSignature,
  },
  {
    name: 'signed body',
    samples: [signed],
    read: (bytes) =>
      isSigned(bytes, signature, secrets) === bytes.equals(signed)
        ? undefined
        : 'signed other bytes',
  },
  {
    name: 'callback data',
    samples: text(packCallback(uuid, null), packCallback(uuid, 'own')),
    read: readCallback,
  },
  {
    name: 'id',
    samples: text(...prefixes.map((prefix) => publicId(prefix, uuid)), uuid),
    read: readId,
  },
  {
    name: 'message',
    samples: json(...everyMessage.map(([, content]) => ({ to: '+16505550143', ...content }))),
    isJson: true,
    read: readMessage,
  },
  {
    name: 'file name',
    samples: text('terms.pdf', '../../etc/passwd', 'con.txt', 'ümlaut.PDF'),
    read: readFilename,
  },
  {
    name: 'template',
    samples: json({ name: 'order_update', language: 'en_US', ...definition }),
    isJson: true,
    read: readTemplate,
  },
  {
    name: 'preview',
    samples: json({ template: definition, components: given }),
    isJson: true,
    read: readPreview,
  },
  {
    name: 'task',
    samples: json(attempt, send),
    isJson: true,
    read: (bytes) => {
      accepted(inboundTask, bytes, 'INVALID_REQUEST')
      accepted(outboundTask, bytes, 'INVALID_REQUEST')
      return undefined
    },
  },
  {
    name: 'target address',
    samples: text(
      'https://firm.example/hook',
      'http://169.254.169.254/',
      'http://[::ffff:127.0.0.1]:8080/',
    ),
    read: readTarget,
  },
  {
    name: 'log text',
    samples: text(
      'duplicate key value (16505550143) "x"',
      'Bearer abc https://a.example/?q=1 a@b.example',
    ),
    read: readLogText,
  },
  ...cursorReaders,
  ...graphReaders,
]
