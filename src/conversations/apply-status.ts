// Step 4 of 4: a status webhook moves its message up the ladder. Before: inbox/process.ts.
// A status that comes before its message is kept, and joined when the message appears.
import type { Tx } from '../db/connect.ts'
import type { MessageName, NewStatus } from './model.ts'
import {
  insertStatuses,
  lockJoin,
  lockMessagesByWamid,
  type MessageOfStatus,
  raiseMessageStatuses,
  type Step,
  selectMessagesOfStatuses,
  selectStatusEvents,
  statusesOf,
} from './queries.ts'

export type { Step }

/** Keeps each step once and raises the messages that are there. Returns the steps that are new, as `tenant wamid status participant`. */
export async function applyStatuses(tx: Tx, statuses: NewStatus[]): Promise<Set<string>> {
  if (statuses.length === 0) return new Set()
  const sorted = [...statuses].sort((a, b) => (statusKey(a) < statusKey(b) ? -1 : 1))
  const fresh = await insertStatuses(tx, sorted)
  const held = await lockMessagesByWamid(tx, sorted)
  const orphans = sorted.filter((status) => !held.has(`${status.tenantId} ${status.wamid}`))
  if (orphans.length > 0) {
    // Somebody may be writing one of these messages right now. Both sides take this lock before they look, so one of
    // them sees the other: either we find the message on the second look, or its writer finds our status.
    await lockJoin(tx, orphans, 'exclusive')
    await lockMessagesByWamid(tx, orphans)
  }
  await raiseMessageStatuses(tx, sorted)
  return fresh
}

/**
 * Joins what came early. To be called in the transaction that gives a message its wamid, before that write; with the
 * orphans among the statuses that the same transaction applies later, because a lock that others share cannot be made
 * exclusive without the risk that two wait for each other. Whoever locks messages too does so before this.
 */
export async function expectEarlyStatuses(
  tx: Tx,
  messages: MessageName[],
  orphans: MessageName[] = [],
): Promise<void> {
  if (orphans.length > 0) await lockJoin(tx, [...messages, ...orphans], 'exclusive')
  else if (messages.length > 0) await lockJoin(tx, messages, 'shared')
}

/** The second half: to be called in the same transaction, after the message has its wamid. Returns what came early. */
export async function joinEarlyStatuses(tx: Tx, messages: MessageName[]): Promise<Step[]> {
  if (messages.length === 0) return []
  const early = await statusesOf(tx, messages)
  if (early.length > 0) await raiseMessageStatuses(tx, early)
  return early
}

/** Which event brought each of these steps, by `statusKey`. */
export async function eventsOfStatuses(
  tx: Tx,
  statuses: NewStatus[],
): Promise<Map<string, string>> {
  return selectStatusEvents(tx, statuses)
}

/** Which message each of these steps is about, by `statusKey`; for those that are kept. */
export async function messagesOfStatuses(
  tx: Tx,
  statuses: NewStatus[],
): Promise<Map<string, MessageOfStatus>> {
  if (statuses.length === 0) return new Map()
  const rows = await selectMessagesOfStatuses(tx, statuses)
  return new Map(rows.map((row) => [row.key, row]))
}

export function statusKey(status: {
  tenantId: string
  wamid: string
  status: string
  participant: string
}): string {
  return `${status.tenantId} ${status.wamid} ${status.status} ${status.participant}`
}
