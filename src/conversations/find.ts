import type { Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import { type ConversationRow, lockConversation, selectConversation } from './read-queries.ts'

/** By public id. Who kept the id of a conversation that became one with another gets the other. */
export async function findConversation(
  tx: Tx,
  tenantId: string,
  publicConversationId: string,
): Promise<ConversationRow> {
  const uuid = uuidOf('conv', publicConversationId)
  const row = uuid && (await selectConversation(tx, tenantId, uuid))
  if (!row) throw notFound('CONVERSATION_NOT_FOUND', 'conversation')
  return row
}

/** The same, locked for the rest of the transaction. */
export async function holdConversation(
  tx: Tx,
  tenantId: string,
  publicConversationId: string,
): Promise<ConversationRow> {
  // While we waited for the lock it may have become part of another one, which is then looked for; twice in a row
  // would be a coincidence, and a conversation is merged only as often as a contact gets a new identity.
  for (let look = 0; look < 5; look++) {
    const { id } = await findConversation(tx, tenantId, publicConversationId)
    if (await lockConversation(tx, tenantId, id)) {
      return findConversation(tx, tenantId, publicConversationId)
    }
  }
  throw new AppError('CONFLICT', 409, 'This conversation is changing right now. Try again.')
}
