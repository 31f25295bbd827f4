// Reading what callers send and choosing what they asked to see.
import { unknownField } from './errors.ts'

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A query or body parameter as text; numbers count, since forms and queries have none. */
export function textIn(params: Fields, name: string): string | undefined {
  const value = params[name]
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}

/**
 * The `fields` parameter: the defaults when there is none, otherwise exactly what was asked for,
 * and the id always. Sub-fields such as `whatsapp_business_api_data{id}` come whole.
 */
export function selectFields(
  node: string,
  all: Fields,
  defaults: readonly string[],
  asked: unknown,
): Fields {
  const wanted = typeof asked === 'string' && asked.trim() !== '' ? namesIn(asked) : [...defaults]
  const chosen: Fields = {}
  for (const name of wanted) {
    if (!Object.hasOwn(all, name)) throw unknownField(name, node)
    if (all[name] !== undefined) chosen[name] = all[name]
  }
  return { ...chosen, id: all.id }
}

function namesIn(list: string): string[] {
  return list
    .replace(/\{[^{}]*\}|\.[a-z_]+\([^()]*\)/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
