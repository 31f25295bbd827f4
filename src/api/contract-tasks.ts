// What Cloud Tasks and Cloud Scheduler say to the internal endpoints, and what they are answered.
import { z } from 'zod'

const name = z.string().min(1).max(1024)
const correlationId = z.string().min(1).max(255)

export const inboundTask = z
  .strictObject({
    event_id: z.uuid(),
    inbound_event_id: name,
    correlation_id: correlationId,
  })
  .meta({ id: 'InboundTask' })

export const outboundTask = z
  .strictObject({
    /** Also as a number, as who reads the table by hand would send it. */
    outbox_id: z
      .union([z.string().regex(/^[0-9]{1,18}$/), z.number().int().nonnegative()])
      .transform(String),
    idempotency_key: name,
    correlation_id: correlationId,
  })
  .meta({ id: 'OutboundTask' })

/** Google's own header; absent when somebody else calls. */
export const taskHeaders = z.object({
  'x-cloudtasks-taskname': z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,500}$/)
    .optional(),
})

const nextAt = z.iso.datetime().nullable()

export const inboundTaskAnswer = z
  .object({
    /** `finished`: processed now or before. `not_due`: in hand elsewhere, or waiting; it is called for again. */
    status: z.enum(['finished', 'not_due', 'unknown']),
    next_at: nextAt,
  })
  .meta({ id: 'InboundTaskAnswer' })

export const outboundTaskAnswer = z
  .object({
    /** `finished`: sent, dead or cancelled before. `running`: another call has it. `not_due`: `reason` says why. */
    status: z.enum(['sent', 'finished', 'running', 'not_due', 'unknown']),
    reason: z
      .enum([
        ...[
          'cap',
          'order',
          'pace',
          'breaker',
          'back_off',
          'hold',
          'suspended',
          'reauth',
          'fallback',
        ],
      ] as const)
      .nullable(),
    /** When it is called for again; null when nobody knows yet. */
    next_at: nextAt,
  })
  .meta({ id: 'OutboundTaskAnswer' })

export const sweepHeaders = z.object({
  'x-sweep-jobs': z
    .string()
    .regex(/^[a-z-]{1,64}(,[a-z-]{1,64}){0,50}$/)
    .optional()
    .describe('Only these jobs, as a comma list; without it all there are'),
})

export const sweepAnswer = z
  .object({
    jobs: z.array(
      z.object({
        name: z.string(),
        /** How much there was to do; null where that is not counted, or it failed. */
        count: z.number().int().nullable(),
        is_failed: z.boolean(),
      }),
    ),
    /** False when the time was up before everything was done: the next sweep goes on. */
    is_complete: z.boolean(),
    duration_ms: z.number().int(),
  })
  .meta({ id: 'SweepAnswer' })
