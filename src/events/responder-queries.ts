import { sql, type Tx } from '../db/connect.ts'
import { uuidOf } from '../ids.ts'

export type Correspondent =
  | { to: string; recipient_type: 'individual' | 'group' }
  | { recipient: string }

/** Whoever the conversation of this message is with. */
export async function selectCorrespondent(
  db: Tx,
  tenantId: string,
  publicMessageId: string,
): Promise<Correspondent | undefined> {
  const [row] = await db.query(sql<{
    kind: string
    waId: string | null
    userId: string | null
  }>`
    select p.kind, p.wa_id as "waId", p.user_id as "userId"
    from whatsapp_messages m
    join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where m.tenant_id = ${tenantId} and m.id = ${uuidOf('msg', publicMessageId) ?? null}`)
  if (!row) return undefined
  if (row.waId !== null) {
    return { to: row.waId, recipient_type: row.kind === 'group' ? 'group' : 'individual' }
  }
  return row.userId === null ? undefined : { recipient: row.userId }
}

/** True the first time. */
export async function markReplied(
  tx: Tx,
  tenantId: string,
  eventId: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update events
    set replied_at = ${now}
    where tenant_id = ${tenantId} and id = ${eventId} and replied_at is null
    returning id`)
  return rows.length > 0
}
