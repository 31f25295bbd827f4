// The outbound part of a message's life: when it was queued, and every attempt at it.
import type { Tx } from '../db/connect.ts'
import type { Moment } from './moment.ts'
import {
  type AttemptFacts,
  type MessageKey,
  type SendFacts,
  selectAttemptsOf,
  selectSendsOf,
} from './send-queries.ts'

export async function momentsOfSends(db: Tx, messages: MessageKey[]): Promise<Moment[]> {
  if (messages.length === 0) return []
  const sends = await selectSendsOf(db, messages)
  const attempts = sends.length > 0 ? await selectAttemptsOf(db, messages) : []
  return [...sends.map(ofQueued), ...attempts.flatMap(ofAttempt)]
}

function ofQueued(send: SendFacts): Moment {
  return {
    at: send.created_at.toISOString(),
    what: send.parent_id === null ? 'queued' : 'queued again',
    ...(send.parent_id === null && { step: 'queue' as const }),
    details: {
      outbox_id: send.id,
      now: send.status,
      failed_attempts: send.attempts,
      next_run_at: send.status === 'pending' ? send.next_run_at.toISOString() : null,
      last_error: send.last_error,
    },
  }
}

function ofAttempt(attempt: AttemptFacts): Moment[] {
  const { finished_at, duplicate_confirmed_at } = attempt
  const started = {
    at: attempt.started_at.toISOString(),
    what: 'attempt to send',
    step: 'send' as const,
    details: { attempt_id: attempt.id, outbox_id: attempt.outbox_id },
  }
  const doubled = duplicate_confirmed_at && {
    at: duplicate_confirmed_at.toISOString(),
    what: 'duplicate confirmed: Meta accepted this attempt too',
    details: { attempt_id: attempt.id, wamid: attempt.wamid },
  }
  const known = doubled ? [started, doubled] : [started]
  if (finished_at === null) return known
  return [
    ...known,
    {
      at: finished_at.toISOString(),
      what: `attempt ended: ${attempt.outcome ?? 'not known'}`,
      step: attempt.outcome === 'not_posted' ? 'send' : 'post',
      details: {
        attempt_id: attempt.id,
        status_code: attempt.status_code,
        provider_code: attempt.provider_code,
        error: attempt.error_message,
        fbtrace_id: attempt.fbtrace_id,
        wamid: attempt.wamid,
      },
    },
  ]
}
