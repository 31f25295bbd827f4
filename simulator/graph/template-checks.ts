// Compares a template message with the template as it was approved.
import type { MediaKind } from '../media-types.ts'
import {
  fillIn,
  type TemplateButton,
  type TemplateComponent,
  variablesIn,
} from '../template-components.ts'
import type { Template } from '../templates.ts'
import { invalidParameter, refusal } from '../whatsapp-errors.ts'
import { checkObject, checkText } from './checks.ts'
import { checkLocation } from './content-checks.ts'
import { invalidRequest } from './errors.ts'
import { type Fields, isFields } from './fields.ts'
import { checkMediaReference, type MediaLookup } from './media-reference.ts'

/** Returns false when a file inside is of a kind that only fails later. */
export function checkTemplateMessage(
  message: Fields,
  template: Template,
  lookup: MediaLookup,
): boolean {
  const given = componentsOf(message)
  const header = ofType(template, 'HEADER')
  const usable = checkHeader(header, given.find(isNamed('header')), template, lookup)
  checkTextComponent('body', ofType(template, 'BODY'), given.find(isNamed('body')), template)
  checkButtons(ofType(template, 'BUTTONS')?.buttons ?? [], given.filter(isNamed('button')))
  return usable
}

function componentsOf(message: Fields): Fields[] {
  const { components = [] } = message
  if (!Array.isArray(components) || !components.every(isFields)) {
    throw invalidParameter('template.components must be an array of objects.')
  }
  const known = ['header', 'body', 'button', 'carousel', 'limited_time_offer', 'order_status']
  for (const { type } of components) {
    if (typeof type !== 'string' || !known.includes(type.toLowerCase())) {
      throw invalidParameter(`template.components type must be one of ${known.join(', ')}.`)
    }
  }
  return components
}

const isNamed = (name: string) => (component: Fields) =>
  String(component.type).toLowerCase() === name

const ofType = (template: Template, type: string) =>
  template.components.find((component) => component.type === type)

function parametersOf(component: Fields | undefined): Fields[] {
  const parameters = component?.parameters ?? []
  if (!Array.isArray(parameters) || !parameters.every(isFields)) {
    throw invalidParameter('template.components parameters must be an array of objects.')
  }
  return parameters
}

function checkHeader(
  header: TemplateComponent | undefined,
  given: Fields | undefined,
  template: Template,
  lookup: MediaLookup,
): boolean {
  if (header === undefined || header.format === 'TEXT') {
    checkTextComponent('header', header, given, template)
    return true
  }
  const [parameter] = parametersOf(given)
  const expected = header.format ?? ''
  const received = String(parameter?.type ?? 'unknown').toUpperCase()
  if (parameter === undefined || received !== expected) {
    throw refusal(132012, `header: Format mismatch, expected ${expected}, received ${received}`)
  }
  const key = expected.toLowerCase()
  const content = checkObject(parameter, key, `template.components.header.${key}`)
  if (key === 'location') {
    checkLocation(content, 'template.components.header.location')
    return true
  }
  return checkMediaReference(content, key as MediaKind, `template.components.header.${key}`, lookup)
}

const maxLengths = { header: 60, body: 1024 }

function checkTextComponent(
  name: 'header' | 'body',
  component: TemplateComponent | undefined,
  given: Fields | undefined,
  template: Template,
): void {
  const names = variablesIn(component?.text)
  const parameters = parametersOf(given)
  if (parameters.length !== names.length) {
    throw refusal(
      132000,
      `${name}: number of localizable_params (${parameters.length}) does not match the expected ` +
        `number of params (${names.length})`,
    )
  }
  const values = parameters.map((parameter) => textOf(parameter, name))
  const keys = template.parameter_format === 'NAMED' ? givenNames(parameters, names, name) : names
  const filled = fillIn(
    component?.text ?? '',
    new Map(keys.map((key, index) => [key, values[index] ?? ''])),
  )
  if (filled.length > maxLengths[name]) {
    throw refusal(132005, `${name}: the text is ${filled.length} characters long after filling in`)
  }
}

function givenNames(parameters: Fields[], expected: string[], component: string): string[] {
  const names = parameters.map(({ parameter_name: name }) => {
    if (typeof name !== 'string' || name === '') {
      throw invalidRequest('Parameter name is missing or empty')
    }
    return name
  })
  const unknown = names.find((name) => !expected.includes(name))
  if (unknown !== undefined || new Set(names).size < names.length) {
    throw refusal(132000, `${component}: the template has no parameter (${unknown ?? names[0]})`)
  }
  return names
}

function textOf(parameter: Fields, component: string): string {
  const type = String(parameter.type ?? '').toLowerCase()
  if (type === 'text') {
    return checkParameterText(checkText(parameter, 'text', `${component}.text`), component)
  }
  if (component === 'body' && (type === 'currency' || type === 'date_time')) {
    const value = checkObject(parameter, type, `${component}.${type}`)
    return checkText(value, 'fallback_value', `${component}.${type}.fallback_value`)
  }
  throw refusal(
    132012,
    `${component}: Format mismatch, expected TEXT, received ${type.toUpperCase() || 'UNKNOWN'}`,
  )
}

/** A line break inside a parameter could fake a second paragraph of the approved text. */
function checkParameterText(text: string, component: string): string {
  if (/[\n\t]| {5}/.test(text)) {
    throw refusal(
      132018,
      `${component}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`,
    )
  }
  return text
}

function checkButtons(buttons: TemplateButton[], given: Fields[]): void {
  const byIndex = new Map(given.map((component) => [Number(component.index ?? 0), component]))
  for (const [index, component] of byIndex) {
    const button = buttons[index]
    if (button === undefined) {
      throw refusal(132018, `buttons: The template has no button at index ${index}`)
    }
    checkButton(button, index, component)
  }
  for (const [index, button] of buttons.entries()) {
    const needsOne = variablesIn(button.url).length > 0 || button.type === 'COPY_CODE'
    if (needsOne && !byIndex.has(index)) throw buttonNeedsParameter(button, index)
  }
}

const buttonNeedsParameter = ({ type }: TemplateButton, index: number) =>
  refusal(131008, `buttons: Button at index ${index} of type ${titled(type)} requires a parameter`)

const takesNoParameter = (index: number) =>
  refusal(132018, `buttons: Button at index ${index} takes no parameter`)

function checkButton(button: TemplateButton, index: number, component: Fields): void {
  const subType = checkText(component, 'sub_type', `button[${index}].sub_type`).toUpperCase()
  if (subType !== button.type) {
    throw refusal(
      132018,
      `buttons: Button at index ${index} is of type ${titled(button.type)}, not ${titled(subType)}`,
    )
  }
  const [parameter] = parametersOf(component)
  const at = `button[${index}].parameters[0]`
  switch (button.type) {
    case 'URL': {
      const isDynamic = variablesIn(button.url).length > 0
      if (!isDynamic && parameter !== undefined) throw takesNoParameter(index)
      if (!isDynamic) return
      if (parameter === undefined) throw buttonNeedsParameter(button, index)
      // One-time codes have 15 characters at most, other endings of a URL 2000 in all.
      const max = button.otp_type === undefined ? 2000 : 15
      checkText(parameter, 'text', `${at}.text`, { max })
      return
    }
    case 'COPY_CODE':
      if (parameter === undefined) throw buttonNeedsParameter(button, index)
      checkText(parameter, 'coupon_code', `${at}.coupon_code`, { max: 15 })
      return
    case 'QUICK_REPLY':
      if (parameter !== undefined) checkText(parameter, 'payload', `${at}.payload`, { max: 256 })
      return
    case 'FLOW':
    case 'CATALOG':
    case 'MPM':
      if (parameter !== undefined) checkObject(parameter, 'action', `${at}.action`)
      return
    default:
      if (parameter !== undefined) throw takesNoParameter(index)
  }
}

/** COPY_CODE → CopyCode, as Meta writes types in its texts. */
function titled(type: string): string {
  return type
    .toLowerCase()
    .replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}
