// An account as the API shows it: everything but its secrets.
import { publicId } from '../ids.ts'
import { holdOf } from './news.ts'
import type { AccountRow } from './queries.ts'

const dayMs = 24 * 60 * 60 * 1000

export function isExpiringSoon(expiresAt: Date | null, now: Date, warningDays: number): boolean {
  return expiresAt !== null && expiresAt.getTime() - now.getTime() < warningDays * dayMs
}

export function showAccount(row: AccountRow, now: Date, warningDays: number) {
  const { told, ...account } = row
  const hold = holdOf(told, now)
  const repliesOnly = row.replies_only_until
  return {
    ...account,
    id: publicId('acc', row.id),
    token_expires_at: row.token_expires_at?.toISOString() ?? null,
    token_expires_soon: isExpiringSoon(row.token_expires_at, now, warningDays),
    token_checked_at: row.token_checked_at?.toISOString() ?? null,
    hold: hold && { reason: hold.reason, until: hold.until?.toISOString() ?? null },
    replies_only_until: repliesOnly && repliesOnly > now ? repliesOnly.toISOString() : null,
    standing: told,
    created_at: row.created_at.toISOString(),
  }
}
