// An account that works again: the files that waited for it are fetched at once.
import type { Tx } from '../db/connect.ts'
import { wakeFetches } from './queries.ts'

export async function releaseMedia(tx: Tx, tenantId: string, phoneNumberId: string): Promise<void> {
  await wakeFetches(tx, tenantId, phoneNumberId)
}
