// Which tenant a number belongs to. Routing is by phone_number_id alone.
import { sql, type Tx } from '../db/connect.ts'

export interface NumberOwner {
  phoneNumberId: string
  tenantId: string
  wabaId: string
  /** The Meta app whose webhooks may speak for this number; null: the gateway's own app, whichever it is. */
  appId: string | null
}

/** What is to be done with what comes in for a number. */
export interface NumberSettings {
  responder: 'off' | 'echo' | 'auto_reply'
  autoReplyText: string | null
  /** Whether its tenant could send from it: neither suspended nor waiting to be reconnected. */
  canSend: boolean
  /** Null: the gateway's own. */
  stopWords: string[] | null
}

export async function ownersOfNumbers(
  tx: Tx,
  numbers: string[],
): Promise<Map<string, NumberOwner & NumberSettings>> {
  if (numbers.length === 0) return new Map()
  const rows = await tx.query(sql<NumberOwner & NumberSettings>`
    select a.phone_number_id as "phoneNumberId", a.tenant_id as "tenantId", a.waba_id as "wabaId", a.app_id as "appId",
      a.responder, a.auto_reply_text as "autoReplyText", t.status = 'active' and a.auth_status = 'ok' as "canSend",
      t.stop_words as "stopWords"
    from whatsapp_accounts a
    join tenants t on t.id = a.tenant_id
    where a.phone_number_id = any(${numbers}::text[])`)
  return new Map(rows.map((row) => [row.phoneNumberId, row]))
}

export interface WabaOwner extends NumberOwner {
  /** Digits only, as Meta writes it in webhooks that name no phone_number_id. */
  displayDigits: string
}

/** Every number of these accounts: what concerns an account concerns each tenant that has a number in it. */
export async function ownersOfWabas(tx: Tx, wabaIds: string[]): Promise<Map<string, WabaOwner[]>> {
  if (wabaIds.length === 0) return new Map()
  const rows = await tx.query(sql<WabaOwner>`
    select phone_number_id as "phoneNumberId", tenant_id as "tenantId", waba_id as "wabaId", app_id as "appId",
      regexp_replace(display_phone_number, '[^0-9]', '', 'g') as "displayDigits"
    from whatsapp_accounts
    where waba_id = any(${wabaIds}::text[])
    order by tenant_id, phone_number_id`)
  const byWaba = new Map<string, WabaOwner[]>()
  for (const row of rows) byWaba.set(row.wabaId, [...(byWaba.get(row.wabaId) ?? []), row])
  return byWaba
}
