// What Meta said about numbers: written where it is newer than what is there.
import { sql, type Tx } from '../db/connect.ts'
import type { ThroughputLevel, Told } from './news.ts'

export interface ToldRow {
  id: string
  tenant_id: string
  phone_number_id: string
  app_id: string | null
  auth_status: 'ok' | 'needs_reauth'
  told: Told
}

export interface About {
  tenantId: string
  wabaId: string | null
  phoneNumberId: string | null
  /** Digits, where Meta names the number that way. */
  displayDigits: string | null
}

/** The numbers a notice is about, locked. One that is named in digits which nobody has is the only one there is, or none. */
export async function lockNumbersAbout(tx: Tx, about: About): Promise<ToldRow[]> {
  const rows = await tx.query(sql<ToldRow & { display_digits: string }>`
    select id, tenant_id, phone_number_id, app_id, auth_status, told,
      regexp_replace(display_phone_number, '[^0-9]', '', 'g') as display_digits
    from whatsapp_accounts
    where tenant_id = ${about.tenantId}
      and (phone_number_id = ${about.phoneNumberId}
        or (${about.phoneNumberId}::text is null and waba_id = ${about.wabaId}))
    order by id
    for update`)
  if (about.displayDigits === null || about.phoneNumberId !== null) return rows
  const named = rows.filter((row) => row.display_digits === about.displayDigits)
  return named.length > 0 || rows.length > 1 ? named : rows
}

/** The row must be locked. */
export async function updateTold(
  tx: Tx,
  account: { tenantId: string; id: string },
  change: {
    told: Told
    throughputLevel: ThroughputLevel | null
    repliesOnlyUntil: Date | null
    checkTokenAt: Date | null
  },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_accounts
    set told = ${JSON.stringify(change.told)}::jsonb,
      -- A number that is also on a phone keeps that pace, whatever else is said.
      throughput_level = case
        when throughput_level = 'coexistence' then throughput_level
        else coalesce(${change.throughputLevel}, throughput_level) end,
      replies_only_until = ${change.repliesOnlyUntil}::timestamptz,
      token_check_at = least(token_check_at, coalesce(${change.checkTokenAt}::timestamptz, token_check_at)),
      updated_at = ${now}
    where tenant_id = ${account.tenantId} and id = ${account.id}`)
}

/** After a look at the number itself: newer than whatever was said before. */
export async function recordLook(
  tx: Tx,
  account: { tenantId: string; id: string },
  look: { told: Told; throughputLevel: ThroughputLevel },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_accounts
    set told = told || ${JSON.stringify(look.told)}::jsonb, throughput_level = ${look.throughputLevel},
      updated_at = ${now}
    where tenant_id = ${account.tenantId} and id = ${account.id}`)
}
