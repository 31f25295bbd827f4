// A token that Meta no longer takes: the account waits for a person, and says why.
import type { Tx } from '../db/connect.ts'
import { updateAuthStatus } from './queries.ts'

/** True when the account was fine until now. */
export async function requireReauth(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  reason: string,
  now: Date,
): Promise<boolean> {
  return updateAuthStatus(tx, tenantId, phoneNumberId, 'needs_reauth', reason, now)
}

/** True when the account was waiting for this. */
export async function endReauth(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  now: Date,
): Promise<boolean> {
  return updateAuthStatus(tx, tenantId, phoneNumberId, 'ok', null, now)
}
