// Back into processing: the letter keeps its decision, and its event is worked on again as a whole. What went through
// before is told by its dedupe key; a place that fails again gets a new letter (bury.ts).
import type { Tx } from '../db/connect.ts'
import { lockStoredEvents, reopenEvents } from '../inbox/reopen.ts'
import { type Decision, settle } from './decision.ts'
import { type LockedLetter, lockOpenLetters, selectEventIdsOfOpen } from './queries.ts'

export async function requeueLetters(
  tx: Tx,
  ids: string[],
  decision: Decision,
): Promise<LockedLetter[]> {
  // Events before letters: a worker that buries has its event locked already, and the other order would wait in a ring.
  const events = await lockStoredEvents(tx, await selectEventIdsOfOpen(tx, decision.scope, ids))
  const open = await lockOpenLetters(tx, decision.scope, ids)
  const letters = open.filter(({ event_id }) => event_id !== null && events.has(event_id))
  await settle(tx, 'requeued', letters, decision)
  await reopenEvents(tx, [...new Set(letters.flatMap(({ event_id }) => event_id ?? []))])
  return letters
}
