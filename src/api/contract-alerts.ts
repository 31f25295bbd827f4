// The contract's part on alerts and the channels that tell of them.
import { z } from 'zod'
import { listQuery, tenantId, time } from './contract.ts'

export const newAlertChannel = z
  .strictObject({
    kind: z.enum(['slack', 'pagerduty', 'webhook']),
    target: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .describe(
        'slack: the incoming webhook’s https URL; pagerduty: the routing key of an Events API v2 integration; webhook: an https URL that takes POST',
      ),
    description: z.string().trim().max(200).default(''),
  })
  .meta({ id: 'NewAlertChannel' })

export const alertChannel = z
  .object({
    id: z.string(),
    kind: z.enum(['slack', 'pagerduty', 'webhook']),
    description: z.string(),
    target: z.string().describe('only a hint; the whole is never shown again'),
    origin: z
      .enum(['api', 'environment'])
      .describe('environment: SLACK_WEBHOOK_URL or PAGERDUTY_ROUTING_KEY'),
    failing_since: time.nullable(),
    last_error: z.string().nullable(),
    last_success_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'AlertChannel' })

export const alertChannelWithSecret = alertChannel
  .extend({
    secret: z
      .string()
      .nullable()
      .describe('webhook: whsec_…, signs as Standard Webhooks says; shown this once'),
  })
  .meta({ id: 'AlertChannelWithSecret' })

export const testedAlertChannel = z
  .object({
    delivered: z.boolean(),
    status_code: z.number().int().nullable().describe('what the target answered; null: nothing'),
    error_code: z.string().nullable(),
    answer: z.string().nullable().describe('what the target said, the first 500 characters'),
  })
  .meta({ id: 'TestedAlertChannel' })

export const alertsQuery = listQuery.extend({
  state: z.enum(['firing', 'resolved']).optional(),
})

export const allAlertsQuery = alertsQuery.extend({ tenant_id: tenantId.optional() })

export const alert = z
  .object({
    id: z.string().describe('the same from firing to resolved'),
    tenant_id: tenantId.nullable().describe('null: it concerns the operator'),
    rule: z.string(),
    subject: z.string().nullable().describe('which number, endpoint or channel'),
    state: z.enum(['firing', 'resolved']),
    severity: z.enum(['critical', 'error', 'warning']),
    since: time.describe('when the trouble began'),
    fired_at: time,
    resolved_at: time.nullable(),
    count: z.number().int().describe('how much; what of is in the summary'),
    summary: z.string(),
  })
  .meta({ id: 'Alert' })
