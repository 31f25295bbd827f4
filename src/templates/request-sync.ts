// For those who know that the mirror of an account may be behind: a reconnect, a message that names an unknown template.
import type { Db, Tx } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import { bringSyncForward } from './sync-queries.ts'

/** In the caller's transaction, before any audit row: the mirror's lock comes first. */
export async function requestTemplateSync(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  now: Date,
): Promise<void> {
  await bringSyncForward(tx, tenantId, wabaId, now, now)
}

/** A misspelt name that is sent in a loop must not become a loop of listings. */
const atMostEveryMs = 5 * 60 * 1000

/** Asks in the background, now and then: nobody waits for it, and the daily sync is behind it. */
export function createSyncRequests(options: { db: Db; clock: Clock; log: Log }) {
  const { db, clock, log } = options
  const askedAt = new Map<string, number>()
  return (tenantId: string, wabaId: string): void => {
    const now = clock.now()
    const key = `${tenantId} ${wabaId}`
    if (now.getTime() - (askedAt.get(key) ?? 0) < atMostEveryMs) return
    askedAt.set(key, now.getTime())
    db.tenantTransaction(tenantId, (tx) => requestTemplateSync(tx, tenantId, wabaId, now)).catch(
      (error) => log.warn('template_sync_request_failed', errorFields(error)),
    )
  }
}
