// The webhooks that tell a business what became of its number.
import type { Business } from './business.ts'
import { digitsOf } from './identifiers.ts'
import type { BusinessNumber, NumberProfile } from './numbers.ts'

const tiers: Record<string, number> = {
  TIER_250: 250,
  TIER_2K: 2000,
  TIER_10K: 10_000,
  TIER_100K: 100_000,
  TIER_UNLIMITED: -1,
}

export function announceNumberChange(
  { announce }: Business,
  { waba_id: wabaId, phone_number_id: phoneNumberId, display_phone_number }: BusinessNumber,
  before: NumberProfile,
  after: NumberProfile,
): void {
  const display = { display_phone_number: digitsOf(display_phone_number) }
  const tell = (field: string, value: Record<string, unknown>) =>
    announce({ field, wabaId, phoneNumberId, value: { ...display, ...value } })
  const limits = { current_limit: after.messaging_limit, old_limit: before.messaging_limit }
  if (before.throughput !== after.throughput && after.throughput === 'HIGH') {
    tell('phone_number_quality_update', {
      event: 'THROUGHPUT_UPGRADE',
      current_limit: 'TIER_UNLIMITED',
      max_daily_conversations_per_business: after.messaging_limit,
    })
  }
  if (before.quality_rating !== after.quality_rating) {
    const event = after.quality_rating === 'RED' ? 'FLAGGED' : 'UNFLAGGED'
    if ([before.quality_rating, after.quality_rating].includes('RED')) {
      tell('phone_number_quality_update', { event, ...limits })
    }
  }
  if (before.messaging_limit !== after.messaging_limit) {
    const rise = rank(after.messaging_limit) > rank(before.messaging_limit)
    tell('phone_number_quality_update', { event: rise ? 'UPGRADE' : 'DOWNGRADE', ...limits })
  }
  const isDecided = after.name_status === 'APPROVED' || after.name_status === 'DECLINED'
  const isNameNews =
    before.verified_name !== after.verified_name || before.name_status !== after.name_status
  if (isNameNews && isDecided) {
    const isGood = after.name_status === 'APPROVED'
    tell('phone_number_name_update', {
      decision: isGood ? 'APPROVED' : 'REJECTED',
      requested_verified_name: after.verified_name,
      rejection_reason: isGood ? null : 'NAME_DOES_NOT_MATCH_BUSINESS',
    })
  }
}

function rank(tier: string): number {
  const size = tiers[tier] ?? 0
  return size === -1 ? Number.POSITIVE_INFINITY : size
}
