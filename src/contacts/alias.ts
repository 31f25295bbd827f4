// A number that Meta knows under another name: what was filed under it belongs to whom it reaches. Meta says so in its
// answer to a send, so this is Meta's word too.
import type { Tx } from '../db/connect.ts'
import type { Identity } from './model.ts'
import { insertAlias, selectIsAlias } from './queries.ts'
import { absorb, type IdentityChange, lockContacts } from './resolve.ts'

/** Nothing to learn: it is known, and nobody is filed under the number itself. */
export async function knowsAlias(
  tx: Tx,
  tenantId: string,
  asked: string,
  meant: string,
): Promise<boolean> {
  return selectIsAlias(tx, tenantId, asked, meant)
}

/** What changes for conversations is the caller's to do. */
export async function learnAlias(
  tx: Tx,
  tenantId: string,
  asked: string,
  meant: string,
  now: Date,
): Promise<IdentityChange | undefined> {
  await lockContacts(tx, [tenantId], 'exclusive')
  const person = (waId: string): Identity => ({
    tenantId,
    kind: 'person',
    waId,
    userId: null,
    name: null,
    username: null,
  })
  const found = await absorb(tx, person(asked), person(meant), now)
  if (!found) return undefined
  await insertAlias(tx, tenantId, asked, found.contactId, now)
  return found.change
}
