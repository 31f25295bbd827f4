// A template with its parameters filled in, as the customer sees it.
import { asRecord, asRecords, asText } from './reading.ts'

export interface StoredTemplate {
  name: string
  components: unknown
}

export interface RenderedTemplate {
  name: string
  header?: { format: string; text?: string; media?: unknown }
  body: string
  footer?: string
  buttons: RenderedButton[]
}

export interface RenderedButton {
  /** Meta's words: QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE, FLOW, OTP … */
  type: string
  text: string
  /** What a quick reply sends back. */
  payload?: string
  url?: string
  phone_number?: string
}

interface Parameter {
  name?: string
  value: string
  raw: Record<string, unknown>
}

/** `given` is the `components` of the send request. */
export function renderTemplate(template: StoredTemplate, given: unknown): RenderedTemplate {
  const parts = asRecords(template.components)
  const asked = asRecords(given)
  const partOf = (type: string) => parts.find((part) => upper(part.type) === type)
  const parametersOf = (type: string) =>
    readParameters(asked.find((part) => upper(part.type) === type)?.parameters)

  const header = partOf('HEADER')
  const footer = asText(partOf('FOOTER')?.text)
  const body = asText(partOf('BODY')?.text) ?? authenticationBody(parts)
  return {
    name: template.name,
    ...(header === undefined ? {} : { header: renderHeader(header, parametersOf('HEADER')) }),
    body: fill(body, parametersOf('BODY')),
    ...(footer === undefined ? {} : { footer }),
    buttons: renderButtons(partOf('BUTTONS'), asked),
  }
}

/** Authentication templates have no text of their own; Meta writes it. */
function authenticationBody(parts: Record<string, unknown>[]): string {
  const warns = parts.some(
    (part) => upper(part.type) === 'BODY' && part.add_security_recommendation === true,
  )
  return `{{1}} is your verification code.${warns ? ' For your security, do not share this code.' : ''}`
}

function renderHeader(header: Record<string, unknown>, parameters: Parameter[]) {
  const format = upper(header.format) || 'TEXT'
  const text = asText(header.text)
  const media = format === 'TEXT' ? undefined : parameters[0]?.raw[format.toLowerCase()]
  return {
    format,
    ...(text === undefined ? {} : { text: fill(text, parameters) }),
    ...(media === undefined ? {} : { media }),
  }
}

function renderButtons(
  part: Record<string, unknown> | undefined,
  asked: Record<string, unknown>[],
): RenderedButton[] {
  return asRecords(part?.buttons).map((button, index) => {
    const given = asked.find(
      (component) => upper(component.type) === 'BUTTON' && Number(component.index) === index,
    )
    const parameters = readParameters(given?.parameters)
    const text = asText(button.text) ?? 'Button'
    const url = asText(button.url)
    const phone = asText(button.phone_number)
    return {
      type: upper(button.type),
      text,
      ...(upper(button.type) === 'QUICK_REPLY'
        ? { payload: asText(parameters[0]?.raw.payload) ?? text }
        : {}),
      ...(url === undefined ? {} : { url: fill(url, parameters) }),
      ...(phone === undefined ? {} : { phone_number: phone }),
    }
  })
}

function readParameters(value: unknown): Parameter[] {
  return asRecords(value).map((raw) => {
    const name = asText(raw.parameter_name)
    return { ...(name === undefined ? {} : { name }), value: shown(raw), raw }
  })
}

function shown(parameter: Record<string, unknown>): string {
  return (
    asText(parameter.text) ??
    asText(asRecord(parameter.currency)?.fallback_value) ??
    asText(asRecord(parameter.date_time)?.fallback_value) ??
    asText(parameter.coupon_code) ??
    ''
  )
}

/** Fills `{{1}}` by position and `{{name}}` by name; what was not given stays as it is. */
function fill(text: string, parameters: Parameter[]): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (slot, name: string) => {
    const named = parameters.find((parameter) => parameter.name === name)
    const found = named ?? (/^\d+$/.test(name) ? parameters[Number(name) - 1] : undefined)
    return found?.value ?? slot
  })
}

function upper(value: unknown): string {
  return (asText(value) ?? '').toUpperCase()
}
