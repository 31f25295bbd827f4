// Back into work. What came in: its event is processed again as a whole; what went through before is told by its dedupe
// key, and a place that fails again gets a new letter (bury.ts). What was to go out: its message is queued again, in a
// new outbox row (outbox/requeue.ts); that one's death would be a new letter too. The letter keeps its decision.
//
// Locks are taken in this order by all who decide: events, messages, letters, the audit's chains, the tenants' queues.
//   - Events before letters: a worker that buries has its event locked already.
//   - Messages before letters: likewise a worker that applies a status to a message.
//   - The queues last, because whatever waits here would make a tenant's sending wait.
// Settling an attempt (outbox/settle.ts) goes another way: messages, a tenant's queue, then letters. They still never wait
// in a ring. Settle writes only to messages with a running row, and we hold only messages without a live one
// (nobody can queue them again while we do); and the letters it writes are new ones, of rows that die at this moment, so
// none that we hold. What we do want of it is the queue, and it waits for nothing of ours while it has that. For the same
// reason settle must not write to the audit: that would be our order, turned round. (A letter that is open again is
// audited, but a row that is being settled has none.)
import type { Tx } from '../db/connect.ts'
import { lockStoredEvents, reopenEvents } from '../inbox/reopen.ts'
import { type DeadSend, findDeadSends, requeueSends } from '../outbox/requeue.ts'
import { lockDeadMessages, type MessageKey } from '../outbox/requeue-queries.ts'
import { type Decision, settle } from './decision.ts'
import {
  type LockedLetter,
  lockOpenLetters,
  type OpenLetter,
  selectOpenLetters,
} from './decision-queries.ts'

export async function requeueLetters(
  tx: Tx,
  ids: string[],
  decision: Decision,
): Promise<LockedLetter[]> {
  const behind = await selectOpenLetters(tx, decision.scope, ids)
  const events = await lockStoredEvents(tx, eventIdsOf(behind))
  const messages = await lockDeadMessages(tx, messageKeysOf(behind))
  const open = await lockOpenLetters(tx, decision.scope, ids)
  const sends = await findDeadSends(tx, deadSendsOf(open, messages, ids))
  const again = new Map(sends.map((send) => [send.letterId, send]))
  const letters = open.filter(
    (letter) => again.has(letter.id) || eventIdsOf([letter]).some((id) => events.has(id)),
  )
  await settle(tx, 'requeued', letters, decision, ({ id }) =>
    again.get(id)?.mayArriveTwice ? { may_arrive_twice: true } : {},
  )
  await reopenEvents(tx, eventIdsOf(letters))
  await requeueSends(tx, sends, decision.sendAt ?? (() => null))
  return letters
}

function eventIdsOf(letters: Pick<LockedLetter, 'event_id' | 'outbox_id'>[]): string[] {
  const ids = letters.flatMap(({ event_id, outbox_id }) =>
    outbox_id === null ? (event_id ?? []) : [],
  )
  return [...new Set(ids)]
}

export function messageKeysOf(letters: OpenLetter[]): MessageKey[] {
  return letters.flatMap(({ tenant_id, message_id }) =>
    tenant_id === null || message_id === null
      ? []
      : [{ tenantId: tenant_id, messageId: message_id }],
  )
}

/** In the order in which they were asked for: those that died first are sent first. */
export function deadSendsOf(
  open: LockedLetter[],
  messages: Set<string>,
  ids: string[],
): DeadSend[] {
  const places = new Map(ids.map((id, place) => [id, place]))
  return open
    .toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0))
    .flatMap(({ id, tenant_id, outbox_id, message_id }) =>
      tenant_id !== null && outbox_id !== null && message_id !== null && messages.has(message_id)
        ? [{ tenantId: tenant_id, outboxId: outbox_id, letterId: id }]
        : [],
    )
}
