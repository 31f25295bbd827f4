// The send queue driven by hand: rows in, claims out, with the database's own clock.
import { randomUUID } from 'node:crypto'
import { type Db, type Sql, sql } from '../../src/db/connect.ts'
import { transactionWithRetry } from '../../src/db/retry.ts'
import type { ClaimedSend, NewSend, Settlement } from '../../src/outbox/model.ts'
import { claimSends, enqueueSends, settleSends } from '../../src/outbox/queue-queries.ts'
import { registerWorker } from '../../src/queue/workers.ts'
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
  // One at a time, and again where a worker was at the same rows in another order.
  const change = (statement: Sql<unknown>) => transactionWithRetry(db, (tx) => tx.query(statement))
  await change(sql`update whatsapp_send_outbox set next_run_at = now() where status = 'pending'`)
  await change(sql`
    update send_numbers
    set next_at = now(), hold_until = least(hold_until, now()), trial_at = least(trial_at, now()),
      asked_until = least(asked_until, now()), slowed_rate = null, paced_until = least(paced_until, now())
    where hold_until < 'infinity'`)
  await change(sql`update send_host set trial_at = least(trial_at, now())`)
  await change(sql`delete from send_pairs`)
  await change(sql`update send_tenants set next_at = now()`)
}

/** The queue's own clock is the database's: everything it remembers moves this far into the past. Leases do not. */
export async function letTimePass(db: Db, seconds: number): Promise<void> {
  // Whoever settles takes attempts first, then the queue: they may meet.
  await transactionWithRetry(db, async (tx) => {
    // Nobody claims or settles meanwhile.
    await tx.query(sql`lock table send_tenants in exclusive mode`)
    await tx.query(sql`
      update whatsapp_send_outbox set next_run_at = next_run_at - make_interval(secs => ${seconds})
      where status = 'pending'`)
    await tx.query(sql`
      update send_attempts set started_at = started_at - make_interval(secs => ${seconds}),
        finished_at = finished_at - make_interval(secs => ${seconds})`)
    await tx.query(sql`
      update send_numbers n
      set next_at = n.next_at - ago, hold_until = n.hold_until - ago, paced_until = n.paced_until - ago,
        asked_until = n.asked_until - ago, slowed_at = n.slowed_at - ago, throttled_at = n.throttled_at - ago, trial_at = n.trial_at - ago,
        opened_at = n.opened_at - ago
      from make_interval(secs => ${seconds}) as ago`)
    await tx.query(sql`
      update send_host h set trial_at = h.trial_at - ago, opened_at = h.opened_at - ago
      from make_interval(secs => ${seconds}) as ago`)
    // A ring of twelfths of a minute: each goes to where it would have been written then.
    await tx.query(sql`
      with was as (delete from send_calls returning *)
      insert into send_calls
      select distinct on (tenant_id, phone_number_id, place) *
      from (
        select w.tenant_id, w.phone_number_id, (floor(extract(epoch from w.starts_at - ago) / 5) % 13)::int as place,
          w.starts_at - ago as starts_at, w.calls, w.failures, w.unreachable
        from was w, make_interval(secs => ${seconds}) as ago
      ) as moved
      order by tenant_id, phone_number_id, place, starts_at desc`)
    await tx.query(
      sql`update send_pairs set paced_until = paced_until - make_interval(secs => ${seconds})`,
    )
    await tx.query(
      sql`update send_tenants set next_at = next_at - make_interval(secs => ${seconds})`,
    )
  })
}

/** As if webhooks had come in and been processed for an hour without a break. */
export async function keepInboxSteady(db: Db): Promise<void> {
  await db.query(sql`
    update inbox_watch set seen_at = now(), steady_since = now() - interval '1 hour'`)
}
