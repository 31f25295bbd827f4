// A template with its parameters filled in, as the contact will see it. Pure; what is not given stays as it is written.
import type { JsonObject } from '../meta/json.ts'
import { exampleIn } from './definition.ts'
import type { TemplateContent } from './model.ts'
import { isRecord, partOf, placeIn, recordsIn, upper } from './parameters.ts'
import { fillIn, variablesIn } from './variables.ts'

export interface Preview {
  header: PreviewHeader | null
  body: string
  footer: string | null
  buttons: PreviewButton[]
  cards: Omit<Preview, 'footer' | 'cards'>[]
}

export interface PreviewHeader {
  /** Meta's: TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION. */
  format: string
  text: string | null
  /** What the message gives for it: an id, a link, a place. */
  media: JsonObject | null
}

export interface PreviewButton {
  type: string
  text: string | null
  url: string | null
  phone_number: string | null
  /** What a quick reply sends back. */
  payload: string | null
  /** What a tap copies. */
  code: string | null
}

export interface PreviewOptions {
  /** Gaps that nothing is given for show the template's own examples. */
  withExamples?: boolean
}

/** `given` is `components` of a message. */
export function renderTemplate(
  template: TemplateContent,
  given: unknown,
  options: PreviewOptions = {},
): Preview {
  const parts = recordsIn(given)
  const { components } = template
  return {
    ...renderParts(template, components, parts, options),
    footer: textIn(partOf(components, 'FOOTER')?.text),
    cards: recordsIn(partOf(components, 'CAROUSEL')?.cards).map((card, index) => {
      const asked = recordsIn(partOf(parts, 'CAROUSEL')?.cards)
      const one = asked.find((each, place) => placeIn(each.card_index ?? place) === index)
      return renderParts(template, recordsIn(card.components), recordsIn(one?.components), options)
    }),
  }
}

function renderParts(
  { parameterFormat }: TemplateContent,
  components: JsonObject[],
  given: JsonObject[],
  options: PreviewOptions,
): Omit<Preview, 'footer' | 'cards'> {
  const style = { ...options, isNamed: parameterFormat === 'NAMED' }
  const header = partOf(components, 'HEADER')
  const body = partOf(components, 'BODY')
  return {
    header: header ? renderHeader(header, partOf(given, 'HEADER'), style) : null,
    body: body ? renderText('body', body, partOf(given, 'BODY'), style) : '',
    buttons: recordsIn(partOf(components, 'BUTTONS')?.buttons).map((button, index) =>
      renderButton(
        button,
        given.find((part) => upper(part.type) === 'BUTTON' && placeIn(part.index) === index),
        options,
      ),
    ),
  }
}

interface Style extends PreviewOptions {
  isNamed: boolean
}

function renderHeader(
  header: JsonObject,
  given: JsonObject | undefined,
  style: Style,
): PreviewHeader {
  const format = upper(header.format) || 'TEXT'
  if (format === 'TEXT') {
    return { format, text: renderText('header', header, given, style), media: null }
  }
  const media = recordsIn(given?.parameters)[0]?.[format.toLowerCase()]
  return { format, text: null, media: isRecord(media) ? media : null }
}

function renderText(
  name: 'header' | 'body',
  component: JsonObject,
  given: JsonObject | undefined,
  style: Style,
): string {
  const text = textIn(component.text) ?? ''
  const values = new Map<string, string>()
  if (style.withExamples) {
    for (const [key, value] of examplesOf(name, component, text, style)) values.set(key, value)
  }
  for (const [index, parameter] of recordsIn(given?.parameters).entries()) {
    const key = style.isNamed ? parameter.parameter_name : String(index + 1)
    const value = shownValue(parameter)
    if (typeof key === 'string' && value !== null) values.set(key, value)
  }
  return fillIn(text, values)
}

function examplesOf(
  name: 'header' | 'body',
  component: JsonObject,
  text: string,
  { isNamed }: Style,
): [string, string][] {
  const example = exampleIn(component)
  if (isNamed) {
    return recordsIn(example[`${name}_text_named_params`]).flatMap((one) =>
      typeof one.param_name === 'string' && typeof one.example === 'string'
        ? [[one.param_name, one.example] as [string, string]]
        : [],
    )
  }
  const given = example[`${name}_text`]
  const row: unknown = name === 'body' && Array.isArray(given) ? given[0] : given
  const values = Array.isArray(row) ? row : []
  return variablesIn(text).flatMap((key) => {
    const value: unknown = values[Number(key) - 1]
    return typeof value === 'string' ? [[key, value] as [string, string]] : []
  })
}

function renderButton(
  button: JsonObject,
  given: JsonObject | undefined,
  { withExamples }: PreviewOptions,
): PreviewButton {
  const type = upper(button.type)
  const [parameter] = recordsIn(given?.parameters)
  const text = textIn(button.text)
  const url = textIn(button.url)
  const value = parameter ? shownValue(parameter) : null
  const example: unknown = Array.isArray(button.example) ? button.example[0] : button.example
  return {
    type,
    text,
    url: url === null ? null : urlOf(url, value, withExamples ? textIn(example) : null),
    phone_number: textIn(button.phone_number),
    payload: type === 'QUICK_REPLY' ? (textIn(parameter?.payload) ?? text) : null,
    code: type === 'COPY_CODE' ? (value ?? (withExamples ? textIn(example) : null)) : null,
  }
}

/** The example of a URL is the whole of it, filled in. */
function urlOf(url: string, value: string | null, example: string | null): string {
  if (variablesIn(url).length === 0) return url
  if (value !== null) return fillIn(url, new Map(variablesIn(url).map((name) => [name, value])))
  return example ?? url
}

function shownValue(parameter: JsonObject): string | null {
  const fallback = (key: string) => {
    const value = parameter[key]
    return isRecord(value) ? textIn(value.fallback_value) : null
  }
  return (
    textIn(parameter.text) ??
    fallback('currency') ??
    fallback('date_time') ??
    textIn(parameter.coupon_code)
  )
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
