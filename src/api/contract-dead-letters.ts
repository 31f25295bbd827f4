// The contract's part on dead letters and the audit; apart from contract.ts only for length.
import { z } from 'zod'
import { listQuery, metaId, moment, tenantId, time } from './contract.ts'

const deadLetterKind = z.enum(['outbound', 'inbound', 'malformed', 'unroutable', 'unknown'])
const deadLetterState = z
  .enum(['open', 'requeued', 'discarded', 'resolved'])
  .describe('resolved: Meta turned out to have the message, or somebody marked it sent')
export const deadLetterReason = z
  .enum([
    ...(['window', 'template', 'media', 'content', 'recipient', 'consent', 'account'] as const),
    ...(['limits', 'expired', 'tries', 'refused', 'unknown'] as const),
    ...(['processing', 'malformed', 'unroutable'] as const),
  ])
  .describe('a class of error codes; refused: Meta gave no reason that we know')
  .meta({ id: 'DeadLetterReason' })
const errorCode = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'a code, as error_code shows it')

export const deadLetterFilter = z
  .strictObject({
    tenant_id: tenantId.optional(),
    kind: deadLetterKind.optional(),
    direction: z
      .enum(['inbound', 'outbound'])
      .optional()
      .describe('outbound: what was to be sent, kind unknown too'),
    reason: deadLetterReason.optional(),
    error_code: errorCode.optional(),
    phone_number_id: metaId.optional(),
    q: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .refine((said) => !said.includes('\0') && said.isWellFormed(), 'has a character that is none')
      .optional()
      .describe(
        'an id of the letter or its message (ours, Meta’s, or your client_reference), a code, ours or Meta’s, or part of the contact’s name or number',
      ),
    message_id: z.string().max(100).optional().describe('of what was to be sent: msg_…'),
    created_before: moment.optional(),
    created_after: moment.optional(),
  })
  .meta({ id: 'DeadLetterFilter' })

export const deadLettersQuery = listQuery.extend({
  ...deadLetterFilter.shape,
  state: z
    .enum([...deadLetterState.options, 'decided'])
    .default('open')
    .describe('decided: all that are not open'),
})

/** How many there are of what; a page asks once and can tell the number of every choice. */
export const deadLetterCountsQuery = z.object({
  tenant_id: tenantId.optional(),
  state: deadLettersQuery.shape.state,
  q: deadLetterFilter.shape.q,
  created_before: moment.optional(),
  created_after: moment.optional(),
})

export const deadLetterCounts = z
  .object({
    total: z.number().int(),
    groups: z.array(
      z.object({
        kind: deadLetterKind,
        reason: deadLetterReason,
        error_code: z.string(),
        count: z.number().int(),
        newest_at: time,
      }),
    ),
  })
  .meta({ id: 'DeadLetterCounts' })

export const deadLetter = z
  .object({
    id: z.string(),
    tenant_id: tenantId.nullable().describe('null: nobody owns it; only operators see it'),
    kind: deadLetterKind,
    state: deadLetterState,
    reason: deadLetterReason,
    error_code: z.string(),
    provider_code: z.number().int().nullable().describe('Meta’s, of the last answer that had one'),
    error_message: z.string(),
    item_path: z.string().describe('where in the webhook; empty: the webhook as a whole'),
    phone_number_id: z.string().nullable(),
    waba_id: z.string().nullable(),
    message_id: z.string().nullable().describe('of what was to be sent'),
    message_type: z.string().nullable(),
    conversation_id: z.string().nullable(),
    contact: z
      .object({ name: z.string().nullable(), wa_id: z.string().nullable() })
      .nullable()
      .describe('whom it was for'),
    attempts: z
      .number()
      .int()
      .nullable()
      .describe('how often it was tried to be sent; null for what came in'),
    may_arrive_twice: z
      .boolean()
      .describe(
        'true: an attempt got no answer, so Meta may have it. Requeued, it may arrive twice',
      ),
    correlation_id: z.string().nullable(),
    raw_bytes: z.number().int(),
    created_at: time,
    decided_at: time.nullable(),
    decided_by: z.string().nullable(),
    decision_reason: z.string().nullable(),
  })
  .meta({ id: 'DeadLetter' })

const sendAttempt = z.object({
  dead_letter_id: z
    .string()
    .nullable()
    .describe('the letter that it ended in: each time the message was queued has its own'),
  started_at: time,
  finished_at: time.nullable().describe('null: under way'),
  outcome: z
    .string()
    .nullable()
    .describe(
      'the class of the outcome: accepted, permanent, transient, unknown …; not_posted: Meta was not asked',
    ),
  wamid: z.string().nullable(),
  status_code: z.number().int().nullable().describe('of Meta’s HTTP answer'),
  provider_code: z.number().int().nullable().describe('Meta’s error code'),
  provider_subcode: z.number().int().nullable(),
  error_message: z.string().nullable().describe('Meta’s words, or ours where it said nothing'),
  fbtrace_id: z.string().nullable(),
})

const outboundState = z.object({
  message: z.object({
    id: z.string(),
    conversation_id: z.string().nullable(),
    status: z.string(),
    attempts: z.number().int().describe('how often Meta was asked, in all'),
    error: z.record(z.string(), z.unknown()).nullable(),
  }),
  delivery: z.enum(['at_least_once', 'at_most_once']),
  expires_at: time.nullable(),
  fallback_template: z.record(z.string(), z.unknown()).nullable(),
  attempts: z.array(sendAttempt).describe('every one, the earliest first'),
})

export const deadLetterInspection = deadLetter
  .extend({
    raw: z.string().describe('what could not be applied, as it came, or what was to be posted'),
    raw_encoding: z.enum(['utf-8', 'hex']).describe('hex when it is not text'),
    attempts: z
      .number()
      .int()
      .describe('how often its webhook was processed, or it was tried to be sent'),
    errors: z
      .array(
        z.object({
          dead_letter_id: z.string(),
          at: time,
          kind: deadLetterKind,
          code: z.string(),
          message: z.string(),
          state: deadLetterState,
          decided_at: time.nullable(),
          decided_by: z.string().nullable(),
          decision_reason: z.string().nullable(),
        }),
      )
      .describe(
        'every error at this place or of this message, the earliest first; the last ones may be of later letters',
      ),
    event: z
      .object({
        status: z.enum(['pending', 'processing', 'done', 'failed']),
        attempts: z.number().int(),
        attempts_allowed: z.number().int(),
        last_error: z.string().nullable(),
        received_at: time,
        processed_at: time.nullable(),
        is_pruned: z.boolean().describe('its bytes are no longer kept; it cannot be requeued'),
      })
      .nullable()
      .describe('the webhook it came in'),
    outbound: outboundState.nullable().describe('the message that was to be sent'),
    trail: z
      .array(
        z.object({
          at: time,
          actor: z.string(),
          action: z.string(),
          reason: z.string().nullable(),
        }),
      )
      .describe(
        'who looked at it and who decided, the latest first; this look is the first of them',
      ),
  })
  .meta({ id: 'DeadLetterInspection' })

/** Whatever is no text counts as no reason, so that it is answered REASON_REQUIRED like every missing one. */
export function withReason(body: unknown): unknown {
  if (body === undefined || body === null) return { reason: '' }
  if (typeof body !== 'object' || Array.isArray(body)) return body
  if (typeof (body as { reason?: unknown }).reason === 'string') return body
  return { ...body, reason: '' }
}

export const reason = z
  .string()
  .trim()
  .max(500)
  .refine((said) => !said.includes('\0') && said.isWellFormed(), 'has a character that is none')
  .meta({ minLength: 1, description: 'why; kept in the audit' })

export const deadLetterDecision = z
  .preprocess(withReason, z.strictObject({ reason }))
  .meta({ id: 'DeadLetterDecision' })

const bulkDecision = z.strictObject({
  ids: z.array(z.string().max(100)).min(1).max(1000).optional(),
  filter: deadLetterFilter.optional().describe('empty: every open one. Either this or ids'),
  reason,
  dry_run: z.boolean().default(false).describe('only counts'),
})

/** Also for marking sent. */
export const deadLetterBulkDiscard = z
  .preprocess(withReason, bulkDecision)
  .meta({ id: 'DeadLetterBulkDiscard' })

/** A quarter of what a number may send, so that a heap of old messages leaves room for new ones. */
const defaultPerSecond = 20

export const deadLetterBulkRequeue = z
  .preprocess(
    withReason,
    bulkDecision.extend({
      per_second: z
        .number()
        .min(0.1)
        .max(1000)
        .default(defaultPerSecond)
        .describe('how many messages become due a second; what came in is processed as it can be'),
      start_at: moment
        .optional()
        .describe('when the first message is due; next_start_at of the call before keeps the pace'),
    }),
  )
  .meta({ id: 'DeadLetterBulkRequeue' })

export const deadLetterBulkAnswer = z
  .object({
    dry_run: z.boolean(),
    matched: z.number().int().describe('how many open ones the filter or the ids name'),
    decided: z.number().int().describe('at most 1000 a call'),
    remaining: z.number().int().describe('call again while this is not 0'),
    by_kind: z.record(z.string(), z.number().int()).describe('the matched ones'),
    may_arrive_twice: z
      .number()
      .int()
      .describe('of those to be requeued: an attempt got no answer, so Meta may have it already'),
    next_start_at: time
      .nullable()
      .describe(
        'start_at of the next call, when the same pace is to go on; null: nothing was sent',
      ),
    skipped: z.object({
      payload_pruned: z.number().int().describe('cannot be requeued, only discarded'),
      message_not_failed: z
        .number()
        .int()
        .describe('need not be requeued: the message went through after all, or is on its way'),
      outcome_known: z
        .number()
        .int()
        .describe('cannot be marked sent: it is known that Meta does not have the message'),
      already_decided: z.number().int().describe('of ids'),
      not_found: z.number().int().describe('of ids'),
    }),
  })
  .meta({ id: 'DeadLetterBulkAnswer' })
