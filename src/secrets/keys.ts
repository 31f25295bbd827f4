// Which keys are still needed: how many stored values each of them seals.
import type { VaultKey } from '../accounts/vault.ts'
import type { Tx } from '../db/connect.ts'
import { countByKey } from './queries.ts'

export interface KeyUse {
  /** As ENCRYPTION_KEYS names it; the key itself is never shown. */
  id: string
  /** `current` seals, `old` only opens; `missing` is not in ENCRYPTION_KEYS, and what it sealed cannot be read. */
  state: 'current' | 'old' | 'missing'
  sealed: number
}

/** Those of the ring in its order, then those that are missing. */
export async function readKeyUse(db: Tx, ring: readonly Pick<VaultKey, 'id'>[]): Promise<KeyUse[]> {
  const counts = await countByKey(db)
  const known = ring.map(({ id }) => id)
  const missing = [...counts.keys()].filter((id) => !known.includes(id)).toSorted()
  return [...known, ...missing].map((id, place) => ({
    id,
    state: place === 0 ? 'current' : place < known.length ? 'old' : 'missing',
    sealed: counts.get(id) ?? 0,
  }))
}

export function adviceFor({ state, sealed }: KeyUse): string {
  if (state === 'current') return 'seals everything new'
  if (state === 'missing') {
    return 'not in ENCRYPTION_KEYS: these cannot be read. Put it back, or enter them again'
  }
  return sealed === 0
    ? 'seals nothing any more: it can be taken out'
    : 'still needed; workers seal these anew within minutes'
}
