// Endpoints that are given up: after days of failure, or on their own word (410). What waits for them is kept.
import { sql, type Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { holdDeliveries } from './queue-queries.ts'
import { recordEvent } from './record.ts'

/** By `tenant endpoint`. Returns those that were active until now. The caller holds the tenants' locks. */
export async function disableEndpoints(
  tx: Tx,
  doomed: Map<string, 'FAILING' | 'GONE'>,
  now: Date,
): Promise<Map<string, 'FAILING' | 'GONE'>> {
  const disabled = new Map<string, 'FAILING' | 'GONE'>()
  for (const [key, reason] of doomed) {
    const [tenantId = '', endpointId = ''] = key.split(' ')
    const rows = await tx.query(sql`
      update event_endpoints
      set status = 'disabled', disabled_reason = ${reason}, disabled_at = ${now}, updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${endpointId} and status = 'active'
      returning id`)
    if (rows.length === 0) continue
    await holdDeliveries(tx, tenantId, endpointId, 'paused')
    // For the tenant's other endpoints, and the stream.
    await recordEvent(tx, {
      tenantId,
      type: 'event_endpoint.disabled',
      lane: endpointId,
      data: { event_endpoint_id: publicId('ep', endpointId), reason },
    })
    disabled.set(key, reason)
  }
  return disabled
}
