// The contract's part on event endpoints, their deliveries, and what is told.
import { z } from 'zod'
import { listQuery, moment, time } from './contract.ts'

export const eventTypes = [
  'message.received',
  'message.echoed',
  'message.status',
  'conversation.updated',
  'account.updated',
  'template.updated',
  'dead_letter.created',
  'event_endpoint.disabled',
] as const

const eventType = z.enum(['*', ...eventTypes])

const wanted = z
  .array(eventType)
  .min(1)
  .max(20)
  .transform((types) => (types.includes('*') ? ['*' as const] : [...new Set(types)]))
  .describe('event types, or "*" for all, those to come too')

const url = z.string().trim().min(1).max(2000).describe('https; called with POST')

const responderFor = z
  .array(z.string().max(100))
  .max(100)
  .describe(
    'accounts (acc_…) whose http responder this endpoint is: messages in its answer to message.received are sent',
  )

export const newEventEndpoint = z
  .strictObject({
    url,
    events: wanted.default(['*']),
    description: z.string().trim().max(500).default(''),
    responder_for: responderFor.default([]),
  })
  .meta({ id: 'NewEventEndpoint' })

export const eventEndpointChange = z
  .strictObject({
    url: url.optional(),
    events: wanted.optional(),
    description: z.string().trim().max(500).optional(),
    status: z.enum(['active', 'paused']).optional().describe('what waits is kept while paused'),
    responder_for: responderFor.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    message: 'name at least one field to change',
  })
  .meta({ id: 'EventEndpointChange' })

export const eventEndpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.string()),
    status: z
      .enum(['active', 'paused', 'disabled'])
      .describe('disabled: by us, after days of failure or a 410; set it to active to go on'),
    disabled_reason: z.enum(['FAILING', 'GONE']).nullable(),
    disabled_at: time.nullable(),
    responder_for: z.array(z.string()),
    old_secret_until: time.nullable().describe('until then the secret before signs too'),
    failing_since: time.nullable(),
    last_success_at: time.nullable(),
    pending_count: z.number().int().describe('events that wait for it; counted up to 1000'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'EventEndpoint' })

export const eventEndpointWithSecret = eventEndpoint
  .extend({
    secret: z.string().describe('whsec_…; shown this once'),
  })
  .meta({ id: 'EventEndpointWithSecret' })

export const secretRotation = z.object({
  overlap_hours: z.coerce
    .number()
    .min(0)
    .max(168)
    .default(24)
    .describe('how long the old secret signs too'),
})

export const testedEndpoint = z
  .object({
    event_id: z.string().describe('its delivery shows what came of it'),
  })
  .meta({ id: 'TestedEndpoint' })

export const eventReplay = z
  .strictObject({
    from: moment.optional().describe('events of this time or later'),
    to: moment.optional().describe('events before this time'),
    event_ids: z
      .array(z.string().regex(/^evt_[0-9a-f]{32}$/, 'must be the id of an event, evt_…'))
      .min(1)
      .max(1000)
      .optional(),
    only_failed: z.boolean().default(false).describe('only those that were given up'),
    dry_run: z.boolean().default(false).describe('only counts'),
    after: z.string().max(500).optional().describe('next of the answer before'),
  })
  .refine(({ from, event_ids }) => (from === undefined) !== (event_ids === undefined), {
    message: 'give either from (and to) or event_ids',
    path: ['from'],
  })
  .refine(({ from, to }) => to === undefined || (from !== undefined && from !== to), {
    message: 'goes with from, and differs from it',
    path: ['to'],
  })
  .meta({ id: 'EventReplay' })

export const replayedEvents = z
  .object({
    replayed: z.number().int().describe('in a dry run: how many would be'),
    has_more: z.boolean().describe('it stopped at 10000'),
    next: z.string().nullable().describe('there are more: call again with this as after'),
  })
  .meta({ id: 'ReplayedEvents' })

export const deliveriesQuery = listQuery.extend({
  status: z.enum(['pending', 'running', 'done', 'failed']).optional(),
})

export const eventDelivery = z
  .object({
    event_id: z.string(),
    event_type: z.string().nullable(),
    status: z.enum(['pending', 'running', 'done', 'failed']),
    attempts: z.number().int().describe('failed ones'),
    next_attempt_at: time.nullable(),
    last_error: z.string().nullable(),
    status_code: z.number().int().nullable().describe('what the last attempt was answered'),
    duration_ms: z.number().int().nullable().describe('how long that took'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'EventDelivery' })

export const eventDeliveryWithAttempts = eventDelivery
  .extend({
    event: z.record(z.string(), z.unknown()).nullable().describe('the body that is posted'),
    attempt_log: z.array(
      z.object({
        started_at: time,
        finished_at: time.nullable(),
        status_code: z.number().int().nullable(),
        error_code: z.string().nullable(),
        duration_ms: z.number().int().nullable(),
        answer: z.string().nullable().describe('what a refusal said, the first 500 characters'),
      }),
    ),
  })
  .meta({ id: 'EventDeliveryWithAttempts' })
