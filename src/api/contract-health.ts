// The contract's part on health now and over time.
import { z } from 'zod'
import { tenantId, time } from './contract.ts'

export const troubleCodes = [
  'blocked',
  'webhook_waits',
  'webhook_retried',
  'send_waits',
  'meta_unreachable',
  'numbers_failing',
  'reauth_needed',
  'dead_letters',
  'not_counted',
] as const

const counts = {
  webhook_events_pending_count: z.number().int(),
  outbox_pending_count: z.number().int(),
  outbox_failed_count: z.number().int(),
  dlq_count: z.number().int(),
  oldest_pending_seconds: z
    .number()
    .nullable()
    .describe('of webhooks to process and messages that could leave now'),
  oldest_dead_letter_seconds: z.number().nullable().describe('of those that nobody has decided on'),
  events_by_state: z
    .record(z.string(), z.object({ count: z.number().int(), oldest_seconds: z.number() }))
    .describe('webhooks: runnable, processing, retry_wait'),
  sends_by_state: z
    .record(z.string(), z.object({ count: z.number().int(), oldest_seconds: z.number() }))
    .describe(
      'runnable, in_flight, behind (an earlier one to the same contact), scheduled, retry_wait, throttled, circuit_open, parked; ' +
        'unknown and dead: open dead letters',
    ),
}

const healthFields = {
  status: z.enum(['ok', 'degraded', 'down']),
  reasons: z.array(z.string()),
  troubles: z
    .array(
      z.object({
        code: z.enum(troubleCodes),
        count: z
          .number()
          .int()
          .describe('of numbers, accounts or tenants; 1 where nothing is counted'),
        seconds: z
          .number()
          .nullable()
          .describe('how long it has lasted, where that is the trouble'),
      }),
    )
    .describe('the reasons, for programs'),
  ...counts,
  send_success_rate_last_1h: z
    .number()
    .nullable()
    .describe('accepted by Meta / decided: what waits, or was cancelled, is neither'),
  sends_accepted_last_1h: z.number().int(),
  sends_decided_last_1h: z.number().int().describe('accepted by Meta, or given up for good'),
  webhook_ack_p95_ms: z.number().nullable().describe('last 5 minutes, all processes'),
  inbound_processing_p95_ms: z.number().nullable().describe('from its receipt on'),
  send_p95_ms: z.number().nullable().describe('one call to Meta'),
  oldest_webhook_seconds: z.number(),
  dead_letters_by_kind: z.record(z.string(), z.number().int()),
  counted_at: time.describe('now, or when a long backlog was last counted'),
  circuits_open: z.array(
    z.object({
      scope: z.enum(['number', 'host']),
      tenant_id: tenantId.nullable(),
      phone_number_id: z.string().nullable(),
      display_phone_number: z.string().nullable(),
      opened_at: time,
      trial_at: time.describe('from then on one call finds out whether Meta is back'),
      calls: z
        .number()
        .int()
        .describe('in the breaker’s window, when it opened; 0: no longer known'),
      failures: z.number().int().describe('of these'),
    }),
  ),
  accounts_needing_reauth: z.array(
    z.object({
      account_id: z.string(),
      tenant_id: tenantId,
      phone_number_id: z.string(),
      display_phone_number: z.string(),
    }),
  ),
  numbers_count: z.number().int().describe('connected'),
  has_received: z.boolean().describe('whether anything has ever come in'),
}

export const health = z
  .object({
    ...healthFields,
    tenants: z.array(z.object({ tenant_id: tenantId, ...counts })),
  })
  .meta({ id: 'Health' })

export const tenantHealth = z.object(healthFields).meta({ id: 'TenantHealth' })

export const historyRanges = ['1h', '6h', '24h', '7d'] as const

export const historyQuery = z.object({ range: z.enum(historyRanges).default('1h') })

const figure = z.number().nullable()

const historyFields = {
  range: z.enum(historyRanges),
  step_seconds: z.number().int(),
  limits: z
    .object({
      oldest_pending_seconds: z.number().describe('BACKLOG_ALERT_SECONDS'),
      dlq_count: z.number().int().describe('of one tenant: DLQ_ALERT_THRESHOLD'),
    })
    .describe('beyond these an alert fires'),
  points: z
    .array(
      z.object({
        at: time.describe('when the step begins'),
        minutes: z.number().int().describe('how many of the step are known; 0: nobody looked'),
        webhook_ack_p95_ms: figure,
        inbound_processing_p95_ms: figure,
        send_p95_ms: figure,
        outbox_pending_count: figure.describe('the most at once; so are those below'),
        webhook_events_pending_count: figure,
        oldest_pending_seconds: figure,
        dlq_count: figure,
        sends_accepted: figure,
        sends_decided: figure,
      }),
    )
    .describe('all steps of the range, the oldest first'),
}

export const tenantHistory = z.object(historyFields).meta({ id: 'TenantHistory' })

export const history = z
  .object({
    ...historyFields,
    tenants: z
      .array(
        z.object({
          tenant_id: tenantId,
          sends_accepted: z.number().int(),
          sends_decided: z.number().int(),
          send_p95_ms: figure,
          sends: z.array(z.number().int()).describe('accepted, by five minutes'),
        }),
      )
      .describe('of the last hour, whatever the range; without those that decided nothing'),
  })
  .meta({ id: 'History' })
