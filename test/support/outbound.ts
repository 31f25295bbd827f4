// Outbound messages as the sender leaves them, written straight into the tables.
import { randomUUID } from 'node:crypto'
import { type Db, sql } from '../../src/db/connect.ts'

export async function insertTenant(db: Db): Promise<string> {
  const id = randomUUID()
  await db.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    values (${id}, 'Firm', ${`firm-${id}`}, now(), now())`)
  return id
}

export interface Outbound {
  tenantId: string
  wamid: string | null
  status?: string
  direction?: 'inbound' | 'outbound'
}

/** Returns the message's id. */
export async function insertOutbound(db: Db, message: Outbound): Promise<string> {
  const id = randomUUID()
  await db.query(sql`
    insert into whatsapp_messages
      (id, tenant_id, phone_number_id, direction, type, wamid, status, content, occurred_at, created_at, correlation_id)
    values (${id}, ${message.tenantId}, '1', ${message.direction ?? 'outbound'}, 'text', ${message.wamid},
      ${message.status ?? 'queued'}, '{}', now(), now(), ${randomUUID()})`)
  return id
}
