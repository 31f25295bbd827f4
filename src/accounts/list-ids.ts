// Which accounts there are, for commands that go through them.
import type { Tx } from '../db/connect.ts'
import { selectAccountIds } from './queries.ts'

/** Of one tenant or of all; only the one that is named, if one is. */
export async function listAccountIds(
  tx: Tx,
  tenantId: string | null,
  id: string | null,
): Promise<{ tenantId: string; id: string }[]> {
  return selectAccountIds(tx, tenantId, id)
}
