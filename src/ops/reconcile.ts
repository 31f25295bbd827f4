// Proves the accounting from the tables: every number an outcome tells of is counted again where the things themselves
// are. One snapshot, so that it can run beside a busy gateway.
import type { Db } from '../db/connect.ts'
import { nobody } from '../inbox/outcome.ts'
import { type Accounting, readAccounting } from './accounting.ts'
import {
  type CountDifference,
  type DeadDifference,
  freezeSnapshot,
  selectCountDifferences,
  selectDeadDifferences,
  selectUnsoundOutcomes,
  type UnsoundOutcome,
} from './accounting-queries.ts'

export interface Difference {
  kind: 'outcome' | 'messages' | 'statuses' | 'notices' | 'dead' | 'total'
  event_id: string | null
  tenant_id: string | null
  message: string
}

export interface Reconciliation {
  adds_up: boolean
  accounting: Accounting
  differences: Difference[]
  /** There are more differences than are named. */
  is_cut: boolean
}

const maxNamed = 1000

export async function reconcile(db: Db): Promise<Reconciliation> {
  return db.transaction(async (tx) => {
    await freezeSnapshot(tx)
    const accounting = await readAccounting(tx, { from: null, to: null })
    const unsound = await selectUnsoundOutcomes(tx, maxNamed + 1)
    const counts = await selectCountDifferences(tx, maxNamed + 1)
    const dead = await selectDeadDifferences(tx, maxNamed + 1)
    const differences = [
      ...accounting.tenants.filter((account) => !account.adds_up).map(ofTotal),
      ...unsound.slice(0, maxNamed).map(ofOutcome),
      ...counts.slice(0, maxNamed).map(ofCount),
      ...dead.slice(0, maxNamed).map(ofDead),
    ]
    return {
      adds_up: differences.length === 0,
      accounting,
      differences,
      is_cut: [unsound, counts, dead].some((list) => list.length > maxNamed),
    }
  })
}

const tenantIn = (tenant: string | null) => (tenant === nobody ? null : tenant)

function ofTotal(account: Accounting['tenants'][number]): Difference {
  return {
    kind: 'total',
    event_id: null,
    tenant_id: account.tenant_id,
    message: `${account.received} received, but the parts do not add up to that`,
  }
}

function ofOutcome({ event_id, tenant, received, accounted }: UnsoundOutcome): Difference {
  const message =
    tenant === null
      ? 'it was processed, but has no outcome'
      : received === null || accounted === null
        ? 'its outcome lacks a number'
        : `its outcome tells of ${received} received and accounts for ${accounted}`
  return { kind: 'outcome', event_id, tenant_id: tenantIn(tenant), message }
}

function ofCount({ kind, event_id, tenant, told, kept }: CountDifference): Difference {
  const message = `its outcome tells of ${told} ${kind}, the table has ${kept}`
  return { kind, event_id, tenant_id: tenantIn(tenant), message }
}

function ofDead({ event_id, told, open, discarded }: DeadDifference): Difference {
  const letters = discarded === 0 ? `${open} open` : `${open} open and ${discarded} discarded`
  const message = `its outcome tells of ${told} dead, there are ${letters} dead letters of it`
  return { kind: 'dead', event_id, tenant_id: null, message }
}
