// What applications were told of a message or a delivery.
import { sql, type Tx } from '../db/connect.ts'

export interface CallFacts {
  endpoint_id: string
  told_id: string
  type: string
  started_at: Date
  finished_at: Date | null
  status_code: number | null
  error_code: string | null
}

/** Every call to an endpoint about these stories; of only these messages, where some are named. */
export async function selectCallsAbout(
  db: Tx,
  correlationIds: string[],
  messageIds: string[] | null,
): Promise<CallFacts[]> {
  return db.query(sql<CallFacts>`
    select d.endpoint_id, e.id as told_id, e.type, a.started_at, a.finished_at,
      a.status_code, a.error_code
    from events e
    join event_deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id
    join event_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
    where e.correlation_id = any(${correlationIds}::uuid[])
      and (${messageIds}::text[] is null or e.data->>'message_id' = any(${messageIds}::text[]))
    order by a.started_at
    limit 1000`)
}
