// Templates and their syncs as the API shows them.
import { fieldName } from '../api/route.ts'
import { publicId } from '../ids.ts'
import type { Problem, TemplateContent, TemplateRow } from './model.ts'
import { parameterProblems } from './parameters.ts'
import { renderTemplate } from './preview.ts'
import { refusalOfStatus } from './sendable.ts'
import type { selectSyncs } from './sync-queries.ts'

export function showTemplate(row: TemplateRow) {
  return {
    id: publicId('tpl', row.id),
    waba_id: row.waba_id,
    meta_id: row.meta_id,
    name: row.name,
    language: row.language,
    category: row.category,
    next_category:
      row.next_category === null
        ? null
        : { category: row.next_category, at: iso(row.next_category_at) },
    status: row.status,
    status_detail: row.status_detail,
    rejection_reason: row.rejection_reason,
    is_sendable: !refusalOfStatus({ status: row.status, isGone: row.gone_at !== null }),
    quality: row.quality,
    parameter_format: row.parameter_format,
    components: row.components,
    message_send_ttl_seconds: row.message_send_ttl_seconds,
    synced_at: iso(row.synced_at),
    gone_at: iso(row.gone_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

export function showSync(row: Awaited<ReturnType<typeof selectSyncs>>[number], now: Date) {
  const isRunning = row.leased_until ? row.leased_until > now : false
  const state = isRunning ? 'running' : row.synced_at ? 'waiting' : 'never'
  return {
    waba_id: row.waba_id,
    state: state as 'running' | 'waiting' | 'never',
    templates: row.templates,
    synced_at: iso(row.synced_at ?? null),
    next_sync_at: iso(row.next_sync_at ?? null),
    access: row.auth_status === 'failed' ? ('denied' as const) : ('ok' as const),
    last_error:
      row.error_code && row.error_at
        ? {
            code: row.error_code,
            message: row.error_message ?? '',
            at: row.error_at.toISOString(),
          }
        : null,
  }
}

export function showPreview(content: TemplateContent, given: unknown, withExamples: boolean) {
  return {
    ...renderTemplate(content, given, { withExamples }),
    problems: parameterProblems(content, given).map(showProblem),
  }
}

function showProblem({ path, problem }: Problem) {
  return { field: fieldName(['components', ...path]), problem }
}

function iso(at: Date | null): string | null {
  return at === null ? null : at.toISOString()
}

const nameBlockMs = 30 * 24 * 60 * 60 * 1000

export function showDeletion({
  template,
  languages,
}: {
  template: TemplateRow
  languages: string[]
}) {
  return {
    id: publicId('tpl', template.id),
    name: template.name,
    languages,
    name_blocked_until:
      template.gone_at && new Date(template.gone_at.getTime() + nameBlockMs).toISOString(),
  }
}
