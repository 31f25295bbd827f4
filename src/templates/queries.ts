// The mirror's rows: reading them, and writing what somebody told of them.
import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { MetaTemplate } from '../meta/graph-templates.ts'
import type { JsonObject } from '../meta/json.ts'
import type { TemplateRow } from './model.ts'

export interface TemplateFilter {
  /** Null: of all. */
  wabaIds: string[] | null
  name: string | null
  language: string | null
  status: string | null
  category: string | null
  /** Those that Meta no longer lists, instead of the others. */
  isGone: boolean
}

/** Of accounts that are connected; the latest first. */
export async function selectTemplates(
  tx: Tx,
  tenantId: string,
  filter: TemplateFilter,
  after: Cursor | null,
  limit: number,
): Promise<TemplateRow[]> {
  return tx.query(sql<TemplateRow>`
    select id, waba_id, name, language, meta_id, status, status_at, rejection_reason, status_detail, category,
      next_category, next_category_at, quality, parameter_format, components, message_send_ttl_seconds, edited_at,
      synced_at, gone_at, created_at, updated_at
    from whatsapp_templates t
    where tenant_id = ${tenantId}
      and (${filter.wabaIds}::text[] is null or waba_id = any(${filter.wabaIds}::text[]))
      and (${filter.name}::text is null or name = ${filter.name})
      and (${filter.language}::text is null or language = ${filter.language})
      and (${filter.status}::text is null or status = ${filter.status})
      and (${filter.category}::text is null or category = ${filter.category})
      and (gone_at is not null) = ${filter.isGone}
      and exists (
        select
        from whatsapp_accounts a
        where a.tenant_id = t.tenant_id and a.waba_id = t.waba_id)
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

export async function selectTemplate(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  const [row] = await tx.query(sql<TemplateRow>`
    select id, waba_id, name, language, meta_id, status, status_at, rejection_reason, status_detail, category,
      next_category, next_category_at, quality, parameter_format, components, message_send_ttl_seconds, edited_at,
      synced_at, gone_at, created_at, updated_at
    from whatsapp_templates t
    where tenant_id = ${tenantId} and id = ${id}
      and exists (
        select
        from whatsapp_accounts a
        where a.tenant_id = t.tenant_id and a.waba_id = t.waba_id)`)
  return row
}

/** One that Meta has, and the moment by Meta's clock as of which it has it like this. */
export interface SeenTemplate extends MetaTemplate {
  id: string
  at: Date
  /** Null for a listing; else the latest moment at which this proves it to be there. */
  toldAt: Date | null
}

/**
 * What Meta has, as a listing or a reading tells it. Each facet yields to what is known from later. Under another of
 * Meta's ids it is another template of the same name: nothing of the old one counts any more.
 */
export async function upsertSeen(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  seen: SeenTemplate[],
  by: { syncAttempt: string | null; now: Date },
): Promise<{ added: number }> {
  if (seen.length === 0) return { added: 0 }
  const rows = await tx.query(sql<{ added: boolean }>`
    insert into whatsapp_templates as t
      (id, tenant_id, waba_id, name, language, meta_id, status, status_at, rejection_reason, category, category_at,
       quality, quality_at, parameter_format, components, components_at, message_send_ttl_seconds, told_at, seen_in,
       synced_at, created_at, updated_at)
    select id, ${tenantId}, ${wabaId}, name, language, meta_id, status, at, rejection_reason, category, at,
      quality, at, parameter_format, components, at, ttl, coalesce(told_at, 'epoch'), ${by.syncAttempt}::bigint, at, ${by.now}, ${by.now}
    from unnest(
      ${seen.map((one) => one.id)}::uuid[],
      ${seen.map((one) => one.name)}::text[],
      ${seen.map((one) => one.language)}::text[],
      ${seen.map((one) => one.metaId)}::text[],
      ${seen.map((one) => one.status)}::text[],
      ${seen.map((one) => one.rejectionReason)}::text[],
      ${seen.map((one) => one.category)}::text[],
      ${seen.map((one) => one.quality)}::text[],
      ${seen.map((one) => one.parameterFormat)}::text[],
      ${seen.map((one) => JSON.stringify(one.components))}::jsonb[],
      ${seen.map((one) => one.ttlSeconds)}::int[],
      ${seen.map((one) => one.at)}::timestamptz[],
      ${seen.map((one) => one.toldAt)}::timestamptz[])
      as one (id, name, language, meta_id, status, rejection_reason, category, quality, parameter_format, components,
        ttl, at, told_at)
    order by name, language
    on conflict (tenant_id, waba_id, name, language) do update
    set (meta_id, edited_at, status, status_at, rejection_reason, status_detail, category, category_at,
        next_category, next_category_at, quality, quality_at, parameter_format, components, components_at,
        message_send_ttl_seconds, gone_at) = (
      select excluded.meta_id,
        case when known.is_same then t.edited_at else '{}' end,
        case when is_status then excluded.status else t.status end,
        case when is_status then excluded.status_at else t.status_at end,
        case when is_status then excluded.rejection_reason else t.rejection_reason end,
        case when is_status and excluded.status <> t.status then null else t.status_detail end,
        case when is_category then coalesce(excluded.category, t.category) else t.category end,
        case when is_category then excluded.category_at else t.category_at end,
        case when is_category and excluded.category = t.next_category then null else t.next_category end,
        case when is_category and excluded.category = t.next_category then null else t.next_category_at end,
        case when is_quality then coalesce(excluded.quality, t.quality) else t.quality end,
        case when is_quality then excluded.quality_at else t.quality_at end,
        case when is_content then excluded.parameter_format else t.parameter_format end,
        case when is_content then excluded.components else t.components end,
        case when is_content then excluded.components_at else t.components_at end,
        case when is_content then excluded.message_send_ttl_seconds else t.message_send_ttl_seconds end,
        -- Deleted after this listing was asked for: it is only not gone from the listing yet.
        case when known.is_same and t.gone_at > excluded.status_at then t.gone_at end
      from (
        select t.meta_id is null or t.meta_id = excluded.meta_id as is_same
      ) as known,
      lateral (
        select
          not known.is_same or t.status_at <= excluded.status_at as is_status,
          not known.is_same or t.category_at <= excluded.category_at as is_category,
          not known.is_same or t.quality_at <= excluded.quality_at as is_quality,
          not known.is_same or t.components is null or t.components_at <= excluded.components_at as is_content
      ) as later),
      told_at = greatest(t.told_at, excluded.told_at),
      seen_in = coalesce(excluded.seen_in, t.seen_in),
      synced_at = greatest(t.synced_at, excluded.synced_at),
      updated_at = excluded.updated_at
    returning t.xmax = 0 as added`)
  return { added: rows.filter(({ added }) => added).length }
}

/** A webhook's word on one template; what it does not tell is null. */
export interface ToldTemplate {
  id: string
  tenantId: string
  wabaId: string
  name: string
  language: string
  metaId: string | null
  at: Date
  status: string | null
  rejectionReason: string | null
  statusDetail: string | null
  category: string | null
  quality: string | null
  /** Whether it says what the category will become; with null, that nothing is announced any more. */
  tellsNext: boolean
  nextCategory: string | null
  nextCategoryAt: Date | null
}

/** One at a time, in the order they are given: two webhooks of one batch may be about the same template. */
export async function upsertTold(tx: Tx, one: ToldTemplate, now: Date): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_templates as t
      (id, tenant_id, waba_id, name, language, meta_id, status, status_at, rejection_reason, status_detail, category,
       category_at, next_category, next_category_at, quality, quality_at, components_at, told_at, gone_at, created_at,
       updated_at)
    values (${one.id}, ${one.tenantId}, ${one.wabaId}, ${one.name}, ${one.language}, ${one.metaId},
      -- Not told: not known, and therefore Meta's to judge.
      coalesce(${one.status}, 'UNKNOWN'), case when ${one.status}::text is null then 'epoch' else ${one.at}::timestamptz end,
      ${one.rejectionReason}, ${one.statusDetail}, ${one.category},
      case when ${one.category}::text is null then 'epoch' else ${one.at}::timestamptz end,
      ${one.nextCategory}, ${one.nextCategoryAt}, ${one.quality},
      case when ${one.quality}::text is null then 'epoch' else ${one.at}::timestamptz end, 'epoch', ${one.at},
      case when ${one.status} = 'DELETED' then ${one.at}::timestamptz end, ${now}, ${now})
    on conflict (tenant_id, waba_id, name, language) do update
    set meta_id = coalesce(t.meta_id, excluded.meta_id),
      (status, status_at, rejection_reason, status_detail, gone_at) = (
        select
          case when is_later then excluded.status else t.status end,
          case when is_later then excluded.status_at else t.status_at end,
          case when is_later then excluded.rejection_reason else t.rejection_reason end,
          case when is_later then excluded.status_detail else t.status_detail end,
          case when not is_later then t.gone_at
            when excluded.status in ('DELETED', 'PENDING_DELETION') then coalesce(excluded.gone_at, t.gone_at) end
        from (
          select ${one.status}::text is not null and t.status_at <= excluded.status_at as is_later
        ) as known),
      (category, category_at, next_category, next_category_at) = (
        select
          case when is_later then coalesce(excluded.category, t.category) else t.category end,
          case when is_later then greatest(t.category_at, excluded.category_at) else t.category_at end,
          case when is_later and ${one.tellsNext} then excluded.next_category else t.next_category end,
          case when is_later and ${one.tellsNext} then excluded.next_category_at else t.next_category_at end
        from (
          select (${one.category}::text is not null or ${one.tellsNext}) and t.category_at <= ${one.at} as is_later
        ) as known),
      (quality, quality_at) = (
        select
          case when is_later then excluded.quality else t.quality end,
          case when is_later then excluded.quality_at else t.quality_at end
        from (
          select ${one.quality}::text is not null and t.quality_at <= excluded.quality_at as is_later
        ) as known),
      told_at = greatest(t.told_at, excluded.told_at),
      updated_at = excluded.updated_at`)
}

/** The content of one that a webhook changes; undefined when the mirror has none, or a later one. */
export async function holdContent(
  tx: Tx,
  { tenantId, wabaId, name, language, at }: Omit<ToldTemplate, 'id'>,
): Promise<{ id: string; components: JsonObject[] } | undefined> {
  const [row] = await tx.query(sql<{ id: string; components: JsonObject[] }>`
    select id, components
    from whatsapp_templates
    where tenant_id = ${tenantId} and waba_id = ${wabaId} and name = ${name} and language = ${language}
      and components is not null and components_at <= ${at}
    for update`)
  return row
}

export async function updateContent(
  tx: Tx,
  tenantId: string,
  id: string,
  components: JsonObject[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_templates
    set components = ${JSON.stringify(components)}::jsonb, components_at = ${at}
    where tenant_id = ${tenantId} and id = ${id}`)
}

export async function addEdit(tx: Tx, tenantId: string, id: string, at: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_templates
    set edited_at = edited_at[greatest(1, cardinality(edited_at) - 29):] || ${at}::timestamptz
    where tenant_id = ${tenantId} and id = ${id}`)
}

/** Deleted by us: one, or all languages of its name. Returns those. */
export async function markDeleted(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  name: string,
  language: string | null,
  at: Date,
  now: Date,
): Promise<{ id: string; language: string }[]> {
  return tx.query(sql<{ id: string; language: string }>`
    update whatsapp_templates
    set status = 'PENDING_DELETION', status_at = greatest(status_at, ${at}), status_detail = null,
      gone_at = coalesce(gone_at, ${at}), updated_at = ${now}
    where tenant_id = ${tenantId} and waba_id = ${wabaId} and name = ${name}
      and case when ${language}::text is null then gone_at is null else language = ${language} end
    returning id, language`)
}

/** What a complete listing did not have, unless something told of it after the listing was asked for. */
export async function markGone(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  sync: { attempt: string; startedAt: Date; now: Date },
): Promise<number> {
  const rows = await tx.query(sql`
    update whatsapp_templates
    set gone_at = ${sync.startedAt}, updated_at = ${sync.now}
    where tenant_id = ${tenantId} and waba_id = ${wabaId} and gone_at is null
      and seen_in is distinct from ${sync.attempt}::bigint and told_at < ${sync.startedAt}
    returning id`)
  return rows.length
}
