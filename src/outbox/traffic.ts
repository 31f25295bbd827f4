// What waits to be sent from a tenant's numbers, and whether Meta's answers hold it up.
import type { Tx } from '../db/connect.ts'
import { selectTraffic, type TrafficRow } from './traffic-queries.ts'

/** More than this is "very many" to anybody. */
const countedUpTo = 10_000

export interface Traffic {
  waiting_count: number
  circuit: { scope: 'number' | 'host'; opened_at: string; trial_at: string } | null
  throttled_until: string | null
}

/** By number. */
export async function trafficOf(
  db: Tx,
  tenantId: string,
  phoneNumberIds: string[],
): Promise<Map<string, Traffic>> {
  if (phoneNumberIds.length === 0) return new Map()
  const rows = await selectTraffic(db, tenantId, phoneNumberIds, countedUpTo)
  return new Map(rows.map((row) => [row.phone_number_id, showTraffic(row)]))
}

function showTraffic({ scope, opened_at, trial_at, ...row }: TrafficRow): Traffic {
  return {
    waiting_count: row.waiting_count,
    circuit:
      scope && opened_at && trial_at
        ? { scope, opened_at: opened_at.toISOString(), trial_at: trial_at.toISOString() }
        : null,
    throttled_until: row.throttled_until?.toISOString() ?? null,
  }
}
