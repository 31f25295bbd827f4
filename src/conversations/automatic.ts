// What must be known before a message is answered by itself, and what is remembered afterwards. Both in the transaction that
// records the message: its conversation is locked by then, so that of two at once the later sees the earlier's reply.
import type { Tx } from '../db/connect.ts'
import { type AnswerPlace, selectAnswerPlaces, updateAutomatic } from './automatic-queries.ts'

export type { AnswerPlace }

/** By message id. */
export async function findAnswerPlaces(
  tx: Tx,
  messages: { tenantId: string; id: string }[],
): Promise<Map<string, AnswerPlace>> {
  const rows = await selectAnswerPlaces(tx, messages)
  return new Map(rows.map((row) => [row.messageId, row]))
}

export async function rememberAutomatic(
  tx: Tx,
  conversations: { tenantId: string; id: string; automaticAt: Date; automaticStreak: number }[],
): Promise<void> {
  await updateAutomatic(tx, conversations)
}
