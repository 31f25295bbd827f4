// How an account is, in one word: the worst that is known of it, and what a person sees first.
import type { Account } from './types.ts'

/** The worst first. */
const states = [
  'reconnect',
  'banned',
  'rejected',
  'restricted',
  'unregistered',
  'silent',
  'repliesOnly',
  'expiring',
  'templates',
  'lowQuality',
  'mediumQuality',
  'slowed',
  'working',
] as const
export type AccountState = (typeof states)[number]

export type AccountTone = 'ok' | 'warn' | 'bad'

export function stateOf(account: Account): AccountState {
  const { hold, standing } = account
  const status = standing.status?.status
  const rating = standing.quality?.rating
  if (account.auth_status === 'needs_reauth') return 'reconnect'
  if (hold?.reason === 'banned') return 'banned'
  if (hold?.reason === 'review_rejected') return 'rejected'
  if (hold?.reason === 'restricted') return 'restricted'
  if (status === 'PENDING' || status === 'DISCONNECTED' || status === 'UNVERIFIED')
    return 'unregistered'
  if (account.circuit) return 'silent'
  if (account.replies_only_until) return 'repliesOnly'
  if (account.token_expires_soon) return 'expiring'
  if (account.templates_auth_status === 'needs_reauth') return 'templates'
  if (rating === 'RED') return 'lowQuality'
  if (rating === 'YELLOW') return 'mediumQuality'
  return account.throttled_until ? 'slowed' : 'working'
}

/** Square: nothing is sent until somebody acts. Diamond: look. Circle: fine, or it passes by itself. */
export function toneOf(state: AccountState): AccountTone {
  if (state === 'working' || state === 'slowed') return 'ok'
  return states.indexOf(state) <= states.indexOf('unregistered') ? 'bad' : 'warn'
}

export const needsLook = (account: Account) => toneOf(stateOf(account)) !== 'ok'

/** The worst first; of those alike, where most waits. */
export function worstFirst(accounts: Account[]): Account[] {
  const rank = (account: Account) => states.indexOf(stateOf(account))
  return accounts.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      other.waiting_count - one.waiting_count ||
      one.display_phone_number.localeCompare(other.display_phone_number) ||
      one.id.localeCompare(other.id),
  )
}

export function isFound(account: Account, wanted: string): boolean {
  const said = wanted.trim().toLowerCase()
  const digits = said.replace(/\D/g, '')
  const named = [account.id, account.phone_number_id, account.waba_id, nameOf(account) ?? '']
  return (
    named.some((name) => name.toLowerCase().includes(said)) ||
    (digits !== '' && account.display_phone_number.replace(/\D/g, '').includes(digits))
  )
}

/** What Meta shows people as the number's name. */
export function nameOf({ standing }: Account): string | undefined {
  const name = standing.name?.name
  return typeof name === 'string' ? name : undefined
}

export type Quality = 'high' | 'medium' | 'low'

export function qualityOf({ standing }: Account): Quality | undefined {
  const rating = standing.quality?.rating
  return rating === 'GREEN'
    ? 'high'
    : rating === 'YELLOW'
      ? 'medium'
      : rating === 'RED'
        ? 'low'
        : undefined
}

/** People who can be written to first in 24 hours; undefined where Meta has not told. */
export function limitOf({ standing }: Account): number | undefined {
  const tier = standing.limit?.tier
  if (typeof tier !== 'string') return undefined
  const [, size, thousands] = /^(?:TIER_)?(\d+)(K?)$/.exec(tier) ?? []
  if (size === undefined) return tier === 'TIER_UNLIMITED' ? Number.POSITIVE_INFINITY : undefined
  return Number(size) * (thousands ? 1000 : 1)
}

/** Messages a second, in and out together. */
export const speedOf = ({ throughput_level }: Account) =>
  ({ standard: 80, high: 1000, coexistence: 20 })[throughput_level]
