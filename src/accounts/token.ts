// The access token of a number, for those who call Meta in the tenant's name.
import type { Tx } from '../db/connect.ts'
import { selectSealedToken, selectSealedTokensOfWaba } from './queries.ts'
import { tokenOwner, type Vault } from './vault.ts'

export interface NumberToken {
  authStatus: 'ok' | 'needs_reauth'
  accessToken: string
  /** Tells it from a later one: what Meta says to this token is not about that. */
  setAt: string
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
  return { authStatus: row.auth_status, accessToken, setAt: row.token_set_at }
}

export interface WabaToken {
  accountId: string
  phoneNumberId: string
  /** Null when none of our keys opens it. */
  accessToken: string | null
}

/** Of every number that the tenant has in it, those without trouble first: any of them may speak for the whole. */
export async function tokensOfWaba(
  tx: Tx,
  vault: Vault,
  tenantId: string,
  wabaId: string,
): Promise<WabaToken[]> {
  const rows = await selectSealedTokensOfWaba(tx, tenantId, wabaId)
  return rows.map(({ id, phone_number_id, access_token }) => ({
    accountId: id,
    phoneNumberId: phone_number_id,
    accessToken: openOrNull(vault, access_token, tokenOwner(tenantId, id)),
  }))
}

function openOrNull(vault: Vault, sealed: string, owner: string): string | null {
  try {
    return vault.open(sealed, owner)
  } catch {
    return null
  }
}
