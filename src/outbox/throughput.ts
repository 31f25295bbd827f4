// What Meta's notices say about how fast a number may send. Called by inbox/apply.ts, in the transaction that keeps them.
import type { Tx } from '../db/connect.ts'
import { allowRate, setLevel, type ThroughputLevel } from './weather-queries.ts'

/** Messages a second. A number has the standard one until Meta says otherwise. */
export const throughput = { standard: 80, high: 1000, coexistence: 20 } as const

export interface ThroughputNotice {
  tenantId: string
  wabaId: string | null
  phoneNumberId: string | null
  field: string
  event: string | null
  content: Record<string, unknown>
}

/** Undefined when the notice is about something else. */
export function levelIn({
  field,
  event,
}: Pick<ThroughputNotice, 'field' | 'event'>): ThroughputLevel | undefined {
  if (field === 'phone_number_quality_update' && event === 'THROUGHPUT_UPGRADE') {
    return 'high'
  }
  // Only numbers that are also on somebody's phone have a phone book and a past to share.
  if (field === 'smb_app_state_sync' || field === 'history') return 'coexistence'
  return undefined
}

/** The queue's locks are taken here: last in the transaction, and in the tenants' order. */
export async function heedThroughput(tx: Tx, notices: ThroughputNotice[]): Promise<void> {
  const said = new Map<string, { notice: ThroughputNotice; level: ThroughputLevel }>()
  for (const notice of notices) {
    const level = levelIn(notice)
    const { tenantId, phoneNumberId, content } = notice
    const name = `${tenantId} ${phoneNumberId ?? content.display_phone_number}`
    if (level !== undefined) said.set(name, { notice, level })
  }
  const inOrder = [...said.values()].sort((a, b) =>
    a.notice.tenantId < b.notice.tenantId ? -1 : a.notice.tenantId > b.notice.tenantId ? 1 : 0,
  )
  for (const { notice, level } of inOrder) {
    const shown = notice.content.display_phone_number
    const displayDigits = typeof shown === 'string' ? shown.replace(/\D/g, '') : null
    const numbers = await setLevel(tx, notice.tenantId, { ...notice, displayDigits }, level)
    for (const number of numbers) await keepPace(tx, notice.tenantId, number)
  }
}

/** As fast as the account's level says; for whoever changed it, last in the transaction. */
export function keepPace(tx: Tx, tenantId: string, phoneNumberId: string): Promise<void> {
  return allowRate(tx, tenantId, phoneNumberId, throughput)
}
