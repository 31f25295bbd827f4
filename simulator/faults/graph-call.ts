// What can be told of a Graph call from its method, path and body, without knowing the endpoints.
import type { Numbers } from '../numbers.ts'
import { recipientKey } from './selectors.ts'

export interface CalledPath {
  path: string
  /** `messages`, `media`, `oauth` …; `object` for a call on an id itself. */
  endpoint: string
  phone_number_id: string | null
  waba_id: string | null
}

export function readPath(url: string, numbers: Numbers): CalledPath {
  const path = url.split('?', 1)[0] ?? '/'
  const parts = path.split('/').filter((part) => part !== '')
  const [first = '', second] = /^v\d+\.\d+$/.test(parts[0] ?? '') ? parts.slice(1) : parts
  const number = numbers.find(first)
  const ofAccount = numbers.all().find(({ waba_id }) => waba_id === first)
  return {
    path,
    endpoint: endpointOf(first, second),
    phone_number_id: number?.phone_number_id ?? null,
    waba_id: number?.waba_id ?? ofAccount?.waba_id ?? null,
  }
}

function endpointOf(first: string, second: string | undefined): string {
  // The two that are not named after an edge.
  if (first === 'whatsapp_business') return 'media_download'
  if (first.startsWith('upload:')) return 'upload'
  if (!/\d/.test(first)) return first === '' ? 'other' : first
  return second ?? 'object'
}

export interface CalledBody {
  endpoint: string
  recipient: string | null
  template: string | null
  /** Fit for the ledger: without secrets, and not larger than it is worth. */
  shown: unknown
}

export function readBody(endpoint: string, body: unknown): CalledBody {
  const fields = isObject(body) ? body : {}
  const { to, recipient, template, status, type } = fields
  const isMarkRead = endpoint === 'messages' && status !== undefined
  const named = typeof to === 'string' ? to : typeof recipient === 'string' ? recipient : undefined
  return {
    endpoint: isMarkRead ? 'mark_read' : endpoint,
    recipient: named === undefined ? null : recipientKey(named),
    template:
      type === 'template' && isObject(template) && typeof template.name === 'string'
        ? template.name
        : null,
    shown: presentable(body),
  }
}

const secrets = new Set([
  'access_token',
  'input_token',
  'fb_exchange_token',
  'client_secret',
  'appsecret_proof',
  'code',
  'pin',
  'verify_token',
])

const maxShownLength = 64 * 1024

function presentable(body: unknown): unknown {
  if (body === undefined) return null
  const shown = withoutSecrets(body)
  const { length } = JSON.stringify(shown)
  return length > maxShownLength ? { characters: length } : shown
}

/** A copy that holds neither secrets nor files. */
function withoutSecrets(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: value.length }
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      secrets.has(key) ? '(hidden)' : withoutSecrets(inner),
    ]),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
