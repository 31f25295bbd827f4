// The contract's part on accounting, traces and replay; apart from contract.ts only for length.
import { z } from 'zod'
import { listQuery, metaId, moment, tenantId, time } from './contract.ts'
import { reason, withReason } from './contract-dead-letters.ts'

const count = z.number().int()

export const accountingQuery = z.object({
  from: moment.optional().describe('received at this time or later'),
  to: moment.optional().describe('received before this time'),
  tenant_id: tenantId.toLowerCase().optional(),
})

const account = {
  received: count.describe(
    'items; equals messages + statuses + notices + duplicates + ignored + dead',
  ),
  messages: count,
  statuses: count,
  notices: count,
  duplicates: count,
  ignored: z.record(z.string(), count).describe('by reason'),
  dead: count,
  adds_up: z.boolean(),
  pending: count.describe('webhooks whose items are not counted yet'),
}

export const accounting = z
  .object({
    total: z.object({
      ...account,
      webhooks: z.object({ done: count, failed: count, pending: count }),
    }),
    tenants: z.array(
      z.object({ tenant_id: tenantId.nullable().describe('null: nobody’s'), ...account }),
    ),
  })
  .meta({ id: 'Accounting' })

export const replayRequest = z
  .preprocess(
    withReason,
    z
      .strictObject({
        from: moment.describe('received at this time or later'),
        to: moment.describe('received before this time'),
        tenant_id: tenantId.toLowerCase().optional(),
        phone_number_id: metaId.optional(),
        reason,
        dry_run: z.boolean().default(true).describe('only counts, unless false'),
        after: z.string().max(500).optional().describe('next of the answer before'),
      })
      .refine(({ from, to }) => new Date(from) < new Date(to), {
        path: ['to'],
        message: 'must be later than from',
      }),
  )
  .meta({ id: 'ReplayRequest' })

export const replayAnswer = z
  .object({
    dry_run: z.boolean(),
    matched: count.describe('webhooks that were processed in this period'),
    replayable: count.describe('of these, how many still have their bytes'),
    pruned: count.describe('of these, how many have not'),
    waiting: count.describe('webhooks of this period that are still to be processed, and will be'),
    replayed: count.describe('put back into processing by this call, at most 10,000'),
    next: z.string().nullable().describe('there are more: call again with this as after'),
  })
  .meta({ id: 'ReplayAnswer' })

export const tracesQuery = listQuery.extend({
  inbound_event_id: z
    .string()
    .min(1)
    .max(1100)
    .refine((said) => !said.includes('\0') && said.isWellFormed(), 'has a character that is none')
    .optional(),
  correlation_id: z.uuid().toLowerCase().optional(),
})

export const trace = z
  .object({
    event_id: z.string(),
    attempt: count,
    inbound_event_id: z.string().describe('first message id, else first status, else a digest'),
    correlation_id: z.string(),
    task_name: z.string().describe('what took the webhook up'),
    started_at: time,
    finished_at: time.nullable(),
    outcome: z
      .enum(['done', 'failed', 'retried', 'lost'])
      .nullable()
      .describe('lost: its worker died or was overtaken; null: under way'),
    outbound_enqueue_status: z.enum(['none', 'enqueued', 'failed']),
    error: z.string().nullable(),
  })
  .meta({ id: 'Trace' })

export const traceSearch = listQuery.extend({
  q: z
    .string()
    .trim()
    .min(1)
    .max(1100)
    .refine((said) => !said.includes('\0') && said.isWellFormed(), 'has a character that is none')
    .optional()
    .describe(
      'an id: of a message (ours, Meta’s or your client_reference), a conversation, a dead letter, an event, a webhook or a trace; or part of a contact’s name or number',
    ),
})

export const tracedMessage = z
  .object({
    message_id: z.string(),
    tenant_id: tenantId,
    direction: z.enum(['inbound', 'outbound']),
    type: z.string(),
    status: z.string(),
    wamid: z.string().nullable(),
    client_reference: z.string().nullable(),
    conversation_id: z.string().nullable(),
    contact: z.object({ name: z.string().nullable(), wa_id: z.string().nullable() }).nullable(),
    phone_number_id: z.string(),
    created_at: time,
  })
  .meta({ id: 'TracedMessage' })

const traceStep = z.object({
  at: time,
  step: z.enum([
    'webhook_received',
    'webhook_processed',
    'message_received',
    'message_queued',
    'queued_again',
    'attempt',
    'status',
    'cancelled',
    'dead_letter',
    'decided',
    'told',
  ]),
  message_id: z.string().optional().describe('which message of the story'),
  ended_at: time.nullable().optional().describe('of attempt and told; null: under way'),
  attempts: count.optional().describe('of webhook_processed'),
  outcome: z.string().nullable().optional().describe('of attempt: its class; null: under way'),
  status: z.string().optional().describe('of status: what Meta reports; of decided: the decision'),
  happened_at: time.optional().describe('of status: when, by Meta’s clock'),
  status_code: z.number().int().nullable().optional().describe('of an HTTP answer'),
  provider_code: z.number().int().nullable().optional().describe('Meta’s error code'),
  code: z.string().nullable().optional().describe('our code for what went wrong'),
  said: z.string().nullable().optional().describe('Meta’s words, or ours where it said nothing'),
  fbtrace_id: z.string().nullable().optional(),
  wamid: z.string().nullable().optional(),
  dead_letter_id: z.string().optional(),
  by: z.string().nullable().optional().describe('of decided'),
  reason: z.string().nullable().optional().describe('of decided'),
  endpoint_id: z.string().optional().describe('of told'),
  endpoint_url: z.string().nullable().optional(),
  event_id: z.string().optional().describe('of told: evt_…'),
  event_type: z.string().optional(),
})

export const messageTrace = z
  .object({
    message: tracedMessage,
    trace_id: z.string().describe('the same story, where traces are collected'),
    steps: z.array(traceStep).describe('the earliest first; nothing of what anybody wrote'),
    waiting: z
      .object({
        until: time.nullable().describe('null: for its account'),
        code: z.string().nullable(),
      })
      .nullable()
      .describe('it is to be sent, and not yet'),
  })
  .meta({ id: 'MessageTrace' })
