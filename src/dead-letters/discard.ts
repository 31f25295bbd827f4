// A person says that this one is not needed. It stays where it is, with its bytes, and counts no more.
import type { Tx } from '../db/connect.ts'
import { type Decision, settle } from './decision.ts'
import { type LockedLetter, lockOpenLetters, selectDiscardedPlaces } from './decision-queries.ts'

export async function discardLetters(
  tx: Tx,
  ids: string[],
  decision: Decision,
): Promise<LockedLetter[]> {
  const letters = await lockOpenLetters(tx, decision.scope, ids)
  await settle(tx, 'discarded', letters, decision)
  return letters
}

/** The items of these events that a person discarded, as `event path`: a neighbour's requeue does not bring them back. */
export async function discardedPlaces(tx: Tx, eventIds: string[]): Promise<Set<string>> {
  return eventIds.length === 0 ? new Set() : new Set(await selectDiscardedPlaces(tx, eventIds))
}
