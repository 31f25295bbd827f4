// Endpoints and deliveries as pages, for the API and the command line.
import { decodeCursor, pageOf } from '../api/paging.ts'
import type { Tx } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import { selectAttempts, selectDeliveries, selectEndpoints } from './endpoint-queries.ts'
import { findEndpoint } from './manage.ts'
import { showAttempts, showDelivery, showEndpoint } from './show.ts'

export interface PageWish {
  limit: number
  after?: string | undefined
}

export async function listEndpoints(tx: Tx, tenantId: string, { limit, after }: PageWish) {
  const rows = await selectEndpoints(tx, tenantId, {
    after: decodeCursor(after),
    limit: limit + 1,
  })
  return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }), showEndpoint)
}

export async function listDeliveries(
  tx: Tx,
  tenantId: string,
  publicEndpointId: string,
  { limit, after, status }: PageWish & { status?: string | undefined },
) {
  const { id } = await findEndpoint(tx, tenantId, publicEndpointId)
  const rows = await selectDeliveries(tx, tenantId, id, {
    status,
    after: decodeCursor(after),
    limit: limit + 1,
  })
  return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.event_id }), showDelivery)
}

export async function inspectDelivery(
  tx: Tx,
  tenantId: string,
  publicEndpointId: string,
  publicEventId: string,
) {
  const { id } = await findEndpoint(tx, tenantId, publicEndpointId)
  const eventId = uuidOf('evt', publicEventId)
  const [row] =
    eventId === undefined ? [] : await selectDeliveries(tx, tenantId, id, { eventId, limit: 1 })
  if (!row) throw notFound('EVENT_DELIVERY_NOT_FOUND', 'delivery')
  return showAttempts(tenantId, row, await selectAttempts(tx, tenantId, row.id))
}
