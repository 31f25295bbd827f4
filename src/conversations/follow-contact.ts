// Conversations follow their contact: a new id renames them, and where two contacts became one, their conversations do too.
import type { Tx } from '../db/connect.ts'
import type { ConversationContact } from './model.ts'
import {
  mergeConversation,
  moveConversations,
  renameConversations,
  selectConversationPairs,
} from './queries.ts'

/** What waits to be sent in these has one turn from now on: outbox/release.ts. */
export interface JoinedConversations {
  tenantId: string
  winnerId: string
  loserId: string
}

/** The caller holds the tenant's exclusive contact lock, so nobody files anything under either contact meanwhile. */
export async function followContact(
  tx: Tx,
  tenantId: string,
  winner: ConversationContact,
  loserId: string | undefined,
  now: Date,
): Promise<JoinedConversations[]> {
  const joined: JoinedConversations[] = []
  if (loserId !== undefined) {
    for (const pair of await selectConversationPairs(tx, tenantId, winner.id, loserId)) {
      await mergeConversation(tx, tenantId, pair.winnerId, pair.loserId, now)
      joined.push({ tenantId, ...pair })
    }
    await moveConversations(tx, tenantId, loserId, winner.id, now)
  }
  const shownId = winner.waId ?? winner.userId
  if (shownId !== null)
    await renameConversations(tx, tenantId, winner.id, shownId, winner.userId, now)
  return joined
}
