// The small checks that the bodies of sends have in common. `path` is how Meta names the place.
import { invalidParameter, missingParameter } from '../whatsapp-errors.ts'
import { invalidRequest } from './errors.ts'
import { type Fields, isFields } from './fields.ts'

export interface TextRule {
  max?: number
  /** Left out is fine too. */
  optional?: boolean
}

export function checkText(
  parent: Fields,
  key: string,
  path: string,
  { max, optional = false }: TextRule = {},
): string {
  const value = parent[key]
  if (value === undefined) {
    if (optional) return ''
    throw missingParameter(path)
  }
  if (typeof value !== 'string' || value === '') {
    throw invalidParameter(`${path} must be a non-empty string.`)
  }
  if (max !== undefined && value.length > max) {
    throw invalidParameter(`${path} must be at most ${max} characters long.`)
  }
  return value
}

export function checkObject(parent: Fields, key: string, path: string): Fields {
  const value = parent[key]
  if (value === undefined) throw missingParameter(path)
  if (!isFields(value)) throw invalidParameter(`${path} must be an object.`)
  return value
}

export function checkArray(
  parent: Fields,
  key: string,
  path: string,
  [min, max]: readonly [number, number],
): Fields[] {
  const value = parent[key]
  if (value === undefined) throw missingParameter(path)
  if (!Array.isArray(value) || value.length < min || value.length > max || !value.every(isFields)) {
    throw invalidParameter(`${path} must be an array of ${min} to ${max} objects.`)
  }
  return value
}

export function checkUrl(parent: Fields, key: string, path: string): void {
  const url = checkText(parent, key, path, { max: 2000 })
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalidParameter(`${path} must be an http or https URL.`)
  }
}

export function checkUnique(values: readonly string[], path: string): void {
  if (new Set(values).size < values.length) throw invalidParameter(`${path} must be unique.`)
}

export function refuseKeys(parent: Fields, keys: readonly string[], path: string): void {
  for (const key of keys) {
    if (parent[key] !== undefined) {
      throw invalidRequest(`Unexpected key "${key}" on param "${path}".`)
    }
  }
}
