// What lets waiting sends go on, or changes whose turn it is. Whoever mends an account, wakes a tenant or joins conversations calls
// one of these, in the same transaction.
import { endReauth } from '../accounts/reauth.ts'
import type { JoinedConversations } from '../conversations/follow-contact.ts'
import type { Tx } from '../db/connect.ts'
import { releaseMedia } from '../media/release.ts'
import { closeCircuit, holdNumber, joinLane, releaseNumber, wakeTenant } from './queue-queries.ts'
import { keepPace } from './throughput.ts'

/** A tenant's cap or status changed: what it may do now is looked at anew. */
export async function reconsiderTenant(tx: Tx, tenantId: string): Promise<void> {
  await wakeTenant(tx, tenantId)
}

/** The account has a token that works: what was parked goes out, in its order, and files that waited for it are fetched. */
export async function releaseAccount(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  now: Date,
): Promise<void> {
  await endReauth(tx, tenantId, phoneNumberId, now)
  await releaseMedia(tx, tenantId, phoneNumberId)
  await releaseNumber(tx, tenantId, phoneNumberId)
  await keepPace(tx, tenantId, phoneNumberId)
}

/** The account is gone: nobody reconnects it and no trial closes its circuit, so what waits for it ends, and can be decided on. */
export async function letGo(tx: Tx, tenantId: string, phoneNumberId: string): Promise<void> {
  await holdNumber(tx, tenantId, phoneNumberId, null)
  await closeCircuit(tx, tenantId, phoneNumberId)
}

/** Nothing of this number is sent before `until`, or before it is released: null. What waits stays in its order. */
export async function holdAccount(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  until: Date | 'parked' | null,
): Promise<void> {
  if (until === null) await releaseNumber(tx, tenantId, phoneNumberId)
  else await holdNumber(tx, tenantId, phoneNumberId, until)
}

/** To be called last in its transaction, as everything that takes the tenants' locks. */
export async function joinLanes(tx: Tx, joined: JoinedConversations[]): Promise<void> {
  const inOrder = joined.toSorted((one, other) => (one.tenantId < other.tenantId ? -1 : 1))
  for (const { tenantId, winnerId, loserId } of inOrder) {
    await joinLane(tx, tenantId, winnerId, loserId)
  }
}
