// Which tenant a number belongs to. Routing is by phone_number_id alone.
import { sql, type Tx } from '../db/connect.ts'

export interface NumberOwner {
  phoneNumberId: string
  tenantId: string
  wabaId: string
  /** The Meta app whose webhooks may speak for this number; null: the gateway's own app, whichever it is. */
  appId: string | null
}

export async function ownersOfNumbers(
  tx: Tx,
  numbers: string[],
): Promise<Map<string, NumberOwner>> {
  if (numbers.length === 0) return new Map()
  const rows = await tx.query(sql<NumberOwner>`
    select phone_number_id as "phoneNumberId", tenant_id as "tenantId", waba_id as "wabaId", app_id as "appId"
    from whatsapp_accounts
    where phone_number_id = any(${numbers}::text[])`)
  return new Map(rows.map((row) => [row.phoneNumberId, row]))
}
