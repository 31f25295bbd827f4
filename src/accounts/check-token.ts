// Asks Meta about one account's token and writes down what that means: for messages and for templates apart.
import type { Db, Tx } from '../db/connect.ts'
import { transactionWithRetry } from '../db/retry.ts'
import { publicId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { AppAccess, GraphAccounts, GraphFailure, TokenInfo } from '../meta/graph-accounts.ts'
import type { Clock } from '../time-and-chance.ts'
import type { OnConnected } from './connect.ts'
import { holdOf, isAccessLost } from './news.ts'
import { reconsiderTemplatesReauth, requireReauth, requireTemplatesReauth } from './reauth.ts'
import { isExpiringSoon } from './show.ts'
import { isGranted, managementScope, messagingScope } from './signup/grant.ts'
import { type CheckedAccount, recordTokenCheck } from './token-queries.ts'
import { tokenOwner, type Vault } from './vault.ts'

export type HoldNumber = (
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  until: Date | 'parked' | null,
) => Promise<void>

export interface TokenKeeper {
  db: Db
  clock: Clock
  log: Log
  vault: Vault
  meta: GraphAccounts
  app: AppAccess
  tokenWarningDays: number
  release: OnConnected
  hold: HoldNumber
  onReleased: () => Promise<unknown>
}

export type TokenFinding =
  /** None of our keys opens it. */
  | { kind: 'sealed' }
  /** Meta could not be asked, or not with this app: nothing is known. */
  | { kind: 'unknown'; failure: GraphFailure }
  | { kind: 'told'; accessToken: string; info: TokenInfo; verdict: TokenVerdict }

export interface TokenVerdict {
  /** Why messages cannot be sent with it; null: they can. */
  messaging: string | null
  templates: string | null
}

export async function checkToken(
  keeper: TokenKeeper,
  account: CheckedAccount,
): Promise<TokenFinding> {
  const accessToken = openToken(keeper.vault, account)
  if (accessToken === undefined) return { kind: 'sealed' }
  const told = await keeper.meta.debugToken(keeper.app, accessToken)
  if (told.kind !== 'told') return { kind: 'unknown', failure: told }
  const info = told.value
  // A token of another app: what we are told of it is not about us.
  const isOurs = info.appId === null || info.appId === keeper.app.appId
  const verdict = isOurs ? judge(info, account.waba_id) : { messaging: null, templates: null }
  const change = await transactionWithRetry(keeper.db, (tx) =>
    record(tx, keeper, account, info, verdict),
  )
  await report(keeper, account, info, change)
  return { kind: 'told', accessToken, info, verdict }
}

function openToken(vault: Vault, account: CheckedAccount): string | undefined {
  try {
    return vault.open(account.access_token, tokenOwner(account.tenant_id, account.id))
  } catch {
    return undefined
  }
}

export function judge(info: TokenInfo, wabaId: string): TokenVerdict {
  if (!info.isValid) {
    const reason = info.error ?? 'Meta no longer accepts the access token.'
    return { messaging: reason, templates: reason }
  }
  const without = (scope: string) =>
    isGranted(info, scope, wabaId)
      ? null
      : `The access token has no permission ${scope} for this WhatsApp account.`
  return { messaging: without(messagingScope), templates: without(managementScope) }
}

type Change = 'lost' | 'found' | 'none'

async function record(
  tx: Tx,
  { clock, hold, release }: TokenKeeper,
  account: CheckedAccount,
  info: TokenInfo,
  verdict: TokenVerdict,
): Promise<Change> {
  const now = clock.now()
  const { tenant_id: tenantId, phone_number_id: phoneNumberId, waba_id: wabaId } = account
  const present = await recordTokenCheck(tx, account, info.expiresAt, now)
  // Reconnected meanwhile: this is about a token that nobody uses any more.
  if (!present) return 'none'
  if (verdict.templates === null) await reconsiderTemplatesReauth(tx, tenantId, wabaId, now)
  else await requireTemplatesReauth(tx, tenantId, wabaId, verdict.templates)
  if (verdict.messaging !== null) {
    const reauth = await requireReauth(tx, tenantId, phoneNumberId, verdict.messaging, now)
    const isNew = reauth === 'new'
    await hold(tx, tenantId, phoneNumberId, 'parked')
    return isNew ? 'lost' : 'none'
  }
  // A token that was dead before it was looked at works again: nobody need sign in for that. One that was refused since the
  // look began is not judged by it.
  const wasDead = account.auth_status === 'needs_reauth' && present.auth_status === 'needs_reauth'
  if (!wasDead || isAccessLost(present.told)) return 'none'
  await release(tx, tenantId, phoneNumberId, now)
  const standing = holdOf(present.told, now)
  if (standing) await hold(tx, tenantId, phoneNumberId, standing.until ?? 'parked')
  return 'found'
}

async function report(
  { log, clock, tokenWarningDays, onReleased }: TokenKeeper,
  account: CheckedAccount,
  info: TokenInfo,
  change: Change,
): Promise<void> {
  const fields = {
    tenant_id: account.tenant_id,
    account_id: publicId('acc', account.id),
    phone_number_id: account.phone_number_id,
    waba_id: account.waba_id,
  }
  if (change === 'lost') log.error('reauth_required', { ...fields, reason: 'token_check' })
  if (change === 'found') {
    log.info('reauth_ended', { ...fields, reason: 'token_check' })
    await onReleased()
  }
  const now = clock.now()
  if (info.isValid && info.expiresAt && isExpiringSoon(info.expiresAt, now, tokenWarningDays)) {
    const days = Math.max(0, Math.floor((info.expiresAt.getTime() - now.getTime()) / 86_400_000))
    log.warn('token_expiring', { ...fields, count: days })
  }
}
