// The nouns of templates.
import type { JsonObject } from '../meta/json.ts'

export type ParameterFormat = 'POSITIONAL' | 'NAMED'

/** What a template says, apart from what Meta thinks of it. */
export interface TemplateContent {
  parameterFormat: ParameterFormat
  components: JsonObject[]
}

export interface TemplateRow {
  id: string
  waba_id: string
  name: string
  language: string
  meta_id: string | null
  status: string
  status_at: Date
  rejection_reason: string | null
  status_detail: string | null
  category: string | null
  next_category: string | null
  next_category_at: Date | null
  quality: string | null
  parameter_format: ParameterFormat | null
  /** Null when only a webhook has told of it. */
  components: JsonObject[] | null
  message_send_ttl_seconds: number | null
  edited_at: Date[]
  synced_at: Date | null
  gone_at: Date | null
  created_at: Date
  updated_at: Date
}

export interface Problem {
  /** As in the request: `components.1.text`. */
  path: (string | number)[]
  problem: string
}

/** Undefined as long as only a webhook has told of it. */
export function contentOf(
  row: Pick<TemplateRow, 'components' | 'parameter_format'>,
): TemplateContent | undefined {
  if (row.components === null) return undefined
  return { parameterFormat: row.parameter_format ?? 'POSITIONAL', components: row.components }
}
