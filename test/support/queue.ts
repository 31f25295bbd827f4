// The send queue driven by hand: rows in, claims out, with the database's own clock.
import { randomUUID } from 'node:crypto'
import { type Db, sql } from '../../src/db/connect.ts'
import type { ClaimedSend, NewSend, Settlement } from '../../src/outbox/model.ts'
import {
  claimSends,
  enqueueSends,
  registerWorker,
  settleSends,
} from '../../src/outbox/queue-queries.ts'
import { insertOutbound } from './outbound.ts'

export interface QueueHand {
  /** One message per text, in this order, in one transaction. Returns nothing: claims show the order. */
  add(tenantId: string, to: string[], more?: Partial<NewSend>): Promise<void>
  claim(limit?: number, cap?: number): Promise<ClaimedSend[]>
  settle(sends: ClaimedSend[], more?: Partial<Settlement>): Promise<Set<string>>
  workerId: string
}

export async function queueHand(db: Db): Promise<QueueHand> {
  const workerId = await registerWorker(db, 3600)
  return {
    workerId,
    async add(tenantId, to, more = {}) {
      const sends: NewSend[] = []
      for (const lane of to) {
        const messageId = await insertOutbound(db, { tenantId, wamid: null })
        sends.push({
          tenantId,
          phoneNumberId: '1',
          messageId,
          conversationId: randomUUID(),
          lane,
          sendAt: null,
          payload: { to: lane },
          fallbackTemplate: null,
          callbackData: null,
          delivery: 'at_least_once',
          expiresAt: null,
          correlationId: randomUUID(),
          parentId: null,
          ...more,
        })
      }
      await db.transaction((tx) => enqueueSends(tx, sends))
    },
    claim: (limit = 100, cap = 100) => claimSends(db, workerId, limit, cap),
    settle: (sends, more = {}) =>
      settleSends(
        db,
        sends.map((send) => ({
          send,
          state: 'done',
          failures: 0,
          error: null,
          runAt: null,
          ...more,
        })),
      ),
  }
}

/** As if their waiting time were over: what is due later is due now, and so is whoever looks for it. */
export async function makeDue(db: Db): Promise<void> {
  await db.query(sql`update whatsapp_send_outbox set next_run_at = now() where status = 'pending'`)
  await db.query(sql`update send_numbers set next_at = now(), hold_until = least(hold_until, now())
    where hold_until < 'infinity'`)
  await db.query(sql`update send_tenants set next_at = now()`)
}
