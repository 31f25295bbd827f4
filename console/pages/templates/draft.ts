// A template as a person writes it, and as Meta's API has it. What the form does not know stays as it is.
import { variablesIn } from './variables.ts'

export type Json = Record<string, unknown>
export type Format = 'POSITIONAL' | 'NAMED'
export type Category = 'MARKETING' | 'UTILITY' | 'AUTHENTICATION'
export const headerKinds = ['NONE', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'] as const
export const buttonKinds = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'] as const

/** `OTHER`: something of Meta's that is kept as it is. */
export type HeaderKind = (typeof headerKinds)[number] | 'OTHER'
export type ButtonKind = (typeof buttonKinds)[number] | 'OTHER'

export interface DraftButton {
  /** Stays the same while the button is moved and written. */
  key: number
  kind: ButtonKind
  text: string
  url: string
  phoneNumber: string
  /** Of a code to copy, or of the whole URL. */
  example: string
  raw: Json
}

export interface Content {
  header: { kind: HeaderKind; text: string; handle: string; raw: Json }
  body: string
  footer: string
  buttons: DraftButton[]
  /** By place and name: `body 1`, `header first_name`. */
  examples: Record<string, string>
  /** Authentication: Meta writes the words, and lets these be chosen. */
  code: { isAdvised: boolean; minutes: string }
  /** Cards of a carousel, offers, and what Meta will think of. */
  rest: Json[]
}

export const emptyContent: Content = {
  header: { kind: 'NONE', text: '', handle: '', raw: {} },
  body: '',
  footer: '',
  buttons: [],
  examples: {},
  code: { isAdvised: true, minutes: '10' },
  rest: [],
}

let lastKey = 0
export function newButton(kind: ButtonKind, more: Partial<DraftButton> = {}): DraftButton {
  lastKey++
  return { kind, text: '', url: '', phoneNumber: '', example: '', raw: {}, ...more, key: lastKey }
}

/** A word between the braces makes the whole template a named one. */
export function formatOf({ header, body }: Pick<Content, 'header' | 'body'>): Format {
  const names = [...variablesIn(header.kind === 'TEXT' ? header.text : ''), ...variablesIn(body)]
  return names.some((name) => !/^\d*$/.test(name)) ? 'NAMED' : 'POSITIONAL'
}

/** The next one to write: `{{3}}`, or a name to be replaced. */
export function nextVariable(content: Content): string {
  const names = variablesIn(content.body)
  if (formatOf(content) === 'POSITIONAL') return `{{${names.length + 1}}}`
  return `{{name_${names.length + 1}}}`
}

export interface Variable {
  place: 'header' | 'body'
  name: string
  /** In `examples`. */
  key: string
}

export function variablesOf({ header, body }: Pick<Content, 'header' | 'body'>): Variable[] {
  const of = (place: Variable['place'], text: string) =>
    variablesIn(text).map((name) => ({ place, name, key: `${place} ${name}` }))
  return [...of('header', header.kind === 'TEXT' ? header.text : ''), ...of('body', body)]
}

/** Before it is sent to Meta, and after: what is written is what is there. */
export function toComponents(content: Content, category: Category, format: Format): Json[] {
  if (category === 'AUTHENTICATION') return codeComponents(content)
  const { body, footer, buttons, rest } = content
  return [
    ...headerComponents(content, format),
    { type: 'BODY', text: body, ...exampleOf(content, 'body', format) },
    ...(footer.trim() === '' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(toButton) }]),
    ...rest,
  ]
}

function codeComponents({ code, buttons }: Content): Json[] {
  const minutes = Number(code.minutes)
  const text = buttons[0]?.text ?? ''
  return [
    { type: 'BODY', add_security_recommendation: code.isAdvised },
    ...(code.minutes.trim() === '' ? [] : [{ type: 'FOOTER', code_expiration_minutes: minutes }]),
    {
      type: 'BUTTONS',
      buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', ...(text.trim() !== '' && { text }) }],
    },
  ]
}

function headerComponents(content: Content, format: Format): Json[] {
  const { kind, text, handle, raw } = content.header
  if (kind === 'NONE') return []
  if (kind === 'OTHER') return [raw]
  const base = { type: 'HEADER', format: kind }
  if (kind === 'TEXT') return [{ ...base, text, ...exampleOf(content, 'header', format) }]
  if (kind === 'LOCATION') return [base]
  return [{ ...base, ...(handle !== '' && { example: { header_handle: [handle] } }) }]
}

function exampleOf({ header, body, examples }: Content, place: Variable['place'], format: Format) {
  const names = variablesIn(place === 'body' ? body : header.text)
  if (names.length === 0) return {}
  const exampleFor = (name: string) => examples[`${place} ${name}`] ?? ''
  if (format === 'NAMED') {
    const params = names.map((name) => ({ param_name: name, example: exampleFor(name) }))
    return { example: { [`${place}_text_named_params`]: params } }
  }
  // By number, in whatever order they stand in the text.
  const values = names.toSorted((a, b) => Number(a) - Number(b)).map(exampleFor)
  return { example: { [`${place}_text`]: place === 'body' ? [values] : values } }
}

function toButton({ kind, text, url, phoneNumber, example, raw }: DraftButton): Json {
  switch (kind) {
    case 'QUICK_REPLY':
      return { type: kind, text }
    case 'URL':
      return { type: kind, text, url, ...(variablesIn(url).length > 0 && { example: [example] }) }
    case 'PHONE_NUMBER':
      return { type: kind, text, phone_number: phoneNumber.replace(/[\s().-]/g, '') }
    case 'COPY_CODE':
      return { type: kind, example }
    case 'OTHER':
      return raw
  }
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '')
const upper = (value: unknown) => textIn(value).toUpperCase()
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listIn = (value: unknown) => (Array.isArray(value) ? value.filter(isJson) : [])
const firstIn = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

export function readComponents(components: Json[], format: Format): Content {
  const partOf = (type: string) => components.find((one) => upper(one.type) === type)
  const [header, body, footer] = [partOf('HEADER'), partOf('BODY'), partOf('FOOTER')]
  const known = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS'])
  const minutes = footer?.code_expiration_minutes
  return {
    header: readHeader(header),
    body: textIn(body?.text),
    footer: textIn(footer?.text),
    buttons: listIn(partOf('BUTTONS')?.buttons).map(readButton),
    examples: {
      ...readExamples('header', header, format),
      ...readExamples('body', body, format),
    },
    code: {
      isAdvised: body?.add_security_recommendation === true,
      minutes: typeof minutes === 'number' ? String(minutes) : '',
    },
    rest: components.filter((one) => !known.has(upper(one.type))),
  }
}

function readHeader(header: Json | undefined): Content['header'] {
  if (!header) return emptyContent.header
  const format = upper(header.format) || 'TEXT'
  const kind = headerKinds.find((one) => one === format) ?? 'OTHER'
  const example = isJson(header.example) ? header.example : {}
  return {
    kind,
    text: textIn(header.text),
    handle: textIn(firstIn(example.header_handle)),
    raw: header,
  }
}

function readButton(raw: Json): DraftButton {
  const type = upper(raw.type)
  const isCode = 'otp_type' in raw
  return newButton((!isCode && buttonKinds.find((one) => one === type)) || 'OTHER', {
    text: textIn(raw.text),
    url: textIn(raw.url),
    phoneNumber: textIn(raw.phone_number),
    example: textIn(firstIn(raw.example)),
    raw,
  })
}

function readExamples(
  place: Variable['place'],
  part: Json | undefined,
  format: Format,
): Record<string, string> {
  const example = isJson(part?.example) ? part.example : {}
  if (format === 'NAMED') {
    const named = listIn(example[`${place}_text_named_params`])
    return Object.fromEntries(
      named.map((one) => [`${place} ${textIn(one.param_name)}`, textIn(one.example)]),
    )
  }
  const given = example[`${place}_text`]
  const row = place === 'body' ? firstIn(given) : given
  const values = Array.isArray(row) ? row : []
  return Object.fromEntries(values.map((value, at) => [`${place} ${at + 1}`, textIn(value)]))
}

/** Of a carousel: each as a small template of its own. */
export function cardsOf({ rest }: Content, format: Format): Content[] {
  const carousel = rest.find((one) => upper(one.type) === 'CAROUSEL')
  return listIn(carousel?.cards).map((card) => readComponents(listIn(card.components), format))
}

/** Which field of the form the API means: `components[1].example.body_text` is `body.example`. */
export function fieldNamed(path: string, components: Json[]): string {
  const [, index, below = ''] = /^(?:template\.)?components\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  if (index === undefined) return path
  const type = upper(components[Number(index)]?.type).toLowerCase()
  if (type === 'buttons') {
    const [, at, field] = /^buttons\[(\d+)\]\.(\w+)/.exec(below) ?? []
    return at === undefined ? 'buttons' : `buttons ${at} ${field}`
  }
  return below.startsWith('example') ? `${type} example` : type
}
