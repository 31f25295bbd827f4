// The access token of a number, for those who call Meta in the tenant's name.
import type { Tx } from '../db/connect.ts'
import { selectSealedToken } from './queries.ts'
import { tokenOwner, type Vault } from './vault.ts'

export interface NumberToken {
  authStatus: 'ok' | 'needs_reauth'
  accessToken: string
}

/** Undefined when this tenant has no such number. */
export async function tokenOfNumber(
  tx: Tx,
  vault: Vault,
  tenantId: string,
  phoneNumberId: string,
): Promise<NumberToken | undefined> {
  const row = await selectSealedToken(tx, tenantId, phoneNumberId)
  if (!row) return undefined
  const accessToken = vault.open(row.access_token, tokenOwner(tenantId, row.id))
  return { authStatus: row.auth_status, accessToken }
}
