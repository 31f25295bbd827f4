// The way back for a message that died: a new outbox row, child of the dead one, which stays as it is. Nothing is judged
// here: window, account and expiry are looked at when it is sent (send.ts), as they are for every row.
import type { Tx } from '../db/connect.ts'
import { requeuedLane } from './model.ts'
import { enqueueSends } from './queue-queries.ts'
import {
  type DeadRow,
  type MessageKey,
  markQueuedAgain,
  selectDeadRows,
} from './requeue-queries.ts'

export interface DeadSend {
  tenantId: string
  outboxId: string
  letterId: string
}

export interface Requeued extends DeadRow {
  letterId: string
}

/** The rows behind letters whose messages are locked; one for each message, whatever its letters. In the given order. */
export async function findDeadSends(tx: Tx, sends: DeadSend[]): Promise<Requeued[]> {
  if (sends.length === 0) return []
  const rows = new Map((await selectDeadRows(tx, sends)).map((row) => [row.id, row]))
  const ofMessage = new Map<string, Requeued>()
  for (const { outboxId, letterId } of sends) {
    const row = rows.get(outboxId)
    if (row && !ofMessage.has(row.messageId)) ofMessage.set(row.messageId, { ...row, letterId })
  }
  return [...ofMessage.values()]
}

/** To be called last in its transaction: it locks the tenants' queues until the commit. */
export async function requeueSends(
  tx: Tx,
  sends: Requeued[],
  sendAt: (index: number) => Date | null,
): Promise<void> {
  if (sends.length === 0) return
  const messages: MessageKey[] = sends
  await markQueuedAgain(tx, messages)
  await enqueueSends(
    tx,
    sends.map(({ id, letterId, mayArriveTwice: _, ...row }, index) => ({
      ...row,
      conversationId: row.conversationId ?? '',
      // Of its own: what was sent to the contact meanwhile neither waits for it nor holds it back.
      lane: requeuedLane(row.messageId, letterId),
      sendAt: sendAt(index),
      parentId: id,
    })),
  )
}
