// A webhook is processed again as a whole, whoever asked for it. A place that was dead and now went through has nothing
// left to decide: its letter closes by itself, so that what is open is what is dead. The same for a message of which
// Meta's statuses tell that it was sent.
import { sql, type Tx } from '../db/connect.ts'
import { gatewayActor as actor, settle } from './decision.ts'
import { lockOpenLetters, selectOpenIdsOfMessages } from './decision-queries.ts'

export interface LetterPlace {
  eventId: string
  itemPath: string
}

const reason = 'it went through when its webhook was processed again'

/** The caller holds the events, so letters are locked after their events here too. */
export async function resolveLetters(tx: Tx, places: LetterPlace[], now: Date): Promise<void> {
  if (places.length === 0) return
  const rows = await tx.query(sql<{ id: string }>`
    select d.id
    from unnest(
      ${places.map((place) => place.eventId)}::uuid[],
      ${places.map((place) => place.itemPath)}::text[]) as place (event_id, item_path)
    join dead_letters d using (event_id, item_path)
    where d.state = 'open'`)
  if (rows.length === 0) return
  const ids = rows.map((row) => row.id)
  const letters = await lockOpenLetters(tx, null, ids)
  await settle(tx, 'requeued', letters, { scope: null, actor, reason, at: now })
}

const proof = 'Meta reported that it has the message'

/** The caller holds the messages, so letters are locked after them here too. */
export async function resolveSentLetters(
  tx: Tx,
  messages: { tenantId: string; messageId: string }[],
  now: Date,
): Promise<void> {
  if (messages.length === 0) return
  const ids = await selectOpenIdsOfMessages(tx, messages)
  if (ids.length === 0) return
  const letters = await lockOpenLetters(tx, null, ids)
  await settle(tx, 'resolved', letters, { scope: null, actor, reason: proof, at: now })
}
