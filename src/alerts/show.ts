// Rows as the API shows them: of a target no more than a hint.
import { publicId } from '../ids.ts'
import type { ChannelRow } from './channel-queries.ts'
import type { AlertRow } from './state-queries.ts'

const timeOf = (at: Date | null) => at?.toISOString() ?? null

export function showChannel(row: ChannelRow) {
  return {
    id: publicId('ach', row.id),
    kind: row.kind,
    description: row.description,
    target: row.hint,
    origin: row.target === null ? ('environment' as const) : ('api' as const),
    failing_since: timeOf(row.failing_since),
    last_error: row.last_error,
    last_success_at: timeOf(row.last_success_at),
    created_at: row.created_at.toISOString(),
  }
}

export function showAlert(row: AlertRow) {
  return {
    ...row,
    id: publicId('alt', row.id),
    subject: row.subject || null,
    since: row.since.toISOString(),
    fired_at: row.fired_at.toISOString(),
    resolved_at: timeOf(row.resolved_at),
  }
}
