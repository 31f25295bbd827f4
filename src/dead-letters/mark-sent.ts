// A person says that Meta has the message, of which nobody else could tell: seen on the customer's phone, or asked for. It
// shows as sent from then on; a status that comes later gives it its wamid. Locks as in requeue.ts, but for the queue.
import type { Tx } from '../db/connect.ts'
import { findDeadSends } from '../outbox/requeue.ts'
import { lockDeadMessages, markSentByHand } from '../outbox/requeue-queries.ts'
import { type Decision, settle } from './decision.ts'
import { type LockedLetter, lockOpenLetters, selectOpenLetters } from './decision-queries.ts'
import { deadSendsOf, messageKeysOf } from './requeue.ts'

export async function markSentLetters(
  tx: Tx,
  ids: string[],
  decision: Decision,
): Promise<LockedLetter[]> {
  const behind = await selectOpenLetters(tx, decision.scope, ids)
  const messages = await lockDeadMessages(tx, messageKeysOf(behind))
  const open = await lockOpenLetters(tx, decision.scope, ids)
  const sends = await findDeadSends(tx, deadSendsOf(open, messages, ids))
  // What Meta refused was not sent, whatever anybody says.
  const unknown = sends.filter((send) => send.mayArriveTwice)
  const decided = new Set(unknown.map((send) => send.letterId))
  const letters = open.filter((letter) => decided.has(letter.id))
  await markSentByHand(tx, unknown, decision.at)
  await settle(tx, 'resolved', letters, decision, () => ({ marked_sent: true }))
  return letters
}
