import { publicId } from '../ids.ts'
import type { LetterRow } from './queries.ts'
import { reasonOf } from './reasons.ts'

export function showLetter(row: LetterRow) {
  return {
    id: publicId('dlq', row.id),
    tenant_id: row.tenant_id,
    kind: row.kind,
    state: row.state,
    reason: reasonOf(row.kind, row.error_code),
    error_code: row.error_code,
    provider_code: row.provider_code,
    error_message: row.error_message,
    item_path: row.item_path,
    phone_number_id: row.phone_number_id,
    waba_id: row.waba_id,
    message_id: row.message_id === null ? null : publicId('msg', row.message_id),
    message_type: row.message_type,
    conversation_id: row.conversation_id === null ? null : publicId('conv', row.conversation_id),
    contact: row.contact,
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
