// The contract's part on who gets nothing more; apart from contract.ts only for length.
import { z } from 'zod'
import { listQuery, metaId, suppressionReason, suppressionScope, time } from './contract.ts'
import { reason, withReason } from './contract-dead-letters.ts'

export const suppression = z
  .object({
    id: z.string(),
    phone_number_id: z.string().describe('from which number'),
    contact: z.object({
      wa_id: z.string().nullable(),
      user_id: z.string().nullable(),
      name: z.string().nullable(),
      username: z.string().nullable(),
    }),
    scope: suppressionScope,
    state: z.enum(['active', 'lifted']),
    reason: suppressionReason,
    since: time.describe('by Meta’s clock, where it told'),
    set_by: z.string().nullable().describe('who did it by hand'),
    note: z.string().nullable().describe('their reason'),
    lifted_at: time.nullable(),
    lifted_by: z
      .string()
      .nullable()
      .describe('contact: they wrote again, or resumed; else who did it'),
    lift_note: z.string().nullable().describe('their reason'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Suppression' })

export const suppressionsQuery = listQuery.extend({
  state: z.enum(['active', 'lifted', 'all']).default('active'),
  scope: suppressionScope.optional(),
  reason: suppressionReason.optional(),
  phone_number_id: metaId.optional(),
  q: z
    .string()
    .min(1)
    .max(200)
    .refine((said) => !said.includes('\0') && said.isWellFormed(), 'has a character that is none')
    .optional()
    .describe('part of the contact’s name, username or ids; upper and lower case are the same'),
})

export const newSuppression = z
  .preprocess(
    withReason,
    z.strictObject({
      phone_number_id: metaId.optional().describe('may be left out when you have one number'),
      to: z.string().max(100).optional().describe('a phone number with its country code'),
      recipient: z.string().max(200).optional().describe('or else a business-scoped user id'),
      scope: suppressionScope.default('everything'),
      reason,
    }),
  )
  .meta({ id: 'NewSuppression' })

export const suppressionLift = z
  .preprocess(withReason, z.strictObject({ reason }))
  .meta({ id: 'SuppressionLift' })

export const stopWords = z
  .object({
    words: z
      .array(z.string())
      .describe('a message that is nothing but one of these ends all messages to its sender'),
    source: z
      .enum(['tenant', 'installation'])
      .describe('the tenant’s own, or STOP_WORDS for those that have none'),
  })
  .meta({ id: 'StopWords' })
