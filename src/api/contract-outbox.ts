// What the send API answers. Its body is outbox/message.ts.
import { z } from 'zod'

export const sendHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'the same key and body give the first answer again, for 48 hours; Idempotent-Replayed says so',
    ),
  traceparent: z
    .string()
    .optional()
    .describe(
      'W3C trace context: where traces are collected, the message’s own trace links to this span',
    ),
})

export const queuedMessage = z
  .object({
    message_id: z.string(),
    conversation_id: z.string(),
    status: z.literal('queued'),
  })
  .meta({ id: 'QueuedMessage' })

export const cancelledMessage = z
  .object({ id: z.string(), status: z.literal('cancelled') })
  .meta({ id: 'CancelledMessage' })

export const waitReason = z
  .enum([
    'in_flight',
    'suspended',
    'reconnect',
    'held',
    'circuit_open',
    'throttled',
    'retry_wait',
    'scheduled',
    'behind',
  ])
  .describe(
    'being sent; the tenant is suspended; its account waits to be reconnected, or is held by Meta; Meta does not answer; ' +
      'Meta asked for fewer calls; between two attempts; for later; behind an earlier one to the same contact',
  )
  .meta({ id: 'WaitReason' })
export type WaitReason = z.output<typeof waitReason>
