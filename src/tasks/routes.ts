// The internal endpoints: Cloud Tasks calls for one row at a time, Cloud Scheduler for everything periodic. They are there in
// every mode; whoever calls them for nothing is told so, and nothing happens.

import {
  inboundTask,
  inboundTaskAnswer,
  outboundTask,
  outboundTaskAnswer,
  sweepAnswer,
  sweepHeaders,
  taskHeaders,
} from '../api/contract-tasks.ts'
import type { DeclaredError } from '../api/error-codes.ts'
import { type Route, route } from '../api/route.ts'
import { AppError } from '../errors.ts'
import type { ErrorCode } from '../errors-table.ts'
import type { ProcessedEvent } from '../inbox/process.ts'
import type { Log } from '../log.ts'
import type { Outcome } from '../meta/outcomes.ts'
import type { ProcessedSend } from '../outbox/process-one.ts'
import type { Sweep } from './sweep.ts'

export interface TaskRoutesOptions {
  log: Log
  /** Processes this event, if it is due, and calls for what follows from it. */
  processInbound(eventId: string, taskName: string): Promise<ProcessedEvent>
  processOutbound(order: { outboxId: string; idempotencyKey: string }): Promise<ProcessedSend>
  sweep: Sweep
}

const outboundErrors: DeclaredError[] = [
  'whatsapp_retryable_error',
  'whatsapp_permanent_error',
  { code: 'whatsapp_permanent_error', status: 502 },
  'CLAIM_LOST',
  'STOPPING',
]

export function taskRoutes({
  log,
  processInbound,
  processOutbound,
  sweep,
}: TaskRoutesOptions): Route[] {
  return [
    route({
      operationId: 'internal.processInbound',
      method: 'POST',
      path: '/internal/process_inbound',
      summary: 'Process one stored delivery, if it is due',
      access: 'internal',
      headers: taskHeaders,
      body: inboundTask,
      answer: inboundTaskAnswer,
      errors: ['PROCESSING_FAILED'],
      handle: async ({ body, headers }) => {
        const taskName = headers['x-cloudtasks-taskname'] ?? 'internal'
        return inboundAnswer(await processInbound(body.event_id, taskName))
      },
    }),
    route({
      operationId: 'internal.processOutbound',
      method: 'POST',
      path: '/internal/process_outbound',
      summary: 'Send one message, if it is due',
      access: 'internal',
      body: outboundTask,
      answer: outboundTaskAnswer,
      errors: outboundErrors,
      handle: async ({ body }) => {
        const processed = await processOutbound({
          outboxId: body.outbox_id,
          idempotencyKey: body.idempotency_key,
        })
        log.debug('outbound_called_for', {
          direction: 'outbound',
          correlation_id: body.correlation_id,
          state: processed.kind,
          ...(processed.kind === 'not_due' && { reason: processed.reason }),
        })
        return outboundAnswer(processed)
      },
    }),
    route({
      operationId: 'internal.sweep',
      method: 'POST',
      path: '/internal/sweep',
      summary: 'One round of everything periodic',
      access: 'internal',
      headers: sweepHeaders,
      answer: sweepAnswer,
      handle: ({ headers }) => sweep(headers['x-sweep-jobs']?.split(',')),
    }),
  ]
}

function inboundAnswer(processed: ProcessedEvent) {
  if (processed.kind === 'retried') {
    throw new AppError(
      'PROCESSING_FAILED',
      503,
      'It could not be processed this time. It is called for again by itself.',
      { details: { next_at: processed.nextAt.toISOString() }, isExpected: true },
    )
  }
  const nextAt = processed.kind === 'not_due' ? processed.nextAt.toISOString() : null
  return { status: processed.kind, next_at: nextAt }
}

function outboundAnswer(processed: ProcessedSend) {
  const answer = { reason: null, next_at: null }
  switch (processed.kind) {
    case 'sent':
    case 'finished':
    case 'running':
    case 'unknown':
      return { ...answer, status: processed.kind }
    case 'not_due': {
      const { reason, nextAt } = processed
      return { status: processed.kind, reason, next_at: nextAt?.toISOString() ?? null }
    }
    case 'retried':
      throw failure('whatsapp_retryable_error', 503, processed.outcome, processed.nextAt)
    case 'dead':
      // What is wrong with the message itself is the caller's; what Meta would not do after all our tries is Meta's.
      throw failure(
        'whatsapp_permanent_error',
        isOurs(processed.outcome) ? 400 : 502,
        processed.outcome,
      )
    case 'lost':
      throw new AppError('CLAIM_LOST', 503, 'It was taken from this process meanwhile.', {
        isExpected: true,
      })
  }
}

function isOurs({ class: kind }: Outcome): boolean {
  return ['permanent', 'recipient', 'account', 'auth'].includes(kind)
}

function failure(
  code: ErrorCode,
  status: number,
  outcome: Outcome,
  nextAt?: Date | null,
): AppError {
  return new AppError(code, status, outcome.advice, {
    details: {
      error_code: outcome.errorCode,
      ...(outcome.provider && { provider: outcome.provider }),
      ...(nextAt !== undefined && { next_at: nextAt?.toISOString() ?? null }),
    },
    isExpected: true,
  })
}
