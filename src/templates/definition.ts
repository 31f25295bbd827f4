// What a new template may be, checked before Meta sees it: Meta's own limits, each error naming its field. What is not
// known here (Meta adds components and buttons every year) goes to Meta as it is: refusing what Meta would take is worse.
import { z } from 'zod'
import type { JsonObject } from '../meta/json.ts'
import { buttonProblems } from './definition-buttons.ts'
import type { ParameterFormat, Problem } from './model.ts'
import { beginsOrEndsWithGap, variablesIn } from './variables.ts'

export const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const
export type Category = (typeof categories)[number]

/** Meta takes its words in any case and keeps them in capitals. */
const word = <Word extends string>(words: readonly [Word, ...Word[]]) =>
  z
    .string()
    .transform((said) => said.toUpperCase())
    .pipe(z.enum(words, { error: `one of ${words.join(', ')}` }))

const component = z.looseObject({
  type: z.string().min(1, 'must not be empty').max(64, 'at most 64 characters'),
})

const components = z
  .array(component)
  .max(20, 'at most 20 components')
  .describe('as in Meta’s reference: HEADER, BODY, FOOTER, BUTTONS, CAROUSEL, LIMITED_TIME_OFFER')

const lifetime = z
  .number()
  .int()
  .describe('seconds in which Meta tries to deliver; -1 is 30 days, except for marketing')

const category = word(categories)

/** The name and language of a template, as Meta takes them. */
const name = z
  .string()
  .regex(/^[a-z0-9_]+$/, 'lower-case letters, digits and underscores')
  .max(512, 'at most 512 characters')
const language = z
  .string()
  .regex(/^[a-z]{2,3}(_[A-Za-z0-9]{2,8})*$/, 'a code of Meta’s, such as en or pt_BR')
  .max(32, 'at most 32 characters')

const content = {
  parameter_format: word(['POSITIONAL', 'NAMED']).default('POSITIONAL'),
  components,
}

export const templateDefinition = z
  .strictObject({ category, ...content })
  .superRefine((given, ctx) => addAll(ctx, definitionProblems(given)))
  .meta({ id: 'TemplateDefinition' })

export const newTemplate = z
  .strictObject({
    account_id: z.string().max(64).optional().describe('acc_…; or name the number instead'),
    phone_number_id: z
      .string()
      .max(128)
      .optional()
      .describe('may be left out when all your numbers are in one WhatsApp Business Account'),
    name,
    language,
    category,
    ...content,
    allow_category_change: z
      .boolean()
      .optional()
      .describe('Meta may choose another category instead of refusing'),
    message_send_ttl_seconds: lifetime.optional(),
  })
  .superRefine((given, ctx) => addAll(ctx, definitionProblems(given)))
  .meta({ id: 'NewTemplate' })

/** What it is checked against depends on the template: see `definitionProblems`. */
export const templateChange = z
  .strictObject({
    category: category.optional(),
    components: components.optional(),
    message_send_ttl_seconds: lifetime.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'names nothing to change')
  .meta({ id: 'TemplateChange' })

export interface Definition {
  category: string
  parameter_format: ParameterFormat
  components?: JsonObject[] | undefined
  message_send_ttl_seconds?: number | undefined
}

function addAll(ctx: z.RefinementCtx, problems: Problem[]): void {
  for (const { path, problem } of problems) {
    ctx.addIssue({ code: 'custom', path, message: problem })
  }
}

export function definitionProblems(given: Definition): Problem[] {
  return [
    ...lifetimeProblems(given),
    ...(given.components === undefined ? [] : componentProblems(given.components, given)),
  ]
}

const lifetimes: Record<string, readonly [number, number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
}

function lifetimeProblems({ category, message_send_ttl_seconds: seconds }: Definition): Problem[] {
  const limits = lifetimes[category]
  if (seconds === undefined || !limits) return []
  if (seconds === -1 && category !== 'MARKETING') return []
  const [min, max] = limits
  if (seconds >= min && seconds <= max) return []
  const problem = `from ${min} to ${max} for ${category.toLowerCase()}`
  return [{ path: ['message_send_ttl_seconds'], problem }]
}

const onlyOnce = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER'])

function componentProblems(list: JsonObject[], shape: Definition): Problem[] {
  const problems: Problem[] = []
  const seen = new Set<string>()
  for (const [index, one] of list.entries()) {
    const type = typeOf(one)
    const at = (problem: Problem): Problem => ({
      ...problem,
      path: ['components', index, ...problem.path],
    })
    if (seen.has(type) && onlyOnce.has(type)) {
      problems.push(at({ path: ['type'], problem: `there can be only one ${type}` }))
    }
    seen.add(type)
    problems.push(...partProblems(type, one, shape).map(at))
  }
  if (!seen.has('BODY')) problems.push({ path: ['components'], problem: 'a BODY is required' })
  return problems
}

export function typeOf(part: JsonObject): string {
  return typeof part.type === 'string' ? part.type.toUpperCase() : ''
}

function partProblems(type: string, one: JsonObject, shape: Definition): Problem[] {
  // Meta writes the texts of authentication templates itself.
  const isAuthentication = shape.category === 'AUTHENTICATION'
  switch (type) {
    case 'HEADER':
      return isAuthentication ? [] : headerProblems(one, shape.parameter_format)
    case 'BODY':
      return isAuthentication ? [] : bodyProblems(one, shape.parameter_format)
    case 'FOOTER':
      return isAuthentication ? [] : footerProblems(one)
    case 'BUTTONS':
      return buttonProblems(one.buttons, isAuthentication)
    case 'CAROUSEL':
      return carouselProblems(one.cards, shape)
    default:
      return []
  }
}

const formats = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']

function headerProblems(header: JsonObject, style: ParameterFormat): Problem[] {
  const format = typeof header.format === 'string' ? header.format.toUpperCase() : ''
  if (header.format === undefined) {
    return [{ path: ['format'], problem: `required: one of ${formats.join(', ')}` }]
  }
  if (format === 'TEXT') {
    const { text } = header
    const problems = textProblems(text, 60)
    if (variablesIn(text).length > 1) {
      problems.push({ path: ['text'], problem: 'a header can have one parameter' })
    }
    return [...problems, ...gapProblems(header, 'header', style)]
  }
  if (['IMAGE', 'VIDEO', 'DOCUMENT'].includes(format)) {
    const handles = exampleIn(header).header_handle
    if (!Array.isArray(handles) || typeof handles[0] !== 'string' || handles[0] === '') {
      return [
        {
          path: ['example', 'header_handle'],
          problem: 'a sample is required: the handle that Meta gave for an uploaded file',
        },
      ]
    }
  }
  return []
}

function bodyProblems(body: JsonObject, style: ParameterFormat): Problem[] {
  const problems = textProblems(body.text, 1024)
  if (typeof body.text === 'string' && beginsOrEndsWithGap(body.text)) {
    problems.push({ path: ['text'], problem: 'must not begin or end with a parameter' })
  }
  return [...problems, ...gapProblems(body, 'body', style)]
}

function footerProblems({ text }: JsonObject): Problem[] {
  const problems = textProblems(text, 60)
  if (variablesIn(text).length > 0) {
    problems.push({ path: ['text'], problem: 'a footer has no parameters' })
  }
  return problems
}

/** As JSON Schema counts: an emoji is one character. */
export function textProblems(text: unknown, max: number): Problem[] {
  if (typeof text !== 'string' || text.trim() === '') {
    return [{ path: ['text'], problem: 'a text is required' }]
  }
  if (text.length <= max || (text.length <= 2 * max && [...text].length <= max)) return []
  return [{ path: ['text'], problem: `at most ${max} characters` }]
}

function gapProblems(part: JsonObject, name: 'header' | 'body', style: ParameterFormat): Problem[] {
  const names = variablesIn(part.text)
  if (names.length === 0) return []
  const isGood =
    style === 'NAMED'
      ? names.every((one) => /^[a-z0-9_]+$/.test(one) && !/^\d+$/.test(one))
      : names.every((_one, index) => names.includes(String(index + 1)))
  if (!isGood) {
    const problem =
      style === 'NAMED'
        ? 'named parameters have lower-case letters, digits and underscores: {{first_name}}'
        : 'parameters are numbered {{1}}, {{2}}, … without a gap'
    return [{ path: ['text'], problem }]
  }
  return exampleProblems(part, name, style, names)
}

function exampleProblems(
  part: JsonObject,
  name: 'header' | 'body',
  style: ParameterFormat,
  names: string[],
): Problem[] {
  const key = `${name}_text${style === 'NAMED' ? '_named_params' : ''}`
  const given = exampleIn(part)[key]
  const row = name === 'body' && style === 'POSITIONAL' && Array.isArray(given) ? given[0] : given
  const problem = { path: ['example', key], problem: `an example for each parameter: ${names}` }
  if (!Array.isArray(row) || row.length !== names.length) return [problem]
  if (style === 'POSITIONAL') return row.every(isExample) ? [] : [problem]
  const named = row.map((one) => (one as JsonObject | null)?.param_name)
  const isWhole = row.every((one) => isExample((one as JsonObject | null)?.example))
  return isWhole && names.every((one) => named.includes(one)) ? [] : [problem]
}

const isExample = (value: unknown) => typeof value === 'string' && value.trim() !== ''

export function exampleIn(part: JsonObject): JsonObject {
  const { example } = part
  return typeof example === 'object' && example !== null ? (example as JsonObject) : {}
}

function carouselProblems(cards: unknown, shape: Definition): Problem[] {
  if (!Array.isArray(cards) || cards.length < 1 || cards.length > 10) {
    return [{ path: ['cards'], problem: 'from 1 to 10 cards' }]
  }
  return cards.flatMap((card, index) => {
    const parts = (card as JsonObject | null)?.components
    const at = (problem: Problem): Problem => ({
      ...problem,
      path: ['cards', index, 'components', ...problem.path],
    })
    if (!Array.isArray(parts) || parts.length === 0) {
      return [at({ path: [], problem: 'a card needs components' })]
    }
    return parts.flatMap((part, place) => {
      const isPart = typeof part === 'object' && part !== null
      if (!isPart) return [at({ path: [place], problem: 'must be an object' })]
      return cardPartProblems(part as JsonObject, shape).map((problem) =>
        at({ ...problem, path: [place, ...problem.path] }),
      )
    })
  })
}

/** Cards are smaller than messages, and their headers are pictures, films or products. */
function cardPartProblems(part: JsonObject, shape: Definition): Problem[] {
  switch (typeOf(part)) {
    case 'BODY':
      return [...textProblems(part.text, 160), ...gapProblems(part, 'body', shape.parameter_format)]
    case 'BUTTONS':
      return buttonProblems(part.buttons, false)
    default:
      return []
  }
}
