// Every request and answer of the HTTP API, once: validated here, described by /openapi.json, typed for the console.
// No imports but zod, so that a browser can load it.
import { z } from 'zod'

const time = z.iso.datetime().describe('RFC 3339, UTC')
const text = (max: number) => z.string().trim().min(1).max(max)

export const errorAnswer = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    request_id: z.string(),
  }),
})

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().max(500).optional().describe('paging.next of the page before'),
})

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), paging: z.object({ next: z.string().nullable() }) })
}

/** In lower case, as the database writes it: ids are compared, hashed and sealed as text. */
export const tenantId = z.uuid().toLowerCase()

export const tenant = z.object({
  id: tenantId,
  name: z.string(),
  slug: z.string(),
  status: z.enum(['active', 'suspended']),
  max_concurrency: z.number().int().nullable().describe('null: MAX_CONCURRENCY_PER_TENANT'),
  retry_policy: z.enum(['standard', 'patient']).nullable().describe('null: RETRY_POLICY'),
  created_at: time,
})

export const newTenant = z.strictObject({
  name: text(200),
  slug: z
    .string()
    .regex(
      /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
      'lower-case letters, digits and dashes, at most 63',
    )
    .optional(),
  max_concurrency: z.number().int().min(1).max(1000).nullable().optional(),
  retry_policy: z.enum(['standard', 'patient']).nullable().optional(),
})

export const tenantChange = z
  .strictObject({
    name: text(200).optional(),
    status: z.enum(['active', 'suspended']).optional(),
    max_concurrency: z.number().int().min(1).max(1000).nullable().optional(),
    retry_policy: z.enum(['standard', 'patient']).nullable().optional(),
    reason: text(500).optional(),
  })
  .refine(
    (change) => Object.keys(change).some((key) => key !== 'reason'),
    'names nothing to change',
  )

export const newApiKey = z.strictObject({ name: text(200) })

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  key_start: z.string().describe('how the key begins, to recognise it by'),
  created_at: time,
  revoked_at: time.nullable(),
})

export const shownApiKey = z.object({
  id: z.string(),
  name: z.string(),
  key: z.string().describe('shown this once; only its digest is kept'),
})

/** Meta's ids are digits today, but opaque: anything printable without spaces. */
const metaId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'one of Meta’s ids: printable, without spaces, at most 128')

export const newAccount = z.strictObject({
  waba_id: metaId,
  phone_number_id: metaId,
  display_phone_number: text(40),
  // It becomes a header. Pasted ones come with a line's end.
  access_token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,4096}$/, 'a token: printable, without spaces, at most 4096'),
  app_id: metaId.optional(),
})

export const account = z.object({
  id: z.string(),
  waba_id: z.string(),
  phone_number_id: z.string(),
  display_phone_number: z.string(),
  app_id: z.string().nullable(),
  auth_status: z.enum(['ok', 'needs_reauth']),
  auth_last_error: z.string().nullable(),
  created_at: time,
})

const messageStatus = z.enum([
  'queued',
  'sent',
  'delivered',
  'read',
  'played',
  'failed',
  'unknown',
  'cancelled',
  'received',
])

const messageSummary = z.object({
  id: z.string(),
  conversation_id: z.string().nullable(),
  phone_number_id: z.string(),
  direction: z.enum(['inbound', 'outbound']),
  type: z.string().describe('Meta’s'),
  content: z
    .record(z.string(), z.unknown())
    .describe('the Cloud API’s message object without its envelope'),
  status: messageStatus,
  wamid: z.string().nullable(),
  reply_to_wamid: z.string().nullable(),
  attempts: z.number().int(),
  client_reference: z.string().nullable(),
  error: z.record(z.string(), z.unknown()).nullable(),
  occurred_at: time.describe('by Meta’s clock'),
  created_at: time,
})

export const messageInList = messageSummary

export const message = messageSummary.extend({
  timeline: z.array(z.object({ status: z.string(), at: time })),
})

export const conversation = z.object({
  id: z.string(),
  phone_number_id: z.string(),
  contact_wa_id: z.string(),
  contact_user_id: z.string().nullable(),
  contact_name: z.string().nullable(),
  status: z.enum(['open', 'closed']),
  last_message_at: time,
  window_expires_at: time
    .nullable()
    .describe('until then any message may be sent; afterwards only templates'),
  assigned_user_id: z.string().nullable(),
  created_at: time,
  updated_at: time,
})

export const conversationsQuery = listQuery.extend({
  status: z.enum(['open', 'closed']).optional(),
  phone_number_id: z.string().max(128).optional(),
})

const counts = {
  webhook_events_pending_count: z.number().int(),
  outbox_pending_count: z.number().int(),
  outbox_failed_count: z.number().int(),
  dlq_count: z.number().int(),
  oldest_pending_seconds: z.number().nullable(),
}

export const health = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  reasons: z.array(z.string()),
  ...counts,
  send_success_rate_last_1h: z.number().nullable(),
  webhook_ack_p95_ms: z.number().nullable(),
  inbound_processing_p95_ms: z.number().nullable(),
  send_p95_ms: z.number().nullable(),
  circuits_open: z.array(z.string()),
  accounts_needing_reauth: z.array(
    z.object({ account_id: z.string(), tenant_id: tenantId, phone_number_id: z.string() }),
  ),
  tenants: z.array(z.object({ tenant_id: tenantId, ...counts })),
})
