// What a look at a number at Meta tells, in the same form as what webhooks tell.
import type { MetaNumber } from '../meta/graph-accounts.ts'
import type { ThroughputLevel, Told } from './news.ts'

export function toldBy(number: MetaNumber, now: Date): Told {
  const at = now.toISOString()
  return {
    ...(number.qualityRating !== null && { quality: { rating: number.qualityRating, at } }),
    ...(number.messagingLimit !== null && { limit: { tier: number.messagingLimit, at } }),
    ...(number.throughputLevel !== null && { throughput: { level: number.throughputLevel, at } }),
    ...(number.status !== null && { status: { status: number.status, at } }),
    ...(number.verifiedName !== null && {
      name: { decision: number.nameStatus, name: number.verifiedName, reason: null, at },
    }),
  }
}

export function levelOf({ isOnBusinessApp, throughputLevel }: MetaNumber): ThroughputLevel {
  if (isOnBusinessApp) return 'coexistence'
  return throughputLevel === 'HIGH' ? 'high' : 'standard'
}
