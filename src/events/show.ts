// Rows as the API shows them.
import { publicId } from '../ids.ts'
import type { AttemptRow, DeliveryRow, EndpointRow } from './endpoint-queries.ts'
import { envelopeOf } from './envelope.ts'

const timeOf = (at: Date | null) => at?.toISOString() ?? null

export function showEndpoint(row: EndpointRow) {
  return {
    ...row,
    id: publicId('ep', row.id),
    responder_for: row.responder_for.map((id) => publicId('acc', id)),
    disabled_at: timeOf(row.disabled_at),
    old_secret_until: timeOf(row.old_secret_until),
    failing_since: timeOf(row.failing_since),
    last_success_at: timeOf(row.last_success_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function showDelivery(row: DeliveryRow) {
  return {
    event_id: publicId('evt', row.event_id),
    event_type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: row.status === 'pending' ? row.next_run_at.toISOString() : null,
    last_error: row.last_error,
    status_code: row.status_code,
    duration_ms: row.duration_ms,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function showAttempts(tenantId: string, row: DeliveryRow, attempts: AttemptRow[]) {
  const { event_id: id, event_type: type, data, event_at: createdAt } = row
  const event =
    type === null || data === null || createdAt === null
      ? null
      : { ...envelopeOf({ id, tenantId, type, data, createdAt }) }
  return {
    ...showDelivery(row),
    event,
    attempt_log: attempts.map((attempt) => ({
      ...attempt,
      started_at: attempt.started_at.toISOString(),
      finished_at: timeOf(attempt.finished_at),
    })),
  }
}
