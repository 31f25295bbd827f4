// The contract's part on the audit.
import { z } from 'zod'
import { listQuery, moment, storableText, tenantId, time } from './contract.ts'

/** What can be wrong with a chain. */
export const auditProblems = [
  'chain_missing',
  'chain_changed',
  'row_missing',
  'row_inserted',
  'row_out_of_place',
  'content_changed',
  'tail_cut',
  'end_changed',
] as const

export const auditQuery = listQuery.extend({
  tenant_id: tenantId.toLowerCase().optional(),
  action: storableText(100)
    .optional()
    .describe('`dead_letter.requeued`, or all of one kind: `dead_letter.`'),
  actor: storableText(200).optional(),
  subject: storableText(200).optional(),
  from: moment.optional(),
  to: moment.optional().describe('before this moment'),
})

export const auditAct = z
  .object({
    at: time,
    actor: z.string().describe('an operator’s name, a key’s id, or who else'),
    action: z.string(),
    subject: z.string(),
    reason: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    tenant_id: tenantId.nullable(),
    position: z.number().int().describe('in the tenant’s chain, or the operators’'),
    hash: z.string().describe('SHA-256 over this act and the hash before it, hex'),
    actor_name: z.string().nullable().describe('of a person or a key; not part of what is hashed'),
    subject_name: z
      .string()
      .nullable()
      .describe('of a person, key, tenant or number, as it is now'),
  })
  .meta({ id: 'AuditAct' })

export const auditVerificationQuery = z.object({
  tenant_id: tenantId.toLowerCase().optional(),
  after: storableText(200).optional().describe('next of the part before'),
})

/** A part of the way along the chains. */
export const auditVerification = z
  .object({
    rows: z.number().int().describe('verified in this part'),
    total_rows: z.number().int().describe('of all the chains that are meant, by their own count'),
    whole: z
      .array(
        z.object({ tenant_id: tenantId.nullable(), position: z.number().int(), hash: z.string() }),
      )
      .describe('chains that came to their end in this part, and that end: keep it elsewhere'),
    broken: z.array(
      z.object({
        tenant_id: tenantId.nullable().describe('null: of the operators’ chain'),
        position: z
          .number()
          .int()
          .nullable()
          .describe('the first broken row; null: the chain itself'),
        problem: z.enum(auditProblems),
        message: z.string(),
      }),
    ),
    next: z.string().nullable().describe('after of the next part; null: this was the last'),
  })
  .meta({ id: 'AuditVerification' })
