// The 24 hours after a contact's last message, in which anything may be sent to them.

export const windowMs = 24 * 60 * 60 * 1000
const soonMs = 60 * 60 * 1000

export type ReplyWindow =
  /** `share` of the 24 hours that is left. */
  | { kind: 'open'; leftMs: number; share: number; isSoonOver: boolean }
  | { kind: 'closed'; closedAt: Date }
  /** They have not written yet. */
  | { kind: 'never' }

export function windowOf(expiresAt: string | null, now: number): ReplyWindow {
  if (expiresAt === null) return { kind: 'never' }
  // Clocks differ a little: somebody who writes now has not more than a day.
  const leftMs = Math.min(Date.parse(expiresAt) - now, windowMs - 1)
  if (leftMs <= 0) return { kind: 'closed', closedAt: new Date(expiresAt) }
  return {
    kind: 'open',
    leftMs,
    share: Math.min(1, leftMs / windowMs),
    isSoonOver: leftMs < soonMs,
  }
}

/** When the contact last wrote. */
export function lastWroteAt(expiresAt: string | null): Date | undefined {
  return expiresAt === null ? undefined : new Date(Date.parse(expiresAt) - windowMs)
}
