import { sql, type Tx } from '../db/connect.ts'

export interface AnswerPlace {
  messageId: string
  conversationId: string
  automaticAt: Date | null
  automaticStreak: number
  contactId: string
  waId: string | null
  userId: string | null
  name: string | null
  kind: 'person' | 'group'
  isSuppressed: boolean
  /** It quotes a reply that we made by ourselves. */
  answersAutomatic: boolean
  /** It was written from a number of this gateway, whosever: told to nobody, only never answered. */
  isConnectedHere: boolean
}

export async function selectAnswerPlaces(
  tx: Tx,
  messages: { tenantId: string; id: string }[],
): Promise<AnswerPlace[]> {
  return tx.query(sql<AnswerPlace>`
    select m.id as "messageId", c.id as "conversationId", c.automatic_at as "automaticAt",
      c.automatic_streak as "automaticStreak", p.id as "contactId", p.wa_id as "waId", p.user_id as "userId", p.name,
      p.kind, exists (
        select
        from whatsapp_suppressions s
        where s.tenant_id = c.tenant_id and s.phone_number_id = c.phone_number_id and s.contact_id = c.contact_id
          and s.scope = 'everything' and s.is_active) as "isSuppressed", exists (
        select
        from whatsapp_messages quoted
        where quoted.tenant_id = m.tenant_id and quoted.wamid = m.reply_to_wamid and quoted.automatic)
        as "answersAutomatic", exists (
        select
        from whatsapp_accounts a
        where regexp_replace(a.display_phone_number, '[^0-9]', '', 'g') = p.wa_id) as "isConnectedHere"
    from unnest(
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.id)}::uuid[]) as wanted (tenant_id, id)
    join whatsapp_messages m using (tenant_id, id)
    join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id`)
}

export async function updateAutomatic(
  tx: Tx,
  conversations: { tenantId: string; id: string; automaticAt: Date; automaticStreak: number }[],
): Promise<void> {
  await tx.query(sql`
    update whatsapp_conversations c
    set automatic_at = answered.at, automatic_streak = answered.streak
    from unnest(
      ${conversations.map((one) => one.tenantId)}::uuid[],
      ${conversations.map((one) => one.id)}::uuid[],
      ${conversations.map((one) => one.automaticAt)}::timestamptz[],
      ${conversations.map((one) => one.automaticStreak)}::int[]) as answered (tenant_id, id, at, streak)
    where c.tenant_id = answered.tenant_id and c.id = answered.id`)
}
