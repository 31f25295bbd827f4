// What helps to decide on a message that could not be sent: how it is doing now, and every attempt at it.
import type { Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type AttemptRow, selectAttempts, selectMessageState } from '../outbox/requeue-queries.ts'
import { selectLettersOfMessage, type WholeLetter } from './queries.ts'

/** Nothing for what came in. The errors are those of all rows that the message had, requeued ones too. */
export async function readOutbound(tx: Tx, { tenant_id, outbox_id }: WholeLetter) {
  if (tenant_id === null || outbox_id === null) return undefined
  const state = await selectMessageState(tx, tenant_id, outbox_id)
  if (!state) return undefined
  const errors = await selectLettersOfMessage(tx, tenant_id, state.id)
  const attempts = await selectAttempts(tx, tenant_id, state.id)
  const letterOfRow = new Map(errors.map((letter) => [letter.outbox_id, letter.id]))
  return {
    errors,
    outbound: {
      message: {
        id: publicId('msg', state.id),
        conversation_id:
          state.conversation_id === null ? null : publicId('conv', state.conversation_id),
        status: state.status,
        attempts: state.attempts,
        error: state.error,
      },
      delivery: state.delivery,
      expires_at: state.expires_at?.toISOString() ?? null,
      fallback_template: state.fallback_template,
      attempts: attempts.map((attempt) => showAttempt(attempt, letterOfRow)),
    },
  }
}

function showAttempt({ outbox_id, ...attempt }: AttemptRow, letterOfRow: Map<string, string>) {
  const letterId = letterOfRow.get(outbox_id)
  return {
    ...attempt,
    dead_letter_id: letterId === undefined ? null : publicId('dlq', letterId),
    started_at: attempt.started_at.toISOString(),
    finished_at: attempt.finished_at?.toISOString() ?? null,
  }
}
