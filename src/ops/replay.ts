// Processing stored deliveries again. What was applied before is told by its dedupe key or by itself, so nothing comes
// twice; what was dead, and would go through by now, does.
import { invalidCursor } from '../api/paging.ts'
import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import type { Dispatch } from '../dispatch/queue.ts'
import { isUuid } from '../ids.ts'
import { lockStoredEvents, reopenEvents } from '../inbox/reopen.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import { countReplay, type ReplayFilter, selectReplayable } from './replay-queries.ts'

export interface Replayer {
  db: Db
  clock: Clock
  log: Log
  dispatch: Dispatch
}

export interface ReplayOrder extends ReplayFilter {
  reason: string
  isDryRun: boolean
  after: string | undefined
  actor: string
  requestId?: string
  /** Called after each batch with how many this call has replayed, of all that can be. */
  onBatch?: (replayed: number, replayable: number) => void
}

/** One transaction stays short enough for the workers beside it. */
const batchEvents = 500
/** A call: a caller waits seconds for it, not minutes. */
const callEvents = 10_000

export async function replayEvents(replayer: Replayer, order: ReplayOrder) {
  if (order.after !== undefined && !isUuid(order.after)) throw invalidCursor()
  let last = order.after ?? null
  const { matched, pruned, waiting } = await countReplay(replayer.db, order)
  const counts = { matched, replayable: matched - pruned, pruned, waiting }
  if (order.isDryRun) return { dry_run: true, ...counts, replayed: 0, next: null }
  let replayed = 0
  let isMore = true
  while (isMore && replayed < callEvents) {
    const batch = await replayBatch(replayer, order, last)
    replayed += batch.replayed
    last = batch.last ?? last
    isMore = batch.isFull
    if (batch.replayed > 0) await replayer.dispatch.wake('inbox')
    order.onBatch?.(replayed, counts.replayable)
  }
  replayer.log.info('events_replayed', {
    count: replayed,
    direction: 'inbound',
    tenant_id: order.tenantId,
    phone_number_id: order.phoneNumberId,
    request_id: order.requestId,
  })
  return { dry_run: false, ...counts, replayed, next: isMore ? last : null }
}

async function replayBatch(
  { db, clock }: Replayer,
  order: ReplayOrder,
  after: string | null,
): Promise<{ replayed: number; last: string | undefined; isFull: boolean }> {
  return db.transaction(async (tx) => {
    const found = await selectReplayable(tx, order, after, batchEvents)
    const locked = await lockStoredEvents(tx, found)
    const last = found.at(-1)
    if (locked.size > 0) {
      const ids = [...locked]
      await reopenEvents(tx, ids)
      await recordAct(tx, {
        tenantId: order.tenantId,
        at: clock.now(),
        actor: order.actor,
        action: 'events.replayed',
        subject: `${order.from.toISOString()}/${order.to.toISOString()}`,
        reason: order.reason,
        details: {
          count: ids.length,
          first_event_id: found[0],
          last_event_id: last,
          phone_number_id: order.phoneNumberId,
        },
      })
    }
    return { replayed: locked.size, last, isFull: found.length === batchEvents }
  })
}
