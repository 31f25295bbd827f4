// What all decisions have in common: who decides, what is written down, and what is said when it cannot be done.
import { type Act, recordActs } from '../audit/record.ts'
import type { Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId } from '../ids.ts'
import { type DecidedState, type LockedLetter, markDecided } from './decision-queries.ts'
import type { Scope, WholeLetter } from './queries.ts'

export interface Decision {
  scope: Scope
  actor: string
  reason: string
  at: Date
  /** When the n-th of many is to be sent again; at once, unless said. */
  sendAt?: (index: number) => Date
}

/** Takes a decision on those of the letters that are open and can be decided so, and returns them. */
export type Decide = (tx: Tx, ids: string[], decision: Decision) => Promise<LockedLetter[]>

/** To be called for locked letters: their new state, and one audit row each in the chain of whose they are. */
export async function settle(
  tx: Tx,
  state: DecidedState,
  letters: LockedLetter[],
  { actor, reason, at }: Decision,
  more: (letter: LockedLetter) => Record<string, unknown> = () => ({}),
): Promise<void> {
  await markDecided(
    tx,
    letters.map((letter) => letter.id),
    { state, at, by: actor, reason },
  )
  await recordActs(
    tx,
    letters.map((letter) => letterAct(state, letter, { actor, reason, at }, more(letter))),
  )
}

/** The name in the audit for what nobody in particular did. */
export const gatewayActor = 'estafet'

export function letterAct(
  verb: DecidedState | 'reopened',
  letter: LockedLetter,
  act: Pick<Decision, 'actor' | 'reason' | 'at'>,
  more: Record<string, unknown> = {},
): Act {
  return {
    ...act,
    tenantId: letter.tenant_id,
    action: `dead_letter.${verb}`,
    subject: publicId('dlq', letter.id),
    details: {
      kind: letter.kind,
      error_code: letter.error_code,
      correlation_id: letter.correlation_id,
      raw_sha256: letter.raw_sha256,
      ...(letter.message_id !== null && { message_id: publicId('msg', letter.message_id) }),
      ...more,
    },
  }
}

export function letterNotFound(): AppError {
  return notFound('DEAD_LETTER_NOT_FOUND', 'dead letter')
}

/** A letter that could not be decided on: why. */
export function refusal(letter: WholeLetter | undefined, isMarkedSent: boolean): AppError {
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
  if (isMarkedSent && (letter.outbox_id === null || isKnown(letter))) {
    return new AppError(
      'OUTCOME_KNOWN',
      409,
      'Only a message of which it is not known whether Meta has it can be marked sent.',
      { details: { kind: letter.kind, message_status: letter.message_status } },
    )
  }
  if (letter.outbox_id !== null) return messageNotFailed(letter)
  return new AppError(
    'PAYLOAD_PRUNED',
    409,
    'The webhook it came in is no longer kept, so it cannot be processed again. It can be discarded.',
  )
}

/** Dead, and every attempt at it was answered. */
function isKnown({ message_status, may_arrive_twice }: WholeLetter): boolean {
  return (message_status === 'failed' || message_status === 'unknown') && !may_arrive_twice
}

function messageNotFailed({ message_status }: WholeLetter): AppError {
  const isDead = message_status === 'failed' || message_status === 'unknown'
  return new AppError(
    'MESSAGE_NOT_FAILED',
    409,
    isDead
      ? 'Its message still waits for the end of an attempt. Try again in a minute.'
      : `Its message is ${message_status}: there is nothing to send again. The dead letter can be discarded.`,
    { details: { message_status } },
  )
}

export function givenReason(reason: string): string {
  if (reason !== '') return reason
  throw new AppError('REASON_REQUIRED', 400, 'reason: say why; it is kept in the audit', {
    details: { fields: [{ field: 'reason', problem: 'say why; it is kept in the audit' }] },
  })
}
