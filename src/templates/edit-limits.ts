// Meta's limits on editing a template, told before and after it refuses.
import { AppError } from '../errors.ts'
import type { TemplateRow } from './model.ts'
import { notEditable, type TemplateFailure } from './refusals.ts'

const dayMs = 24 * 60 * 60 * 1000
const perDay = 1
const perMonth = 10
const monthMs = 30 * dayMs

const closed: Record<string, string> = {
  PENDING: 'Meta is reviewing it: wait for its decision.',
  IN_APPEAL: 'Meta is looking at it again: wait for its decision.',
  DISABLED: 'Meta has disabled it for good: make another one.',
  PENDING_DELETION: 'It is being deleted.',
  DELETED: 'It was deleted.',
}

/** What Meta is sure to refuse, as far as the mirror knows. */
export function refuseEdit(row: TemplateRow, category: string | undefined): void {
  const why = row.gone_at === null ? closed[row.status] : closed.DELETED
  if (why !== undefined) throw refusal(row, why)
  if (row.status === 'APPROVED' && category !== undefined && category !== row.category) {
    throw refusal(row, 'The category of an approved template cannot be changed: make another one.')
  }
}

function refusal(row: TemplateRow, why: string): AppError {
  return new AppError(notEditable.code, notEditable.status, why, {
    details: { template_status: row.status },
  })
}

/** Meta says no more than that it was too often; which edits were ours, and when they no longer count, we know. */
export function explainEdits(
  failure: TemplateFailure,
  { edited_at, status }: TemplateRow,
  now: Date,
): TemplateFailure {
  const { error } = failure
  if (error.code !== notEditable.code) return failure
  const since = (ms: number) => edited_at.filter((at) => now.getTime() - at.getTime() < ms)
  const [today, month] = [since(dayMs), since(monthMs)]
  const ends = [
    ...(today.length >= perDay ? [endOf(today, perDay, dayMs)] : []),
    ...(month.length >= perMonth ? [endOf(month, perMonth, monthMs)] : []),
  ]
  const details = {
    ...error.details,
    template_status: status,
    edits_in_24_hours: today.length,
    edits_in_30_days: month.length,
    editable_again_at: ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString(),
  }
  return { ...failure, error: new AppError(error.code, error.status, error.message, { details }) }
}

/** When so many of them are out of the span that one more fits in. */
function endOf(edits: Date[], limit: number, spanMs: number): number {
  const sorted = edits.map((at) => at.getTime()).sort((a, b) => a - b)
  return (sorted[sorted.length - limit] ?? 0) + spanMs
}
