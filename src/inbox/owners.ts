// Whose each item is, as the connected numbers say.
import { ownersOfNumbers, ownersOfWabas } from '../accounts/route.ts'
import type { Tx } from '../db/connect.ts'
import type { DeadLetter } from '../dead-letters/bury.ts'
import { itemsOf, mayRoute, type Owners, type ParsedEvent } from './plan.ts'

export async function findOwners(tx: Tx, events: ParsedEvent[]): Promise<Owners> {
  const items = events.flatMap(itemsOf)
  const numbers = new Set(items.flatMap((item) => item.phoneNumberId ?? []))
  const wabas = new Set(
    items.flatMap((item) => (item.phoneNumberId === undefined && item.wabaId ? item.wabaId : [])),
  )
  return {
    byNumber: await ownersOfNumbers(tx, [...numbers]),
    byWaba: await ownersOfWabas(tx, [...wabas]),
  }
}

/** Fills in whose they are, where the number says so. */
export async function withOwners(
  tx: Tx,
  letters: DeadLetter[],
  appId: string | null,
): Promise<DeadLetter[]> {
  const owners = await ownersOfNumbers(tx, [
    ...new Set(letters.flatMap((letter) => letter.phoneNumberId ?? [])),
  ])
  return letters.map((letter) => {
    const owner = owners.get(letter.phoneNumberId ?? '')
    return { ...letter, tenantId: owner && mayRoute(owner, appId) ? owner.tenantId : null }
  })
}
