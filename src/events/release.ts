import type { Tx } from '../db/connect.ts'
import { wakeEventTenant } from './queue-queries.ts'

/** A tenant's status changed: what it may be told now is looked at anew. */
export async function reconsiderEvents(tx: Tx, tenantId: string): Promise<void> {
  await wakeEventTenant(tx, tenantId)
}
