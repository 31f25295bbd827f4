// When somebody last wrote to a number.
import type { Tx } from '../db/connect.ts'
import { selectLastInbound } from './read-queries.ts'

export async function lastInboundAt(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
): Promise<Date | null> {
  return (await lastInboundOf(tx, tenantId, [phoneNumberId])).get(phoneNumberId) ?? null
}

/** By number; those that nobody has written to are missing. */
export async function lastInboundOf(
  tx: Tx,
  tenantId: string,
  phoneNumberIds: string[],
): Promise<Map<string, Date>> {
  const rows = await selectLastInbound(tx, tenantId, phoneNumberIds)
  return new Map(rows.map(({ phone_number_id, at }) => [phone_number_id, at]))
}
