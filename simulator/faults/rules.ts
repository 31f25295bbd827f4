// Every fault there is, as a declaration: what it is called and what can be said about it.
import { z } from 'zod'
import { durationSchema } from './durations.ts'
import { selectorShape } from './selectors.ts'

const rule = <Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) =>
  z.strictObject({ fault: z.literal(name), ...selectorShape, ...shape })

const code = z.int().min(0)
const httpStatus = z.int().min(200).max(599)
const errorWords = {
  title: z.string().min(1).optional(),
  details: z.string().min(1).optional(),
}
/** Before: as if the call had never come. After: it counts, only the caller does not hear of it. */
const when = z.enum(['before_accepting', 'after_accepting']).default('before_accepting')
const reached = z.enum(['accepted', 'sent', 'delivered'])
const statuses = z.array(z.enum(['sent', 'delivered', 'read', 'played'])).min(1)

const ruleSchema = z.discriminatedUnion(
  'fault',
  [
    // Calls to the Graph API.
    rule('throttle', {
      code: code.default(130429),
      http_status: httpStatus.optional(),
      retry_after_seconds: z.number().min(0).optional(),
      ...errorWords,
    }),
    rule('error', {
      code: code.default(131000),
      subcode: z.int().optional(),
      http_status: httpStatus.optional(),
      body: z.enum(['json', 'html', 'empty']).default('json'),
      when,
      ...errorWords,
    }),
    rule('html', { http_status: httpStatus.default(502), when }),
    rule('outage', { how: z.enum(['unavailable', 'refuse', 'hang']).default('unavailable') }),
    rule('refuse', {}),
    rule('hang', { when }),
    rule('reset', { when }),
    rule('truncate', {
      /** The part of the answer that is sent. */
      keep: z.number().min(0).lt(1).default(0.5),
      /** Whether the connection ends too soon, or the answer claims to be whole. */
      connection: z.enum(['cut', 'kept']).default('cut'),
    }),
    rule('slow', { delay: durationSchema, spread: durationSchema.default(0), when }),
    rule('token', {
      state: z
        .enum(['revoked', 'expired', 'password_changed', 'app_removed', 'logged_out'])
        .default('revoked'),
    }),
    rule('pair_limit', {
      every: durationSchema.default(6000),
      burst: z.int().min(1).default(45),
    }),
    rule('throughput_limit', { per_second: z.int().min(1).default(80) }),
    rule('template_pause', { lasts: durationSchema.default(3 * 3_600_000) }),

    // What becomes of an accepted send.
    rule('early_status', { statuses: statuses.default(['sent']) }),
    rule('skip_status', { statuses: statuses.default(['delivered']) }),
    rule('stuck', { after: reached.default('sent') }),
    rule('fail', {
      code: code.default(131026),
      after: reached.default('accepted'),
      ...errorWords,
    }),
    rule('other_wa_id', {
      wa_id: z
        .string()
        .regex(/^\d{5,20}$/, 'must be 5 to 20 digits')
        .optional(),
    }),
    rule('quality_change', {
      event: z.string().min(1).default('FLAGGED'),
      current_limit: z.string().min(1).default('TIER_2K'),
      old_limit: z.string().min(1).default('TIER_10K'),
    }),
    rule('limit_change', { limit: z.union([z.int(), z.string().min(1)]).default(250) }),

    // Who people are.
    rule('bsuid_only', {}),
    rule('identity_change', {
      what: z.enum(['phone_number', 'user_id', 'identity_key']).default('phone_number'),
    }),

    // Webhooks.
    rule('duplicate', {
      /** How many times it comes besides the first. */
      times: z.int().min(1).max(1000).default(1),
      gap: durationSchema.default(0),
    }),
    rule('reorder', { window: durationSchema.default(1000) }),
    rule('rebatch', {
      window: durationSchema.default(1000),
      /** True: only the batch comes, not the single ones before it. */
      instead: z.boolean().default(false),
    }),
    rule('late_redelivery', { after: durationSchema.default(7 * 86_400_000) }),
    rule('malformed', {
      how: z
        .enum([
          'truncated',
          'not_json',
          'html',
          'empty',
          'invalid_utf8',
          'top_level_array',
          'no_entry',
          'null_value',
          'no_metadata',
          'wrong_signature',
          'missing_signature',
        ])
        .default('truncated'),
      /** True: the good one never comes. */
      instead: z.boolean().default(false),
    }),
    rule('lose', {}),
  ],
  { error: (issue) => unknownFault(issue.input) },
)

export type FaultRule = z.output<typeof ruleSchema>
export type FaultInput = z.input<typeof ruleSchema>
export type FaultName = FaultRule['fault']
export type RuleOf<Name extends FaultName> = Extract<FaultRule, { fault: Name }>

export const faultNames: readonly FaultName[] = ruleSchema.options.map(
  (option) => option.shape.fault.value,
)

export const faultRuleSchema = ruleSchema

function unknownFault(input: unknown): string {
  const given =
    typeof input === 'object' && input !== null && 'fault' in input
      ? JSON.stringify(input.fault)
      : 'missing'
  return `is ${given}, but must be one of ${ruleSchema.options.map((option) => option.shape.fault.value).join(', ')}`
}
