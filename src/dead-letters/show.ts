import { publicId } from '../ids.ts'
import type { LetterRow } from './queries.ts'

export function showLetter(row: LetterRow) {
  return {
    id: publicId('dlq', row.id),
    tenant_id: row.tenant_id,
    kind: row.kind,
    state: row.state,
    error_code: row.error_code,
    error_message: row.error_message,
    item_path: row.item_path,
    phone_number_id: row.phone_number_id,
    waba_id: row.waba_id,
    message_id: row.message_id === null ? null : publicId('msg', row.message_id),
    attempts: row.attempts,
    may_arrive_twice: row.may_arrive_twice,
    correlation_id: row.correlation_id,
    raw_bytes: row.raw_bytes,
    created_at: row.created_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
    decision_reason: row.decision_reason,
  }
}
