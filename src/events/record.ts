// Events that no trigger of migrations/0013_events.sql records. In the transaction of their cause, like those.
import { sql, type Tx } from '../db/connect.ts'

export interface NewEvent {
  tenantId: string
  type: string
  /** Whose turn it is: events of one lane are delivered one after the other. */
  lane: string
  data: Record<string, unknown>
  phoneNumberId?: string
  /** For this endpoint alone, whatever it subscribed to. */
  onlyEndpoint?: string
}

/** Returns its id. */
export async function recordEvent(tx: Tx, event: NewEvent): Promise<string> {
  const [row] = await tx.query(sql<{ id: string }>`
    insert into events (tenant_id, type, lane, phone_number_id, data, only_endpoint)
    values (${event.tenantId}, ${event.type}, ${event.lane}, ${event.phoneNumberId ?? null},
      ${JSON.stringify(event.data)}::jsonb, ${event.onlyEndpoint ?? null})
    returning id`)
  if (!row) throw new Error('bug: an insert without its row')
  return row.id
}
