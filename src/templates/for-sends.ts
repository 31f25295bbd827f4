// What the mirror knows of the templates that messages name, for those who send.
import { sql, type Tx } from '../db/connect.ts'
import type { JsonObject } from '../meta/json.ts'
import { contentOf, type ParameterFormat } from './model.ts'
import type { MirrorEntry } from './sendable.ts'

export interface TemplateAsked {
  tenantId: string
  /** Null: the tenant's only one. */
  phoneNumberId: string | null
  name: string
  language: string
}

export interface FoundTemplate extends MirrorEntry {
  /** Which of the questions this answers. */
  asked: number
}

interface FoundRow {
  asked: number
  waba_id: string
  synced_at: Date | null
  status: string | null
  is_gone: boolean
  parameter_format: ParameterFormat | null
  components: JsonObject[] | null
}

/** One for each number that it could go out from; none for a number that is not the tenant's. */
export async function findTemplates(tx: Tx, asked: TemplateAsked[]): Promise<FoundTemplate[]> {
  if (asked.length === 0) return []
  const rows = await tx.query(sql<FoundRow>`
    select (wanted.place - 1)::int as asked, a.waba_id, s.synced_at, t.status, t.gone_at is not null as is_gone,
      t.parameter_format, t.components
    from unnest(
      ${asked.map((one) => one.tenantId)}::uuid[],
      ${asked.map((one) => one.phoneNumberId)}::text[],
      ${asked.map((one) => one.name)}::text[],
      ${asked.map((one) => one.language)}::text[])
      with ordinality as wanted (tenant_id, phone_number_id, name, language, place)
    cross join lateral (
      select waba_id
      from whatsapp_accounts
      where tenant_id = wanted.tenant_id
        and (wanted.phone_number_id is null or phone_number_id = wanted.phone_number_id)
      order by phone_number_id
      limit 2
    ) as a
    left join whatsapp_template_syncs s on s.tenant_id = wanted.tenant_id and s.waba_id = a.waba_id
    left join whatsapp_templates t on t.tenant_id = wanted.tenant_id and t.waba_id = a.waba_id
      and t.name = wanted.name and t.language = wanted.language`)
  return rows.map((row) => ({
    asked: row.asked,
    wabaId: row.waba_id,
    syncedAt: row.synced_at,
    template:
      row.status === null
        ? undefined
        : { status: row.status, isGone: row.is_gone, content: contentOf(row) },
  }))
}
