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

export const queuedMessage = z.object({
  message_id: z.string(),
  conversation_id: z.string(),
  status: z.literal('queued'),
})

export const cancelledMessage = z.object({ id: z.string(), status: z.literal('cancelled') })
