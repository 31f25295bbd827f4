// Whether the parameters of a message fit its template: their number, their names, the kind of header, the buttons. Only
// what is sure to be refused by Meta is refused here.
import type { JsonObject } from '../meta/json.ts'
import type { Problem, TemplateContent } from './model.ts'
import { variablesIn } from './variables.ts'

type Path = (string | number)[]

/** A component of the message, and where it stands in it. */
export interface GivenPart {
  part: JsonObject
  path: Path
}

/** `given` is `components` of the message; paths begin where it does. */
export function parameterProblems(template: TemplateContent, given: unknown): Problem[] {
  return partsProblems(template.components, givenParts(given, []), [], template.parameterFormat)
}

export function givenParts(given: unknown, path: Path): GivenPart[] {
  if (!Array.isArray(given)) return []
  return given.flatMap((part, index) => (isRecord(part) ? [{ part, path: [...path, index] }] : []))
}

export function upper(value: unknown): string {
  return typeof value === 'string' ? value.toUpperCase() : ''
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function recordsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Meta takes places as numbers and as text; anything else is none. */
export function placeIn(value: unknown): number {
  const isPlace =
    typeof value === 'number' || (typeof value === 'string' && /^\d{1,9}$/.test(value))
  return isPlace ? Number(value) : Number.NaN
}

export function partOf(components: JsonObject[], type: string): JsonObject | undefined {
  return components.find((component) => upper(component.type) === type)
}

function partsProblems(
  components: JsonObject[],
  given: GivenPart[],
  path: Path,
  format: TemplateContent['parameterFormat'],
): Problem[] {
  const asked = (type: string) => given.find(({ part }) => upper(part.type) === type)
  return [
    ...headerProblems(partOf(components, 'HEADER'), asked('HEADER'), path, format),
    ...textProblems('body', partOf(components, 'BODY'), asked('BODY'), path, format),
    ...buttonProblems(
      recordsIn(partOf(components, 'BUTTONS')?.buttons),
      given.filter(({ part }) => upper(part.type) === 'BUTTON'),
      path,
    ),
    ...carouselProblems(partOf(components, 'CAROUSEL'), asked('CAROUSEL'), path, format),
  ]
}

function headerProblems(
  header: JsonObject | undefined,
  given: GivenPart | undefined,
  path: Path,
  format: TemplateContent['parameterFormat'],
): Problem[] {
  const kind = upper(header?.format)
  if (header === undefined || kind === 'TEXT' || kind === '') {
    return textProblems('header', header, given, path, format)
  }
  if (!['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'].includes(kind)) return []
  const [parameter] = recordsIn(given?.part.parameters)
  if (upper(parameter?.type) === kind) return []
  const problem = `the header needs one parameter of type ${kind.toLowerCase()}`
  return [{ path: given ? [...given.path, 'parameters'] : path, problem }]
}

function textProblems(
  name: 'header' | 'body',
  component: JsonObject | undefined,
  given: GivenPart | undefined,
  path: Path,
  format: TemplateContent['parameterFormat'],
): Problem[] {
  const names = variablesIn(component?.text)
  const parameters = recordsIn(given?.part.parameters)
  const at = given ? [...given.path, 'parameters'] : path
  if (parameters.length !== names.length) {
    const wanted = names.length === 0 ? 'no parameters' : counted(names)
    return [{ path: at, problem: `the ${name} has ${wanted}, and ${parameters.length} are given` }]
  }
  if (format !== 'NAMED') return []
  return names.flatMap((wanted) =>
    parameters.some(({ parameter_name }) => parameter_name === wanted)
      ? []
      : [{ path: at, problem: `the ${name} has a parameter ${wanted}, which is not given` }],
  )
}

function counted(names: string[]): string {
  const list = names.map((name) => `{{${name}}}`).join(', ')
  return `${names.length} parameter${names.length === 1 ? '' : 's'} (${list})`
}

function buttonProblems(buttons: JsonObject[], given: GivenPart[], path: Path): Problem[] {
  const problems: Problem[] = []
  for (const { part, path: at } of given) {
    const button = buttons[placeIn(part.index)]
    if (button === undefined) {
      const problem =
        buttons.length === 0
          ? 'the template has no buttons'
          : `the template has ${buttons.length} buttons, counted from 0`
      problems.push({ path: [...at, 'index'], problem })
    } else if (isPlainUrl(button) && recordsIn(part.parameters).length > 0) {
      problems.push({ path: [...at, 'parameters'], problem: 'this button takes no parameter' })
    }
  }
  for (const [index, button] of buttons.entries()) {
    const one = given.find(({ part }) => placeIn(part.index) === index)
    if (!needsParameter(button) || recordsIn(one?.part.parameters).length > 0) continue
    problems.push({
      path: one ? [...one.path, 'parameters'] : path,
      problem: `button ${index} needs a parameter`,
    })
  }
  return problems
}

const isPlainUrl = (button: JsonObject) =>
  upper(button.type) === 'URL' && variablesIn(button.url).length === 0

const needsParameter = (button: JsonObject) =>
  upper(button.type) === 'COPY_CODE' ||
  (upper(button.type) === 'URL' && variablesIn(button.url).length > 0)

function carouselProblems(
  carousel: JsonObject | undefined,
  given: GivenPart | undefined,
  path: Path,
  format: TemplateContent['parameterFormat'],
): Problem[] {
  const cards = recordsIn(carousel?.cards)
  if (carousel === undefined) {
    return given ? [{ path: given.path, problem: 'the template has no carousel' }] : []
  }
  const asked = recordsIn(given?.part.cards)
  if (asked.length !== cards.length) {
    const problem = `the carousel has ${cards.length} cards, and ${asked.length} are given`
    return [{ path: given ? [...given.path, 'cards'] : path, problem }]
  }
  return asked.flatMap((card, index) => {
    const of = cards[placeIn(card.card_index ?? index)]
    const at = [...(given?.path ?? path), 'cards', index]
    if (of === undefined) {
      return [
        { path: [...at, 'card_index'], problem: `cards are counted from 0 to ${cards.length - 1}` },
      ]
    }
    const parts = givenParts(card.components, [...at, 'components'])
    return partsProblems(recordsIn(of.components), parts, [...at, 'components'], format)
  })
}
