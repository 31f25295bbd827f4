// Very many conversations at once, put straight into the database.
import { type Db, sql } from '../../src/db/connect.ts'

interface ManyConversations {
  tenantId: string
  phoneNumberId: string
  count: number
  /** Of every so many one is closed, one is nobody's, one is unread. */
  oneIn?: number
  assignedTo?: string | null
}

/** Named `Customer 1`, `Customer 2` …; the first wrote last, and each a minute before the one before. */
export async function seedConversations(
  db: Db,
  { tenantId, phoneNumberId, count, oneIn = 1_000, assignedTo = null }: ManyConversations,
): Promise<void> {
  await db.query(sql`
    insert into whatsapp_contacts (id, tenant_id, wa_id, name, created_at, updated_at)
    select gen_random_uuid(), ${tenantId}, (15600000000 + n)::text, 'Customer ' || n, now(), now()
    from generate_series(1, ${count}::int) as n`)
  await db.query(sql`
    insert into whatsapp_conversations
      (id, tenant_id, phone_number_id, contact_id, contact_wa_id, contact_name, status, last_message_at, last_inbound_at,
       unread_count, assigned_user_id, created_at, updated_at)
    select gen_random_uuid(), tenant_id, ${phoneNumberId}, id, wa_id, name,
      case when n % ${oneIn}::int = 1 then 'closed' else 'open' end, now() - n * interval '1 minute',
      now() - n * interval '1 minute', case when n % ${oneIn}::int = 3 then 2 else 0 end,
      case when n % ${oneIn}::int <> 2 then ${assignedTo}::uuid end, now(), now()
    from (select *, (wa_id::bigint - 15600000000)::int as n from whatsapp_contacts
      where tenant_id = ${tenantId} and wa_id like '156%') as p`)
  await db.query(sql`
    insert into whatsapp_messages
      (id, tenant_id, phone_number_id, conversation_id, direction, type, wamid, status, content, occurred_at, created_at,
       correlation_id)
    select gen_random_uuid(), tenant_id, phone_number_id, id, 'inbound', 'text', 'wamid.' || contact_wa_id, 'received',
      jsonb_build_object('text', jsonb_build_object('body', 'Question of ' || contact_name)), last_message_at,
      last_message_at, gen_random_uuid()
    from whatsapp_conversations
    where tenant_id = ${tenantId} and contact_wa_id like '156%'`)
  await db.query(sql`analyze whatsapp_contacts, whatsapp_conversations, whatsapp_messages`)
}
