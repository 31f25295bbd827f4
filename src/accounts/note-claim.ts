// Somebody wanted to connect a number that another tenant has: noted for alerts to both, of which neither names the other.
import { noteSignals } from '../alerts/signal.ts'
import type { Tx } from '../db/connect.ts'
import { selectNumber } from './signup/queries.ts'

/** After a day of silence it is over. */
const quietMs = 24 * 60 * 60 * 1000

export async function noteClaim(
  tx: Tx,
  claimant: string | undefined,
  phoneNumberId: string,
  now: Date,
): Promise<void> {
  const owner = await selectNumber(tx, phoneNumberId)
  // Whoever connects its own number twice is told so, and that is all.
  if (!owner || owner.tenant_id === claimant) return
  const activeUntil = new Date(now.getTime() + quietMs)
  const signalFor = (tenantId: string, reason: 'owner' | 'claimant') => ({
    tenantId,
    rule: 'number_claimed_twice' as const,
    subject: phoneNumberId,
    reason,
    activeUntil,
  })
  const signals = [signalFor(owner.tenant_id, 'owner')]
  if (claimant !== undefined) signals.push(signalFor(claimant, 'claimant'))
  await noteSignals(tx, signals, now)
}
