// Every request and answer of the HTTP API, once: validated here, described by /openapi.json, typed for the console.
// No imports but zod, so that a browser can load it.
import { z } from 'zod'
import { waitReason } from './contract-outbox.ts'
import { renderedTemplate } from './contract-preview.ts'

export const time = z.iso.datetime().describe('RFC 3339, UTC')
/** A time from a caller, in any zone. */
export const moment = z.iso.datetime({ offset: true }).describe('RFC 3339')
const text = (max: number) => z.string().trim().min(1).max(max)
/** To be compared with what is stored: Postgres takes neither NUL nor half of a surrogate pair. */
export const storableText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((said) => !said.includes('\0') && said.isWellFormed(), 'has a character that is none')

/** In a query, where everything is text. */
export const flag = z.stringbool().meta({ type: 'boolean' })

export const errorAnswer = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'Error' })

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().max(500).optional().describe('paging.next of the page before'),
})

const paging = z
  .object({
    next: z.string().nullable().describe('after of the next page; null: this was the last'),
  })
  .meta({ id: 'Paging' })

export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), paging })
}

/** In lower case, as the database writes it: ids are compared, hashed and sealed as text. */
export const tenantId = z.uuid().toLowerCase()

export const tenant = z
  .object({
    id: tenantId,
    name: z.string(),
    slug: z.string(),
    status: z.enum(['active', 'suspended']),
    max_concurrency: z.number().int().nullable().describe('null: MAX_CONCURRENCY_PER_TENANT'),
    max_queued: z.number().int().nullable().describe('null: MAX_QUEUED_PER_TENANT'),
    retry_policy: z.enum(['standard', 'patient']).nullable().describe('null: RETRY_POLICY'),
    stop_words: z.array(z.string()).nullable().describe('null: STOP_WORDS; empty: none'),
    created_at: time,
  })
  .meta({ id: 'Tenant' })

const maxQueued = z
  .number()
  .int()
  .min(1)
  .max(1_000_000)
  .describe('messages that wait to be sent; more are refused with 429 BACKLOG_FULL')

export const newTenant = z
  .strictObject({
    name: text(200),
    slug: z
      .string()
      .regex(
        /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        'lower-case letters, digits and dashes, at most 63',
      )
      .optional(),
    max_concurrency: z.number().int().min(1).max(1000).nullable().optional(),
    max_queued: maxQueued.nullable().optional(),
    retry_policy: z.enum(['standard', 'patient']).nullable().optional(),
  })
  .meta({ id: 'NewTenant' })

export const tenantChange = z
  .strictObject({
    name: text(200).optional(),
    status: z.enum(['active', 'suspended']).optional(),
    max_concurrency: z.number().int().min(1).max(1000).nullable().optional(),
    max_queued: maxQueued.nullable().optional(),
    retry_policy: z.enum(['standard', 'patient']).nullable().optional(),
    stop_words: z
      .array(text(100))
      .max(200)
      .nullable()
      .optional()
      .describe('a message that is nothing but one of these ends all messages to its sender'),
    reason: text(500).optional(),
  })
  .refine(
    (change) => Object.keys(change).some((key) => key !== 'reason'),
    'names nothing to change',
  )
  .meta({ id: 'TenantChange' })

export const newApiKey = z.strictObject({ name: text(200) }).meta({ id: 'NewApiKey' })

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    key_start: z.string().describe('how the key begins, to recognise it by'),
    created_at: time,
    revoked_at: time.nullable(),
    last_used_at: time
      .nullable()
      .describe('to a few minutes; null: never, or not since this is kept'),
  })
  .meta({ id: 'ApiKey' })

export const shownApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    key: z.string().describe('shown this once; only its digest is kept'),
  })
  .meta({ id: 'ShownApiKey' })

/** Meta's ids are digits today, but opaque: anything printable without spaces. */
export const metaId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'one of Meta’s ids: printable, without spaces, at most 128')

export const newAccount = z
  .strictObject({
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
  .meta({ id: 'NewAccount' })

export const responder = z.enum(['off', 'echo', 'auto_reply']).meta({ id: 'Responder' })

export const account = z
  .object({
    id: z.string(),
    waba_id: z.string(),
    phone_number_id: z.string(),
    display_phone_number: z.string(),
    app_id: z.string().nullable(),
    auth_status: z.enum(['ok', 'needs_reauth']).describe('of sending messages'),
    auth_last_error: z.string().nullable(),
    responder: responder.describe('what answers messages by itself'),
    auto_reply_text: z.string().nullable().describe('what auto_reply says'),
    templates_auth_status: z.enum(['ok', 'needs_reauth']).describe('of managing templates'),
    templates_auth_last_error: z.string().nullable(),
    token_expires_at: time.nullable().describe('null: never, or not known yet'),
    token_expires_soon: z.boolean().describe('reconnect before it does'),
    token_checked_at: time.nullable().describe('when Meta last told about the token'),
    throughput_level: z.enum(['standard', 'high', 'coexistence']),
    hold: z
      .object({
        reason: z.enum(['banned', 'review_rejected', 'restricted']),
        until: time.nullable().describe('null: until Meta says otherwise'),
      })
      .nullable()
      .describe('why nothing is sent, by what Meta says of the account'),
    replies_only_until: time
      .nullable()
      .describe('until then contacts can be answered, but not written to first'),
    standing: z
      .record(z.string(), z.looseObject({ at: time.describe('by Meta’s clock') }))
      .describe(
        'what Meta said last, by subject: quality, limit, throughput, review, restriction, ban, violation, name, security, access, alert, username, status',
      ),
    created_at: time,
  })
  .meta({ id: 'Account' })

/** What those who answer contacts need to know of an account. */
export const ownNumber = account
  .pick({
    phone_number_id: true,
    display_phone_number: true,
    auth_status: true,
  })
  .meta({ id: 'OwnNumber' })

export const accountChange = z
  .strictObject({
    responder: responder.optional(),
    // Meta's limit for a text.
    auto_reply_text: text(4096).nullable().optional().describe('what auto_reply says'),
    reason: text(500).optional(),
  })
  .refine(
    (change) => Object.keys(change).some((key) => key !== 'reason'),
    'names nothing to change',
  )
  .meta({ id: 'AccountChange' })

export const messageStatus = z
  .enum([
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
  .meta({ id: 'MessageStatus' })

export const contactIds = {
  wa_id: z.string().nullable().describe('phone-number id; null when Meta does not tell'),
  user_id: z.string().nullable().describe('business-scoped user id'),
  name: z.string().nullable(),
}

export const messageInList = z
  .object({
    id: z.string(),
    conversation_id: z.string().nullable(),
    phone_number_id: z.string(),
    direction: z.enum(['inbound', 'outbound']),
    origin: z
      .enum(['live', 'echo', 'history'])
      .describe('echo: sent from the business’s own phone; history: from before the connection'),
    sender: z.object(contactIds).nullable().describe('who wrote it, in a group'),
    type: z.string().describe('Meta’s'),
    content: z
      .record(z.string(), z.unknown())
      .describe('the Cloud API’s message object without its envelope; after an edit, as edited'),
    media: z
      .enum(['pending', 'stored', 'expired', 'failed'])
      .nullable()
      .describe('how far its file got; null when it has none that we keep'),
    media_id: z.string().nullable().describe('GET /api/whatsapp/meta/media/{id} gives the file'),
    media_error: z.string().nullable().describe('why there is no file, or not yet'),
    media_bytes: z.number().int().nullable().describe('the file’s size, once it is here'),
    status: messageStatus,
    wamid: z.string().nullable(),
    reply_to_wamid: z.string().nullable(),
    refers_to: z
      .object({
        id: z.string(),
        direction: z.enum(['inbound', 'outbound']),
        type: z.string(),
        content: z.record(z.string(), z.unknown()),
      })
      .nullable()
      .describe('what it answers, reacts to, edits or takes back, where we have that'),
    rendered: renderedTemplate
      .nullable()
      .describe('a template message as the contact sees it, where the mirror has the template'),
    sent_by: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('who wrote it in the console; a name of null: an operator'),
    waits_for: z
      .object({
        reason: waitReason,
        until: time.nullable().describe('null: nobody can say'),
        error_code: z.string().nullable().describe('what the last attempt came to'),
      })
      .nullable()
      .describe('why a queued message has not left yet; null: it is about to'),
    correlation_id: z.string().describe('of its story: what estafet trace takes'),
    attempts: z.number().int(),
    client_reference: z.string().nullable(),
    error: z.record(z.string(), z.unknown()).nullable(),
    automatic: z.boolean().describe('made by the account’s responder'),
    reactions: z
      .array(
        z.object({
          emoji: z.string(),
          from: z.string().describe('a contact’s id, or “business”'),
          at: time,
        }),
      )
      .describe('the latest of each person; a removed one is gone'),
    edited_at: time.nullable(),
    original_content: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('what an edited message said at first'),
    revoked_at: time.nullable().describe('deleted by its sender; the content is kept here'),
    duplicate_confirmed_at: time
      .nullable()
      .describe(
        'when it was learnt that Meta has it twice: an answer was lost, and no status came in time',
      ),
    occurred_at: time.describe('by Meta’s clock'),
    created_at: time,
    timeline: z.array(z.object({ status: z.string(), at: time })),
  })
  .meta({ id: 'MessageInList' })

export const message = messageInList
  .extend({
    sends: z
      .array(
        z.object({
          started_at: time,
          finished_at: time.nullable().describe('null: under way'),
          outcome: z
            .string()
            .nullable()
            .describe('accepted, permanent, transient, unknown …; not_posted: Meta was not asked'),
          status_code: z.number().int().nullable().describe('of Meta’s HTTP answer'),
          provider_code: z.number().int().nullable().describe('Meta’s error code'),
          error_message: z
            .string()
            .nullable()
            .describe('Meta’s words, or ours where it said nothing'),
        }),
      )
      .describe('every attempt to send it, the earliest first'),
  })
  .meta({ id: 'Message' })

export const messagesQuery = listQuery.extend({
  client_reference: storableText(512).optional(),
  status: messageStatus.optional(),
})

export const suppressionScope = z
  .enum(['marketing', 'everything'])
  .describe('marketing: templates of that category')
  .meta({ id: 'SuppressionScope' })

export const suppressionReason = z
  .enum(['user_preferences', 'marketing_refused', 'stop_word', 'blocked', 'operator'])
  .describe(
    'stopped in WhatsApp; refused by Meta (131050); a stop word; blocked at Meta (130403); by hand',
  )
  .meta({ id: 'SuppressionReason' })

export const accountEventsQuery = listQuery.extend({ field: storableText(128).optional() })

export const accountEvent = z
  .object({
    id: z.string(),
    field: z.string().describe('Meta’s webhook field'),
    event: z.string().nullable().describe('the field’s own word for what happened'),
    waba_id: z.string().nullable(),
    phone_number_id: z.string().nullable(),
    content: z.record(z.string(), z.unknown()),
    occurred_at: time.describe('by Meta’s clock'),
    created_at: time,
  })
  .meta({ id: 'AccountEvent' })
