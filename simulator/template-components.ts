// What a template may consist of, and what Meta says when a new one breaks the rules: code 100 with
// a subcode, and two texts meant for the person who wrote the template.
import { GraphError } from './graph/errors.ts'
import { isFields } from './graph/fields.ts'

export const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const
export type Category = (typeof categories)[number]

export interface TemplateButton {
  type: string
  text?: string
  url?: string
  phone_number?: string
  otp_type?: string
  [key: string]: unknown
}

export interface TemplateComponent {
  type: string
  format?: string
  text?: string
  buttons?: TemplateButton[]
  [key: string]: unknown
}

const componentTypes = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'LIMITED_TIME_OFFER']
const headerFormats = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION']
const buttonTypes = [
  ...['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE', 'OTP', 'FLOW', 'CATALOG', 'MPM'],
  ...['SPM', 'VOICE_CALL', 'APP', 'REQUEST_CONTACT_INFO'],
]
const maxOf: Record<string, number> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 }
const maxLengths: Record<string, number> = { HEADER: 60, BODY: 1024, FOOTER: 60 }
const lengthSubcodes: Record<string, number> = { HEADER: 2388047, BODY: 2388072, FOOTER: 2388073 }

export type TemplateShape = {
  category: Category
  parameter_format: 'POSITIONAL' | 'NAMED'
}

/** The names in a text, e.g. ["1", "2"], each once and in order. */
export function variablesIn(text: unknown): string[] {
  if (typeof text !== 'string') return []
  return [...new Set([...text.matchAll(variable)].map((each) => each[1] ?? ''))]
}

export function fillIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(variable, (_whole, name: string) => values.get(name) ?? '')
}

const variable = /\{\{\s*([^{}]*?)\s*\}\}/g

/** Type names in capitals, as Meta stores them whatever the request wrote. */
export function normalizeComponents(input: unknown): TemplateComponent[] {
  if (!Array.isArray(input) || !input.every(isFields)) {
    throw refused(2388040, 'Components are wrong', 'components must be an array of objects.')
  }
  return input.map((component) => ({
    ...component,
    type: upper(component.type),
    ...(component.format === undefined ? {} : { format: upper(component.format) }),
    ...(Array.isArray(component.buttons)
      ? {
          buttons: component.buttons.map((each: unknown) =>
            isFields(each) ? { ...each, type: upper(each.type) } : { type: '' },
          ),
        }
      : {}),
  }))
}

export function checkComponents(components: TemplateComponent[], shape: TemplateShape): void {
  for (const { type } of components) {
    if (!componentTypes.includes(type)) {
      throw refused(2388040, 'Unknown component', `Component type ${type || '(none)'} is unknown.`)
    }
    if (components.filter((other) => other.type === type).length > 1) {
      throw refused(2388040, 'Repeated component', `There can be only one ${type} component.`)
    }
  }
  const body = components.find(({ type }) => type === 'BODY')
  if (body === undefined) throw refused(2388072, 'Body missing', 'A template needs a BODY.')
  // The texts of authentication templates are Meta's own.
  if (shape.category === 'AUTHENTICATION') {
    checkAuthentication(components)
    return
  }
  for (const component of components) checkText(component, shape)
  checkHeader(components.find(({ type }) => type === 'HEADER'))
  const buttons = components.find(({ type }) => type === 'BUTTONS')
  if (buttons !== undefined) checkButtons(buttons)
}

function checkAuthentication(components: TemplateComponent[]): void {
  const buttons = components.find(({ type }) => type === 'BUTTONS')?.buttons ?? []
  if (buttons.length !== 1 || buttons[0]?.type !== 'OTP') {
    throw refused(2388040, 'Button missing', 'An authentication template needs one OTP button.')
  }
}

function checkText(component: TemplateComponent, { parameter_format }: TemplateShape): void {
  const max = maxLengths[component.type]
  if (max === undefined || (component.type === 'HEADER' && component.format !== 'TEXT')) return
  const subcode = lengthSubcodes[component.type] ?? 2388040
  const { text } = component
  if (typeof text !== 'string' || text.trim() === '') {
    throw refused(subcode, 'Text missing', `${component.type} needs a text.`)
  }
  if (text.length > max) {
    throw refused(2388040, 'Text too long', `${component.type} can have ${max} characters.`)
  }
  checkVariables(component, text, parameter_format)
}

function checkVariables(component: TemplateComponent, text: string, format: string): void {
  const names = variablesIn(text)
  if (names.length === 0) return
  const { type } = component
  if (type === 'FOOTER') throw refused(2388073, 'Variables in footer', 'FOOTER has no variables.')
  if (type === 'HEADER' && names.length > 1) {
    throw refused(2388047, 'Too many variables', 'HEADER can have one variable.')
  }
  const good =
    format === 'NAMED'
      ? names.every((name) => /^[a-z0-9_]+$/.test(name) && !/^\d+$/.test(name))
      : names.every((name, index) => name === String(index + 1))
  if (!good) {
    throw refused(
      lengthSubcodes[type] ?? 2388040,
      'Variables are wrong',
      format === 'NAMED'
        ? 'Named variables have lower-case letters, digits and underscores.'
        : 'Variables are numbered {{1}}, {{2}}, … without a gap.',
    )
  }
  if (type === 'BODY') {
    if (/^\{\{[^{}]*\}\}|\{\{[^{}]*\}\}$/.test(text.trim())) {
      throw refused(
        2388299,
        'Leading or trailing variable',
        'Variables can’t be at the start or end of the template.',
      )
    }
    const words = text.replace(/\{\{[^{}]*\}\}/g, ' ').match(/[\p{L}\p{N}]+/gu)?.length ?? 0
    if (words < names.length * 2) {
      throw refused(
        2388293,
        'Too many variables',
        'This template has too many variables for its length.',
      )
    }
  }
  checkExamples(component, names.length, format)
}

function checkExamples(component: TemplateComponent, count: number, format: string): void {
  const example = isFields(component.example) ? component.example : {}
  const key = `${component.type.toLowerCase()}_text${format === 'NAMED' ? '_named_params' : ''}`
  const given = example[key]
  const row = component.type === 'BODY' && format !== 'NAMED' ? firstOf(given) : given
  if (!Array.isArray(row) || row.length !== count) {
    throw refused(
      lengthSubcodes[component.type] ?? 2388040,
      'Examples missing',
      `example.${key} must have an example for each variable of ${component.type}.`,
    )
  }
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined
}

function checkHeader(header: TemplateComponent | undefined): void {
  if (header === undefined) return
  if (!headerFormats.includes(header.format ?? '')) {
    throw refused(2388047, 'Header is wrong', `HEADER format must be one of ${headerFormats}.`)
  }
  if (header.format === 'TEXT' || header.format === 'LOCATION') return
  const handles = isFields(header.example) ? header.example.header_handle : undefined
  if (typeof firstOf(handles) !== 'string') {
    throw refused(
      2388047,
      'Sample missing',
      'A HEADER with media needs a sample: example.header_handle.',
    )
  }
}

function checkButtons({ buttons }: TemplateComponent): void {
  if (!Array.isArray(buttons) || buttons.length === 0 || buttons.length > 10) {
    throw refused(2388040, 'Buttons are wrong', 'There can be 1 to 10 buttons.')
  }
  for (const button of buttons) {
    const { type, text, url } = button
    if (!buttonTypes.includes(type)) {
      throw refused(2388040, 'Unknown button', `Button type ${type || '(none)'} is unknown.`)
    }
    const max = maxOf[type]
    if (max !== undefined && buttons.filter((other) => other.type === type).length > max) {
      throw refused(2388040, 'Too many buttons', `There can be ${max} of type ${type}.`)
    }
    if (type !== 'COPY_CODE' && (typeof text !== 'string' || text === '' || text.length > 25)) {
      throw refused(2388040, 'Button text is wrong', 'A button text has 1 to 25 characters.')
    }
    if (type === 'URL') checkButtonUrl(button, url)
    if (type === 'PHONE_NUMBER' && !/^\+?\d{5,20}$/.test(String(button.phone_number))) {
      throw refused(2388040, 'Phone number is wrong', 'A phone button needs a phone_number.')
    }
  }
}

function checkButtonUrl(button: TemplateButton, url: string | undefined): void {
  if (typeof url !== 'string' || url.length > 2000 || !/^https?:\/\/\S+$/.test(url)) {
    throw refused(2388040, 'URL is wrong', 'A URL button needs a url of at most 2000 characters.')
  }
  const variables = variablesIn(url)
  if (variables.length > 1 || (variables.length === 1 && !/\{\{1\}\}$/.test(url))) {
    throw refused(2388040, 'URL is wrong', 'A url can have one variable, {{1}}, at its end.')
  }
  if (variables.length === 1 && typeof firstOf(button.example) !== 'string') {
    throw refused(2388040, 'Examples missing', 'A url with a variable needs an example.')
  }
}

function upper(value: unknown): string {
  return typeof value === 'string' ? value.toUpperCase() : ''
}

export function refused(subcode: number, title: string, text: string): GraphError {
  return new GraphError({
    status: 400,
    code: 100,
    subcode,
    message: 'Invalid parameter',
    isTransient: false,
    blamedFields: ['components'],
    userTitle: title,
    userMessage: text,
  })
}
