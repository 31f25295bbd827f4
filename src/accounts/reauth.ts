// A token that Meta no longer takes: the account waits for a person, and says why.
import type { Tx } from '../db/connect.ts'
import {
  lockAccounts,
  lockAuthStatus,
  updateAuthStatus,
  updateTemplatesAuthStatus,
  updateTemplatesPermitted,
} from './queries.ts'

/**
 * `new`: the account was fine until now. `outdated`: it has another token since `tokenSetAt`, or is gone, so this says
 * nothing of it. Without `tokenSetAt` it is about the token of now.
 */
export async function requireReauth(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  reason: string,
  now: Date,
  tokenSetAt: string | null = null,
): Promise<'new' | 'known' | 'outdated'> {
  const account = await lockAuthStatus(tx, tenantId, phoneNumberId, tokenSetAt)
  if (!account) return 'outdated'
  if (account.auth_status === 'needs_reauth') return 'known'
  await updateAuthStatus(tx, tenantId, phoneNumberId, 'needs_reauth', reason, now)
  return 'new'
}

/** For who calls requireReauth with a send queue locked: whoever reconnects has the account first, and then wants the queue. */
export async function expectReauth(
  tx: Tx,
  numbers: { tenantId: string; phoneNumberId: string }[],
): Promise<void> {
  if (numbers.length > 0) await lockAccounts(tx, numbers)
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

/** Templates hang on a permission of their own: losing it stops no message. True when it was fine until now. */
export async function requireTemplatesReauth(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  reason: string,
): Promise<boolean> {
  return updateTemplatesAuthStatus(tx, tenantId, wabaId, 'needs_reauth', reason)
}

/** Meta let us in. True when templates were waiting for this. */
export async function endTemplatesReauth(
  tx: Tx,
  tenantId: string,
  wabaId: string,
): Promise<boolean> {
  return updateTemplatesAuthStatus(tx, tenantId, wabaId, 'ok', null)
}

/** The permission is there. Where Meta refused all the same, that counts until it lets us in; it is asked again soon. */
export async function reconsiderTemplatesReauth(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  now: Date,
): Promise<void> {
  await updateTemplatesPermitted(tx, tenantId, wabaId, now)
}
