// Why messages that are to be sent have not left yet, for whoever shows them. Under the system's role: how a number
// stands with Meta is in no tenant's tables.
import type { Db } from '../db/connect.ts'
import { selectWaits, type WaitRow } from './wait-queries.ts'

/** By message id; what is about to leave is left out. */
export async function waitsOf(
  db: Db,
  tenantId: string,
  messageIds: string[],
): Promise<Map<string, WaitRow>> {
  if (messageIds.length === 0) return new Map()
  const rows = await selectWaits(db, tenantId, messageIds)
  return new Map(rows.map((row) => [row.message_id, row]))
}
