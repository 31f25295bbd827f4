// The buttons of a new template, with Meta's limits on them.
import type { JsonObject } from '../meta/json.ts'
import type { Problem } from './model.ts'
import { variablesIn } from './variables.ts'

const maxButtons = 10
const maxOfType: Record<string, number> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 }
const maxTextLength = 25
const maxUrlLength = 2000
const maxCodeLength = 15

export function buttonProblems(buttons: unknown, isAuthentication: boolean): Problem[] {
  if (!Array.isArray(buttons) || buttons.length === 0 || buttons.length > maxButtons) {
    return [{ path: ['buttons'], problem: `from 1 to ${maxButtons} buttons` }]
  }
  const counts = new Map<string, number>()
  const problems = buttons.flatMap((button, index) => {
    const at = (path: string[], problem: string): Problem => ({
      path: ['buttons', index, ...path],
      problem,
    })
    if (typeof button !== 'object' || button === null || Array.isArray(button)) {
      return [at([], 'must be an object')]
    }
    const type = upper((button as JsonObject).type)
    if (type === '') return [at(['type'], 'required')]
    const count = (counts.get(type) ?? 0) + 1
    counts.set(type, count)
    const max = maxOfType[type]
    return [
      ...(max !== undefined && count > max ? [at(['type'], `at most ${max} of ${type}`)] : []),
      ...oneButton(type, button as JsonObject).map(({ path, problem }) =>
        at(path as string[], problem),
      ),
    ]
  })
  if (isAuthentication && (buttons.length !== 1 || counts.get('OTP') !== 1)) {
    problems.push({
      path: ['buttons'],
      problem: 'an authentication template has one OTP button and no other',
    })
  }
  return problems
}

/** Types that are not known here are Meta's to judge. */
function oneButton(type: string, button: JsonObject): Problem[] {
  switch (type) {
    case 'QUICK_REPLY':
      return labelProblems(button)
    case 'URL':
      return [...labelProblems(button), ...urlProblems(button)]
    case 'PHONE_NUMBER':
      return [...labelProblems(button), ...phoneProblems(button)]
    case 'COPY_CODE':
      return codeProblems(button)
    default:
      return []
  }
}

function labelProblems({ text }: JsonObject): Problem[] {
  if (typeof text !== 'string' || text.trim() === '') {
    return [{ path: ['text'], problem: 'a text is required' }]
  }
  if ([...text.slice(0, 2 * maxTextLength + 1)].length > maxTextLength) {
    return [{ path: ['text'], problem: `at most ${maxTextLength} characters` }]
  }
  if (variablesIn(text).length > 0) {
    return [{ path: ['text'], problem: 'the text of a button has no parameters' }]
  }
  return []
}

function urlProblems({ url, example }: JsonObject): Problem[] {
  const wrong = (problem: string): Problem[] => [{ path: ['url'], problem }]
  if (typeof url !== 'string') return wrong('required with type URL')
  if (url.length > maxUrlLength) return wrong(`at most ${maxUrlLength} characters`)
  if (!/^https?:\/\/[^\s/?#]\S*$/i.test(url)) return wrong('must be an http or https URL')
  const names = variablesIn(url)
  if (names.length === 0) return []
  if (names.length > 1 || !url.endsWith('{{1}}') || url.indexOf('{{') !== url.length - 5) {
    return wrong('can have one parameter, {{1}}, at its end')
  }
  const given = Array.isArray(example) ? example[0] : example
  if (typeof given === 'string' && given !== '') return []
  return [{ path: ['example'], problem: 'an example is required: the whole URL, filled in' }]
}

function phoneProblems({ phone_number }: JsonObject): Problem[] {
  if (typeof phone_number === 'string' && /^\+?\d{5,20}$/.test(phone_number)) return []
  return [{ path: ['phone_number'], problem: 'a number with its country code: digits, at most 20' }]
}

function codeProblems({ example }: JsonObject): Problem[] {
  const given = Array.isArray(example) ? example[0] : example
  if (typeof given !== 'string' || given === '') {
    return [{ path: ['example'], problem: 'an example of the code is required' }]
  }
  if (given.length <= maxCodeLength) return []
  return [{ path: ['example'], problem: `at most ${maxCodeLength} characters` }]
}

function upper(value: unknown): string {
  return typeof value === 'string' ? value.toUpperCase() : ''
}
