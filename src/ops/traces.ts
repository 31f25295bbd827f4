// Attempts at deliveries, the latest first; kept for TRACE_TTL_DAYS.
import type { Db } from '../db/connect.ts'
import { decodePlace, encodePlace } from './place.ts'
import { selectTraces, type TraceRow } from './trace-queries.ts'

export interface TracesQuery {
  inbound_event_id?: string | undefined
  correlation_id?: string | undefined
  limit: number
  after?: string | undefined
}

export async function listTraces(db: Db, query: TracesQuery) {
  const filter = {
    inboundEventId: query.inbound_event_id ?? null,
    correlationId: query.correlation_id ?? null,
  }
  const rows = await selectTraces(db, filter, decodePlace(query.after), query.limit + 1)
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  return {
    data: shown.map(showTrace),
    paging: {
      next:
        rows.length > query.limit && last
          ? encodePlace({ at: last.place, id: last.event_id, number: last.attempt })
          : null,
    },
  }
}

function showTrace({ place: _place, ...row }: TraceRow) {
  return {
    ...row,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}
