// When somebody last wrote to a number.
import type { Tx } from '../db/connect.ts'
import { selectLastInbound } from './read-queries.ts'

export async function lastInboundAt(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
): Promise<Date | null> {
  return selectLastInbound(tx, tenantId, phoneNumberId)
}
