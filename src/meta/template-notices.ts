// What the webhooks about templates say, as values: pure, and lenient about what is missing.
import { maxLanguageLength, maxNameLength, nameIn, wordIn } from './graph-templates.ts'
import { isObject, type JsonObject } from './json.ts'
import { idText } from './webhook-item.ts'

/** What one webhook tells of one template. What it does not tell is left out. */
export interface TemplateNews {
  name: string
  language: string
  metaId: string | null
  /** Meta's own word for what happened to its status. */
  event?: string
  /** The status that follows from it; absent where the event changes none. */
  status?: string
  rejectionReason?: string | null
  /** Why it is paused, disabled or refused, in Meta's words. */
  statusDetail?: string | null
  quality?: string
  category?: string
  /** What Meta will make of it, and when: announced a day ahead. */
  nextCategory?: { category: string; at: Date | null } | null
  texts?: TemplateTexts
}

/** Only what is told: a text that is not there may still be in the template. */
export interface TemplateTexts {
  header: string | null
  body: string | null
  footer: string | null
  buttons: JsonObject[] | null
}

const templateFields = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
])

/** Events that stand for a status of another name. The rest of the words that Meta lists are statuses themselves. */
const statusOf: Record<string, string> = { REINSTATED: 'APPROVED', UNARCHIVED: 'APPROVED' }
const statuses = new Set([
  ...['APPROVED', 'REJECTED', 'PENDING', 'PAUSED', 'DISABLED', 'IN_APPEAL'],
  ...['LIMIT_EXCEEDED', 'PENDING_DELETION', 'DELETED', 'ARCHIVED'],
])

export function isTemplateField(field: string): boolean {
  return templateFields.has(field)
}

/** Undefined when it names no template. */
export function readTemplateNotice(content: JsonObject): TemplateNews | undefined {
  const name = nameIn(content.message_template_name, maxNameLength)
  const language = nameIn(content.message_template_language, maxLanguageLength)
  if (name === undefined || language === undefined) return undefined
  return {
    name,
    language,
    metaId: idText(content.message_template_id) ?? null,
    ...statusNews(content),
    // The reference shows quality under the field of statuses too.
    ...qualityNews(content),
    ...categoryNews(content),
    ...textNews(content),
  }
}

function statusNews(content: JsonObject): Partial<TemplateNews> {
  const event = wordIn(content.event)
  if (event === null) return {}
  const status = statusOf[event] ?? (statuses.has(event) ? event : undefined)
  const reason = wordIn(content.reason)
  const category = wordIn(content.message_template_category)
  return {
    event,
    ...(status !== undefined && {
      status,
      rejectionReason: status === 'REJECTED' && reason !== 'NONE' ? reason : null,
      statusDetail: detailOf(content),
    }),
    ...(category !== null && { category }),
  }
}

function detailOf({ rejection_info, other_info, disable_info }: JsonObject): string | null {
  const parts = [
    ...(isObject(rejection_info) ? [rejection_info.reason, rejection_info.recommendation] : []),
    ...(isObject(other_info) ? [other_info.description ?? other_info.title] : []),
    ...(isObject(disable_info) ? [disabledSince(disable_info.disable_date)] : []),
  ].filter((part): part is string => typeof part === 'string' && part !== '')
  return parts.length === 0 ? null : parts.join(' ').slice(0, 1000)
}

function disabledSince(date: unknown): string | undefined {
  const at = secondsIn(date)
  return at === null ? undefined : `Disabled since ${at.toISOString()}.`
}

function qualityNews({ new_quality_score }: JsonObject): Partial<TemplateNews> {
  const quality = wordIn(new_quality_score)
  return quality === null ? {} : { quality }
}

/** With `correct_category`, `new_category` is the one it still has. */
function categoryNews(content: JsonObject): Partial<TemplateNews> {
  const category = wordIn(content.new_category)
  const announced = wordIn(content.correct_category)
  if (announced !== null) {
    const nextCategory = {
      category: announced,
      at: secondsIn(content.category_update_timestamp),
    }
    return { ...(category !== null && { category }), nextCategory }
  }
  return category === null ? {} : { category, nextCategory: null }
}

function textNews(content: JsonObject): Partial<TemplateNews> {
  const { message_template_buttons: buttons } = content
  const texts = {
    header: sentence(content.message_template_title),
    body: sentence(content.message_template_element),
    footer: sentence(content.message_template_footer),
    buttons: Array.isArray(buttons) ? buttons.filter(isObject).map(readButton) : null,
  }
  return Object.values(texts).every((value) => value === null) ? {} : { texts }
}

function readButton(button: JsonObject): JsonObject {
  const read = {
    type: wordIn(button.message_template_button_type),
    text: sentence(button.message_template_button_text),
    url: sentence(button.message_template_button_url),
    phone_number: sentence(button.message_template_button_phone_number),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null))
}

function sentence(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function secondsIn(value: unknown): Date | null {
  const seconds = typeof value === 'string' && /^\d{1,11}$/.test(value) ? Number(value) : value
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds < 1e11)) return null
  return new Date(seconds * 1000)
}
