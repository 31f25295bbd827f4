// The contract's part on dead letters and the audit; apart from contract.ts only for length.
import { z } from 'zod'
import { listQuery, metaId, moment, tenantId, time } from './contract.ts'

const deadLetterKind = z.enum(['outbound', 'inbound', 'malformed', 'unroutable', 'unknown'])
const deadLetterState = z.enum(['open', 'requeued', 'discarded'])
const errorCode = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'a code, as error_code shows it')

export const deadLetterFilter = z.strictObject({
  tenant_id: tenantId.optional(),
  kind: deadLetterKind.optional(),
  error_code: errorCode.optional(),
  phone_number_id: metaId.optional(),
  created_before: moment.optional(),
  created_after: moment.optional(),
})

export const deadLettersQuery = listQuery.extend({
  ...deadLetterFilter.shape,
  state: deadLetterState.default('open'),
})

export const deadLetter = z.object({
  id: z.string(),
  tenant_id: tenantId.nullable().describe('null: nobody owns it; only operators see it'),
  kind: deadLetterKind,
  state: deadLetterState,
  error_code: z.string(),
  error_message: z.string(),
  item_path: z.string().describe('where in the webhook; empty: the webhook as a whole'),
  phone_number_id: z.string().nullable(),
  waba_id: z.string().nullable(),
  correlation_id: z.string().nullable(),
  raw_bytes: z.number().int(),
  created_at: time,
  decided_at: time.nullable(),
  decided_by: z.string().nullable(),
  decision_reason: z.string().nullable(),
})

export const deadLetterInspection = deadLetter.extend({
  raw: z.string().describe('what could not be applied, as it came'),
  raw_encoding: z.enum(['utf-8', 'hex']).describe('hex when it is not text'),
  attempts: z.number().int().describe('how often its webhook was processed'),
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
      'every error at this place, the earliest first; the last ones may be of later letters',
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
})

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

export const deadLetterDecision = z.preprocess(withReason, z.strictObject({ reason }))

export const deadLetterBulkDecision = z.preprocess(
  withReason,
  z.strictObject({
    ids: z.array(z.string().max(100)).min(1).max(1000).optional(),
    filter: deadLetterFilter.optional().describe('empty: every open one. Either this or ids'),
    reason,
    dry_run: z.boolean().default(false).describe('only counts'),
  }),
)

export const deadLetterBulkAnswer = z.object({
  dry_run: z.boolean(),
  matched: z.number().int().describe('how many open ones the filter or the ids name'),
  decided: z.number().int().describe('at most 1000 a call'),
  remaining: z.number().int().describe('call again while this is not 0'),
  by_kind: z.record(z.string(), z.number().int()).describe('the matched ones'),
  skipped: z.object({
    payload_pruned: z.number().int().describe('cannot be requeued, only discarded'),
    already_decided: z.number().int().describe('of ids'),
    not_found: z.number().int().describe('of ids'),
  }),
})

export const auditQuery = listQuery.extend({ tenant_id: tenantId.toLowerCase().optional() })

export const auditAct = z.object({
  at: time,
  actor: z.string().describe('an operator’s name, a key’s id, or who else'),
  action: z.string(),
  subject: z.string(),
  reason: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  tenant_id: tenantId.nullable(),
  position: z.number().int().describe('in the tenant’s chain, or the operators’'),
  hash: z.string().describe('SHA-256 over this act and the hash before it, hex'),
})
