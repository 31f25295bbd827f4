import { z } from 'zod'
import { cancelledMessage, queuedMessage, sendHeaders } from '../api/contract-outbox.ts'
import type { DeclaredError } from '../api/error-codes.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import type { Clock } from '../time-and-chance.ts'
import { cancelMessage } from './cancel.ts'
import type { Enqueuer } from './enqueue.ts'
import { sendRequest } from './message.ts'

interface OutboxRoutesOptions {
  db: Db
  clock: Clock
  enqueuer: Enqueuer
  publicUrl: string | undefined
}

const sendErrors: DeclaredError[] = [
  ...(['ACCOUNT_NOT_FOUND', 'TENANT_SUSPENDED', 'WHATSAPP_REAUTH_REQUIRED'] as const),
  ...(['ACCOUNT_RESTRICTED', 'RECIPIENT_SUPPRESSED', 'WINDOW_CLOSED'] as const),
  { code: 'TEMPLATE_NOT_FOUND', status: 422 },
  ...(['TEMPLATE_PARAMETERS', 'TEMPLATE_PAUSED', 'TEMPLATE_DISABLED'] as const),
  ...(['TEMPLATE_REJECTED', 'TEMPLATE_NOT_APPROVED', 'TEMPLATE_DELETED'] as const),
  ...(['IDEMPOTENCY_KEY_REUSED', 'BACKLOG_FULL', 'OVERLOADED', 'TIMED_OUT'] as const),
]

export function outboxRoutes(options: OutboxRoutesOptions): Route[] {
  const { db, clock, enqueuer, publicUrl } = options
  return [
    route({
      operationId: 'messages.send',
      method: 'POST',
      path: '/api/whatsapp/meta/send',
      summary: 'Send a message: the Cloud API’s own message object',
      description:
        'Queued at once and sent in order; it never calls Meta itself. With an `Idempotency-Key` the same call again gives ' +
        'the first answer, so it can be repeated. Outside the 24-hour window only a template, or a message with ' +
        '`fallback_template`, is taken.',
      access: 'agent',
      headers: sendHeaders,
      body: sendRequest,
      invalidCode: 'INVALID_MESSAGE',
      answer: queuedMessage,
      status: 202,
      answerHeaders: {
        'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' },
      },
      errors: sendErrors,
      handle: async ({ tenantId, body, headers, person, origin, setHeader }) => {
        const accepted = await enqueuer.send({
          tenantId,
          request: body,
          idempotencyKey: headers['idempotency-key'],
          traceparent: headers.traceparent,
          sentBy: person?.personId,
          baseUrl: publicUrl ?? origin,
        })
        if (accepted.isReplay) setHeader('idempotent-replayed', 'true')
        return {
          message_id: publicId('msg', accepted.messageId),
          conversation_id: publicId('conv', accepted.conversationId),
          status: 'queued' as const,
        }
      },
    }),
    route({
      operationId: 'messages.cancel',
      method: 'POST',
      path: '/api/whatsapp/messages/:id/cancel',
      summary: 'Take back a message that still waits',
      description: 'What Meta may already have cannot be taken back.',
      access: 'agent',
      params: z.object({ id: z.string() }),
      answer: cancelledMessage,
      errors: ['MESSAGE_NOT_FOUND', 'NOT_CANCELLABLE'],
      handle: async ({ tenantId, params }) => {
        await cancelMessage(db, clock, tenantId, params.id)
        return { id: params.id, status: 'cancelled' as const }
      },
    }),
  ]
}
