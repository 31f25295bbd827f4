// What an access token is good for, by Meta's own word. Ids that a browser brings are only ever compared with this.
import type { MetaNumber, TokenInfo } from '../../meta/graph-accounts.ts'
import { refuse } from './refusals.ts'

export const messagingScope = 'whatsapp_business_messaging'
export const managementScope = 'whatsapp_business_management'

/** Whether the token has this permission for this business account. */
export function isGranted(info: TokenInfo, scope: string, wabaId: string): boolean {
  if (!info.scopes.includes(scope)) return false
  return info.targets.get(scope)?.includes(wabaId) ?? true
}

export function missingScopes(info: TokenInfo): string[] {
  return [messagingScope, managementScope].filter((scope) => !info.scopes.includes(scope))
}

/** The business accounts it is good for in every way we need; null: it names none, and so excludes none. */
export function grantedAccounts(info: TokenInfo): string[] | null {
  const lists = [messagingScope, managementScope].flatMap((scope) => {
    const targets = info.targets.get(scope)
    return targets ? [targets] : []
  })
  const [first, ...others] = lists
  return first?.filter((id) => others.every((list) => list.includes(id))) ?? null
}

/** Throws unless the token is alive, of our app, and has every permission. */
export function checkToken(info: TokenInfo, appId: string): void {
  if (!info.isValid) throw refuse('TOKEN_INVALID', { reason: info.error })
  if (info.appId !== appId) throw refuse('APP_MISMATCH')
  const missing = missingScopes(info)
  if (missing.length > 0) throw refuse('SCOPES_MISSING', { missing })
}

/** The accounts to look for the number in. */
export function accountsToAsk(info: TokenInfo, named: string | undefined): string[] {
  const granted = grantedAccounts(info)
  if (named !== undefined) {
    if (granted && !granted.includes(named)) throw refuse('WABA_NOT_GRANTED')
    return [named]
  }
  if (!granted || granted.length === 0) throw refuse('WABA_NOT_GRANTED')
  return granted.slice(0, 20)
}

export interface ListedNumber extends MetaNumber {
  wabaId: string
}

/** The one number that is meant. */
export function chooseNumber(
  listed: ListedNumber[],
  wanted: {
    /** The one to be reconnected. */
    reconnect: string | null
    /** What the browser says. */
    named: string | undefined
    /** The tenant's already. */
    connected: ReadonlySet<string>
  },
): ListedNumber {
  if (wanted.reconnect !== null) {
    const same = listed.find(({ id }) => id === wanted.reconnect)
    if (!same || (wanted.named !== undefined && wanted.named !== same.id)) {
      throw refuse('ACCOUNT_MISMATCH')
    }
    return same
  }
  if (wanted.named !== undefined) {
    const named = listed.find(({ id }) => id === wanted.named)
    if (!named) throw refuse('NUMBER_NOT_GRANTED')
    return named
  }
  const [only, ...others] = listed
  if (!only) throw refuse('NUMBER_MISSING')
  if (others.length === 0) return only
  const [fresh, ...moreFresh] = listed.filter(({ id }) => !wanted.connected.has(id))
  if (!fresh || moreFresh.length > 0) throw refuse('NUMBER_CHOICE_NEEDED')
  return fresh
}

/** It can send and receive over the Cloud API. */
export function isRegistered({ status, platformType, isOnBusinessApp }: MetaNumber): boolean {
  if (isOnBusinessApp) return status !== 'DISCONNECTED'
  return (
    platformType === 'CLOUD_API' &&
    !['DISCONNECTED', 'PENDING', 'UNVERIFIED'].includes(status ?? '')
  )
}
