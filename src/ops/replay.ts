// Processing stored deliveries again. What was applied before is told by its dedupe key or by itself, so nothing comes
// twice; what was dead, and would go through by now, does.
import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import type { Dispatch } from '../dispatch/queue.ts'
import { lockStoredEvents, reopenEvents } from '../inbox/reopen.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import { decodePlace, encodePlace, type Place } from './place.ts'
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
}

/** One transaction stays short enough for the workers beside it. */
const batchEvents = 500
/** A call: a caller waits seconds for it, not minutes. */
const callEvents = 10_000

export async function replayEvents(replayer: Replayer, order: ReplayOrder) {
  let place = decodePlace(order.after)
  const { matched, pruned, waiting } = await countReplay(replayer.db, order)
  const counts = { matched, replayable: matched - pruned, pruned, waiting }
  if (order.isDryRun) return { dry_run: true, ...counts, replayed: 0, next: null }
  let replayed = 0
  let isMore = true
  while (isMore && replayed < callEvents) {
    const batch = await replayBatch(replayer, order, place)
    replayed += batch.replayed
    place = batch.last ?? place
    isMore = batch.isFull
    if (batch.replayed > 0) replayer.dispatch.wake('inbox')
  }
  replayer.log.info('events_replayed', {
    count: replayed,
    direction: 'inbound',
    tenant_id: order.tenantId,
    phone_number_id: order.phoneNumberId,
    request_id: order.requestId,
  })
  return { dry_run: false, ...counts, replayed, next: isMore && place ? encodePlace(place) : null }
}

async function replayBatch(
  { db, clock }: Replayer,
  order: ReplayOrder,
  after: Place | null,
): Promise<{ replayed: number; last: Place | undefined; isFull: boolean }> {
  return db.transaction(async (tx) => {
    const found = await selectReplayable(tx, order, after, batchEvents)
    const locked = await lockStoredEvents(
      tx,
      found.map((event) => event.id),
    )
    const last = found.at(-1)
    const place = last && { ...last, number: 0 }
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
          first_event_id: found[0]?.id,
          last_event_id: last?.id,
          phone_number_id: order.phoneNumberId,
        },
      })
    }
    return { replayed: locked.size, last: place, isFull: found.length === batchEvents }
  })
}
