// A template's gaps as fields to fill in, and what is filled in as the message's parameters. One walk makes both, so that
// they cannot differ.
import type { z } from 'zod'
import type { template, templatePreview } from '../../../../src/api/contract-templates.ts'
import type { DraftFile } from './unsent-queue.ts'

export type Template = z.output<typeof template>
export type TemplatePreview = z.output<typeof templatePreview>
type Part = Record<string, unknown>
type Path = (string | number)[]

export interface TemplateField {
  /** `body.first_name`, `button.0`, `card.1.header`. */
  id: string
  part: 'header' | 'body' | 'button' | 'offer'
  /** Counted from 0; undefined outside of carousels. */
  card: number | undefined
  kind: 'text' | 'image' | 'video' | 'document' | 'latitude' | 'longitude' | 'place' | 'moment'
  /** The gap's own name, or the words on the button. */
  name: string
  example: string
  max: number
  isOptional: boolean
}

export interface Given {
  texts: Record<string, string>
  files: Record<string, File>
}

export interface Filled {
  fields: TemplateField[]
  components: Part[]
  files: DraftFile[]
}

const noGiven: Given = { texts: {}, files: {} }

export function fill(given: Template, values: Given = noGiven): Filled {
  const walk = createWalk(given.parameter_format === 'NAMED', values)
  const parts = recordsIn(given.components)
  const components = walk.parts(parts, '', ['template', 'components'], undefined)
  const carousel = parts.find(({ type }) => upper(type) === 'CAROUSEL')
  if (carousel) {
    const at = ['template', 'components', components.length, 'cards']
    const cards = recordsIn(carousel.cards).map((card, index) => ({
      card_index: index,
      components: walk.parts(
        recordsIn(card.components),
        `card.${index}.`,
        [...at, index, 'components'],
        index,
      ),
    }))
    components.push({ type: 'carousel', cards })
  }
  return { fields: walk.fields, components, files: walk.files }
}

function createWalk(isNamed: boolean, { texts, files: chosen }: Given) {
  const fields: TemplateField[] = []
  const files: DraftFile[] = []

  const ask: Ask = (field) => {
    const whole = { kind: 'text' as const, name: '', example: '', max: 1024, isOptional: false }
    fields.push({ ...whole, ...field })
    return texts[field.id] ?? ''
  }

  function gaps(part: 'header' | 'body', component: Part, prefix: string, card?: number): Part[] {
    return namesIn(component.text, isNamed).map((name) => {
      const example = exampleOf(part, component, name, isNamed)
      const max = part === 'header' ? 60 : 1024
      const text = ask({ id: `${prefix}${part}.${name}`, part, card, name, example, max })
      return { type: 'text', ...(isNamed && { parameter_name: name }), text }
    })
  }

  function header(component: Part, prefix: string, at: Path, card?: number): Part[] {
    const kind = upper(component.format).toLowerCase()
    if (kind === '' || kind === 'text') return gaps('header', component, prefix, card)
    const id = `${prefix}header`
    if (kind === 'location') return [{ type: kind, location: place(id, card) }]
    if (kind !== 'image' && kind !== 'video' && kind !== 'document') return []
    ask({ id, part: 'header', card, kind })
    const file = chosen[id]
    if (!file) return []
    files.push({ at: [...at, 'parameters', 0, kind, 'id'], file })
    return [{ type: kind, [kind]: kind === 'document' ? { filename: file.name } : {} }]
  }

  function place(id: string, card?: number): Part {
    const part = 'header' as const
    const degrees = (kind: 'latitude' | 'longitude') =>
      Number(ask({ id: `${id}.${kind}`, part, card, kind, max: 24 }).replace(',', '.'))
    const word = (name: string) => ask({ id: `${id}.${name}`, part, card, kind: 'place', name })
    return {
      latitude: degrees('latitude'),
      longitude: degrees('longitude'),
      name: word('name'),
      address: word('address'),
    }
  }

  function parts(components: Part[], prefix: string, at: Path, card: number | undefined): Part[] {
    const made: Part[] = []
    for (const component of components) {
      const type = upper(component.type)
      const next = [...at, made.length]
      const parameters =
        type === 'HEADER'
          ? header(component, prefix, next, card)
          : type === 'BODY'
            ? gaps('body', component, prefix, card)
            : type === 'LIMITED_TIME_OFFER'
              ? offerPart(ask, component)
              : []
      if (parameters.length > 0) made.push({ type: type.toLowerCase(), parameters })
      if (type === 'BUTTONS') {
        for (const [index, one] of recordsIn(component.buttons).entries()) {
          made.push(...buttonPart(ask, one, { index, prefix, card, isNamed }))
        }
      }
    }
    return made
  }
  return { fields, files, parts }
}

type Ask = (field: Pick<TemplateField, 'id' | 'part' | 'card'> & Partial<TemplateField>) => string

function buttonPart(
  ask: Ask,
  one: Part,
  {
    index,
    prefix,
    card,
    isNamed,
  }: { index: number; prefix: string; card: number | undefined; isNamed: boolean },
): Part[] {
  const type = upper(one.type)
  const field = { id: `${prefix}button.${index}`, part: 'button' as const, card }
  const name = textIn(one.text)
  const as = (sub_type: string, ...parameters: Part[]) => [
    { type: 'button', sub_type, index, parameters },
  ]
  if (type === 'OTP' || (type === 'URL' && namesIn(one.url, isNamed).length > 0)) {
    const text = ask({ ...field, name, example: textIn(one.url), max: 2000 })
    return as('url', { type: 'text', text })
  }
  if (type === 'COPY_CODE') {
    const example = textIn(Array.isArray(one.example) ? one.example[0] : one.example)
    return as('copy_code', {
      type: 'coupon_code',
      coupon_code: ask({ ...field, name, example, max: 15 }),
    })
  }
  if (type === 'FLOW') {
    const flow_token = ask({ ...field, name, isOptional: true }) || 'unused'
    return as('flow', { type: 'action', action: { flow_token } })
  }
  if (type !== 'QUICK_REPLY') return []
  const payload = ask({ ...field, name, isOptional: true })
  return payload ? as('quick_reply', { type: 'payload', payload }) : []
}

function offerPart(ask: Ask, component: Part): Part[] {
  const { has_expiration } = (component.limited_time_offer ?? {}) as Part
  if (has_expiration !== true) return []
  const until = ask({ id: 'offer', part: 'offer', card: undefined, kind: 'moment' })
  const expiration_time_ms = Date.parse(until) || 0
  return [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms } }]
}

/** In the order the message gives them. */
function namesIn(text: unknown, isNamed: boolean): string[] {
  const found = [...textIn(text).matchAll(/\{\{([^{}]*)\}\}/g)].map(([, name = '']) => name.trim())
  const once = [...new Set(found)]
  return isNamed ? once : once.toSorted((one, other) => Number(one) - Number(other))
}

function exampleOf(part: 'header' | 'body', component: Part, name: string, isNamed: boolean) {
  const example = (component.example ?? {}) as Part
  if (isNamed) {
    const named = recordsIn(example[`${part}_text_named_params`])
    return textIn(named.find((one) => one.param_name === name)?.example)
  }
  const given = example[`${part}_text`]
  const row: unknown = part === 'body' && Array.isArray(given) ? given[0] : given
  return Array.isArray(row) ? textIn(row[Number(name) - 1]) : ''
}

export const isMissing = (field: TemplateField, { texts, files }: Given) =>
  !field.isOptional && !files[field.id] && !texts[field.id]?.trim()

export type WhyNot =
  | 'pending'
  | 'paused'
  | 'rejected'
  | 'disabled'
  | 'unknown'
  | 'shop'
  | 'marketing'

/** Why it cannot be chosen; undefined when it can. */
export function whyNot(given: Template, isMarketingStopped: boolean): WhyNot | undefined {
  const byStatus: Record<string, WhyNot> = {
    PAUSED: 'paused',
    REJECTED: 'rejected',
    DISABLED: 'disabled',
  }
  if (!given.is_sendable) return byStatus[given.status] ?? 'pending'
  if (given.components === null) return 'unknown'
  if (isMarketingStopped && given.category === 'MARKETING') return 'marketing'
  return needsShop(recordsIn(given.components)) ? 'shop' : undefined
}

/** Products are chosen in a catalogue, which is not here. */
function needsShop(components: Part[]): boolean {
  return components.some(
    ({ format, buttons, cards }) =>
      upper(format) === 'PRODUCT' ||
      recordsIn(buttons).some(({ type }) =>
        ['MPM', 'SPM', 'ORDER_DETAILS'].includes(upper(type)),
      ) ||
      recordsIn(cards).some((card) => needsShop(recordsIn(card.components))),
  )
}

const upper = (value: unknown) => textIn(value).toUpperCase()
const textIn = (value: unknown) => (typeof value === 'string' ? value : '')

function recordsIn(value: unknown): Part[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
}

const [given, missing, end] = ['\uE000', '\uE001', '\uE002']

/** Marks what is filled in, so that it can be told from the template's own words in what comes back. */
export function marked(fields: TemplateField[], { texts, files }: Given): Given {
  const marks = fields.map((field) => {
    const value = texts[field.id]?.replace(/[\uE000-\uE002]/g, '') ?? ''
    return [field.id, value ? given + value + end : missing + (field.example || field.name) + end]
  })
  return { texts: Object.fromEntries(marks), files }
}

export interface Piece {
  text: string
  is: 'own' | 'given' | 'missing'
}

export function piecesOf(text: string): Piece[] {
  return text
    .split(/([\uE000\uE001][^\uE002]*\uE002)/)
    .filter(Boolean)
    .map((piece) =>
      piece.startsWith(given) || piece.startsWith(missing)
        ? { text: piece.slice(1, -1), is: piece.startsWith(given) ? 'given' : 'missing' }
        : { text: piece, is: 'own' },
    )
}
