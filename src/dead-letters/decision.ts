// What both decisions have in common: who decides, what is written down, and what is said when it cannot be done.
import { recordActs } from '../audit/record.ts'
import type { Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId } from '../ids.ts'
import { type LockedLetter, markDecided, type Scope, type WholeLetter } from './queries.ts'

export interface Decision {
  scope: Scope
  actor: string
  reason: string
  at: Date
}

/** Takes a decision on those of the letters that are open and can be decided so, and returns them. */
export type Decide = (tx: Tx, ids: string[], decision: Decision) => Promise<LockedLetter[]>

/** To be called for locked letters: their new state, and one audit row each in the chain of whose they are. */
export async function settle(
  tx: Tx,
  state: 'requeued' | 'discarded',
  letters: LockedLetter[],
  { actor, reason, at }: Decision,
): Promise<void> {
  await markDecided(
    tx,
    letters.map((letter) => letter.id),
    { state, at, by: actor, reason },
  )
  await recordActs(
    tx,
    letters.map((letter) => ({
      tenantId: letter.tenant_id,
      at,
      actor,
      action: `dead_letter.${state}`,
      subject: publicId('dlq', letter.id),
      reason,
      details: {
        kind: letter.kind,
        error_code: letter.error_code,
        correlation_id: letter.correlation_id,
        raw_sha256: letter.raw_sha256,
      },
    })),
  )
}

export function letterNotFound(): AppError {
  return notFound('DEAD_LETTER_NOT_FOUND', 'dead letter')
}

/** A letter that could not be decided on: why. */
export function refusal(letter: WholeLetter | undefined): AppError {
  if (!letter) return letterNotFound()
  if (letter.state !== 'open') {
    return new AppError('ALREADY_DECIDED', 409, `This dead letter is ${letter.state} already.`, {
      details: {
        state: letter.state,
        decided_at: letter.decided_at?.toISOString() ?? null,
        decided_by: letter.decided_by,
      },
    })
  }
  return new AppError(
    'PAYLOAD_PRUNED',
    409,
    'The webhook it came in is no longer kept, so it cannot be processed again. It can be discarded.',
  )
}

export function givenReason(reason: string): string {
  if (reason !== '') return reason
  throw new AppError('REASON_REQUIRED', 400, 'reason: say why; it is kept in the audit', {
    details: { fields: [{ field: 'reason', problem: 'say why; it is kept in the audit' }] },
  })
}
