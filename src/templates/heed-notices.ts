// What Meta's webhooks say about templates → the mirror, at once: a pause stops sends, another category changes what may
// be sent to whom. Believed as of Meta's time, and checked by a sync soon after, because webhooks can be lost or reordered
// within a second.
import type { Tx } from '../db/connect.ts'
import type { JsonObject } from '../meta/json.ts'
import {
  isTemplateField,
  readTemplateNotice,
  type TemplateNews,
  type TemplateTexts,
} from '../meta/template-notices.ts'
import type { Random } from '../time-and-chance.ts'
import { upper } from './parameters.ts'
import { holdContent, type ToldTemplate, updateContent, upsertTold } from './queries.ts'
import { bringSyncForward } from './sync-queries.ts'

/** As inbox records them. */
export interface TemplateNotice {
  tenantId: string
  wabaId: string | null
  field: string
  content: JsonObject
  occurredAt: Date
}

/** Soon, but not once for every webhook of a burst. */
const checkAfterMs = 10 * 60 * 1000

interface Told {
  row: ToldTemplate
  texts: TemplateTexts | undefined
}

export async function heedTemplateNotices(
  tx: Tx,
  notices: TemplateNotice[],
  random: Random,
  now: Date,
): Promise<void> {
  const told = notices
    .filter(({ field }) => isTemplateField(field))
    .flatMap((notice) => toldIn(notice, random) ?? [])
    .sort((a, b) => compareKeys(keyOf(a.row), keyOf(b.row)))
  // First all the accounts, then all the templates, each in one order: others take them in the same.
  const accounts = new Map(told.map(({ row }) => [JSON.stringify([row.tenantId, row.wabaId]), row]))
  for (const { tenantId, wabaId } of accounts.values()) {
    await bringSyncForward(tx, tenantId, wabaId, new Date(now.getTime() + checkAfterMs), now)
  }
  for (const { row, texts } of told) {
    await upsertTold(tx, row, now)
    if (texts) await applyTexts(tx, row, texts)
  }
}

function toldIn({ tenantId, wabaId, content, occurredAt }: TemplateNotice, random: Random) {
  const news = readTemplateNotice(content)
  if (!news || wabaId === null) return undefined
  const { name, language, metaId, texts } = news
  const row: ToldTemplate = {
    id: random.uuid(),
    tenantId,
    wabaId,
    name,
    language,
    metaId,
    at: endOfSecond(occurredAt),
    ...statusOf(news),
    category: news.category ?? null,
    quality: news.quality ?? null,
    tellsNext: news.nextCategory !== undefined,
    nextCategory: news.nextCategory?.category ?? null,
    nextCategoryAt: news.nextCategory?.at ?? null,
  }
  return { row, texts } satisfies Told
}

function statusOf({ status, rejectionReason, statusDetail }: TemplateNews) {
  return {
    status: status ?? null,
    rejectionReason: rejectionReason ?? null,
    statusDetail: statusDetail ?? null,
  }
}

/** Meta writes whole seconds: it happened at some time in this one, after anything that was only known at its beginning. */
function endOfSecond(at: Date): Date {
  const ms = at.getTime()
  return ms % 1000 === 0 ? new Date(ms + 999) : at
}

/** By account, then template, then time: what is told later is applied later. */
function keyOf({ tenantId, wabaId, name, language, at }: ToldTemplate): string[] {
  return [tenantId, wabaId, name, language, at.toISOString()]
}

function compareKeys(a: string[], b: string[]): number {
  const place = a.findIndex((part, index) => part !== b[index])
  return place === -1 ? 0 : (a[place] ?? '') < (b[place] ?? '') ? -1 : 1
}

async function applyTexts(tx: Tx, row: ToldTemplate, texts: TemplateTexts): Promise<void> {
  const held = await holdContent(tx, row)
  if (!held) return
  await updateContent(tx, row.tenantId, held.id, withTexts(held.components, texts), row.at)
}

/** What the webhook does not tell (samples, the kind of a header) stays; the sync brings the whole. */
export function withTexts(components: JsonObject[], texts: TemplateTexts): JsonObject[] {
  const { header, body, footer, buttons } = texts
  const changed = components.map((part): JsonObject => {
    switch (upper(part.type)) {
      case 'HEADER':
        return header !== null && upper(part.format) === 'TEXT' ? { ...part, text: header } : part
      case 'BODY':
        return body === null ? part : { ...part, text: body }
      case 'FOOTER':
        return footer === null ? part : { ...part, text: footer }
      case 'BUTTONS':
        return buttons === null ? part : { ...part, buttons: withButtons(part.buttons, buttons) }
      default:
        return part
    }
  })
  const has = (type: string) => changed.some((part) => upper(part.type) === type)
  return [
    ...(header !== null && !has('HEADER')
      ? [{ type: 'HEADER', format: 'TEXT', text: header }]
      : []),
    ...changed,
    ...(footer !== null && !has('FOOTER') ? [{ type: 'FOOTER', text: footer }] : []),
    ...(buttons !== null && buttons.length > 0 && !has('BUTTONS')
      ? [{ type: 'BUTTONS', buttons }]
      : []),
  ]
}

function withButtons(before: unknown, told: JsonObject[]): JsonObject[] {
  const known: unknown[] = Array.isArray(before) ? before : []
  return told.map((button, index) => ({ ...(known[index] as JsonObject | undefined), ...button }))
}
