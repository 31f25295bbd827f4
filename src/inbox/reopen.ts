// The way back from the dead letters: a stored event is worked on again, as a whole. Items that went through before are
// told by their dedupe keys.
import { sql, type Tx } from '../db/connect.ts'

/** As many as a new event gets (the column's default). */
export const attemptsPerRequeue = 10

/** Locks those of these events that still have their bytes, in the order in which workers lock them. */
export async function lockStoredEvents(tx: Tx, ids: string[]): Promise<Set<string>> {
  const rows = await tx.query(sql<{ id: string }>`
    select id
    from whatsapp_webhook_events
    where id = any(${ids}::uuid[]) and pruned_at is null
    order by id
    for update`)
  return new Set(rows.map((row) => row.id))
}

/**
 * To be called for locked events. Also one that is being processed goes back to pending: its worker may be past the
 * very item that is wanted again. That worker finds its claim void (holdEvents) and whoever claims next does all of it.
 */
export async function reopenEvents(tx: Tx, ids: string[]): Promise<void> {
  await tx.query(sql`
    update whatsapp_webhook_events
    set status = 'pending', processed_at = null, next_run_at = now(), rung_for = null,
      attempts_allowed = attempt + ${attemptsPerRequeue}, attempts_before = attempt
    where id = any(${ids}::uuid[])`)
}

export interface EventState {
  status: 'pending' | 'processing' | 'done' | 'failed'
  attempt: number
  attempts_allowed: number
  last_error: string | null
  received_at: Date
  processed_at: Date | null
  next_run_at: Date
  is_pruned: boolean
}

/** How an event is doing, without anything of what it says: it may hold several tenants' items. */
export async function readEventState(db: Tx, id: string): Promise<EventState | undefined> {
  const [row] = await db.query(sql<EventState>`
    select status, attempt, attempts_allowed, last_error, received_at, processed_at, next_run_at,
      pruned_at is not null as is_pruned
    from whatsapp_webhook_events
    where id = ${id}`)
  return row
}
