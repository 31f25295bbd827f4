// What a hash in a log line stands for. The log cannot be turned back, but what was logged lately can be hashed again.
import type { Db } from '../db/connect.ts'
import { hashForLog } from '../log.ts'
import {
  type Named,
  selectRecentContacts,
  selectRecentDeliveries,
  selectRecentWamids,
} from './trace-queries.ts'

export interface HashSearch {
  found: { name: string; is: 'name' | 'contact' } | undefined
  /** How far it looked: of each kind how many, and back to when. */
  looked: { kind: string; count: number; since: Date | undefined }[]
}

/** 200,000 of each kind: measured 6 s with two keys on a busy two-core machine, and some tens of megabytes. */
export const maxLookedAt = 200_000

/** `keys`: of the whole ring, because the line may be older than the last rotation. */
export async function findHash(db: Db, hash: string, keys: Buffer[]): Promise<HashSearch> {
  const looked: HashSearch['looked'] = []
  const sources = [
    { kind: 'deliveries', is: 'name' as const, select: selectRecentDeliveries },
    { kind: 'messages', is: 'name' as const, select: selectRecentWamids },
    { kind: 'contacts', is: 'contact' as const, select: selectRecentContacts },
  ]
  for (const { kind, is, select } of sources) {
    const rows = await select(db, maxLookedAt)
    looked.push({ kind, count: rows.length, since: rows.at(-1)?.at })
    const name = matching(rows, hash, keys)
    if (name !== undefined) return { found: { name, is }, looked }
  }
  return { found: undefined, looked }
}

function matching(rows: Named[], hash: string, keys: Buffer[]): string | undefined {
  for (const { name } of rows) {
    // The log hashes the parts of `id:status:participant` one by one (log.ts).
    const [id = '', , participant = ''] = name.split(':')
    for (const candidate of new Set([name, id, participant])) {
      if (keys.some((key) => hashForLog(key, candidate) === hash)) return candidate
    }
  }
  return undefined
}
