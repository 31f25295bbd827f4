// After the first of ENCRYPTION_KEYS changed: whatever an earlier key sealed is opened and sealed anew, while everything
// runs. Any number of processes may do it at once, because each value is replaced only while it is what was opened. While
// a roll is under way, those with the old order of keys seal back what the others did; the last round decides.
import type { Vault } from '../accounts/vault.ts'
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db } from '../db/connect.ts'
import type { Log } from '../log.ts'
import { announceResealing, type SealedPlace, type SealedRow, sealedPlaces } from './queries.ts'

export interface ResealOptions {
  db: Db
  log: Log
  vault: Vault
  batchRows?: number
}

export interface Resealed {
  resealed: number
  /** Their key is missing, or they are not what they should be: they are left alone. */
  unreadable: number
}

const beforeAllIds = '00000000-0000-0000-0000-000000000000'

/** One round over everything. `signal` ends it after the value it is at. */
export async function resealSecrets(
  options: ResealOptions,
  signal?: AbortSignal,
): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 }
  for (const place of sealedPlaces) {
    const { resealed, unreadable } = await resealPlace(options, place, signal)
    total.resealed += resealed
    total.unreadable += unreadable
    if (resealed > 0) options.log.info('secrets_resealed', { kind: place.kind, count: resealed })
  }
  if (total.unreadable > 0) options.log.warn('secrets_unreadable', { count: total.unreadable })
  return total
}

async function resealPlace(
  options: ResealOptions,
  place: SealedPlace,
  signal: AbortSignal | undefined,
): Promise<Resealed> {
  const { db, vault, batchRows = 200 } = options
  const total: Resealed = { resealed: 0, unreadable: 0 }
  for (let after = beforeAllIds; !signal?.aborted; ) {
    const rows = await db.query(place.selectStale(vault.keyId, after, batchRows))
    for (const row of rows) {
      if (signal?.aborted) break
      const sealed = sealAnew(vault, place, row)
      if (sealed === undefined) total.unreadable++
      else if (await replace(db, place, row, sealed)) total.resealed++
      // crash point: secrets.between-two
    }
    const last = rows.at(-1)
    if (!last || rows.length < batchRows) break
    after = last.id
  }
  return total
}

function sealAnew(
  vault: Vault,
  { ownerOf }: SealedPlace,
  { tenantId, id, sealed }: SealedRow,
): string | undefined {
  const owner = ownerOf(tenantId, id)
  try {
    return vault.seal(vault.open(sealed, owner), owner)
  } catch {
    return undefined
  }
}

/** A transaction each: two rows locked in one would need an order for everybody who locks two. */
async function replace(
  db: Db,
  place: SealedPlace,
  row: SealedRow,
  sealed: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await announceResealing(tx)
    return (await tx.query(place.replace(row, sealed))).length > 0
  })
}

export function resealJob(options: ResealOptions): PeriodicJob {
  return {
    name: 'reseal',
    everyMs: 10 * 60_000,
    failed: 'reseal_failed',
    run: async (signal) => (await resealSecrets(options, signal)).resealed,
  }
}
