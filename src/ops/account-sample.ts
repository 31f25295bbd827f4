// Whether it adds up, in a sample that costs the same however much is stored: the newest events, and the newest sends of
// some tenants, others each time. All of it is proven by `estafet reconcile`.
import type { Tx } from '../db/connect.ts'
import { type Ledger, ledgerParts } from '../metrics-labels.ts'
import { type LedgerSum, sumNewestEvents, sumNewestSends } from './account-sample-queries.ts'

const newestEvents = 5_000
const someTenants = 100
const newestSends = 50

export interface LedgerRow {
  ledger: Ledger
  part: string
  count: number
}

export async function sampleAccounting(db: Tx): Promise<LedgerRow[]> {
  return [
    ...rowsOf('inbound', await sumNewestEvents(db, newestEvents)),
    ...rowsOf('outbound', await sumNewestSends(db, someTenants, newestSends)),
  ]
}

function rowsOf(ledger: Ledger, sum: LedgerSum): LedgerRow[] {
  return ledgerParts[ledger].map((part) => ({ ledger, part, count: sum[part] ?? 0 }))
}

/** What came in and is in none of the places that it can have gone to. */
export function differenceIn(rows: LedgerRow[], ledger: Ledger): number {
  const [whole, ...parts] = ledgerParts[ledger]
  const countOf = (wanted: string) =>
    rows.find((row) => row.ledger === ledger && row.part === wanted)?.count ?? 0
  return Math.abs(countOf(whole) - parts.reduce((sum, part) => sum + countOf(part), 0))
}
