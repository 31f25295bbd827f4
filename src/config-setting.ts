// What a setting is, and the kinds of values that settings take.
import type { Choice, Choices, UrlType, ValueType } from './config-kinds.ts'

/** A setting that chooses a backend, and one of its values. */
export interface Backend {
  key: 'dispatch' | 'dedupeStore' | 'mediaStore'
  value: string
}

interface SettingOptions {
  doc: string
  default?: string
  /** Takes the place of `default` when ESTAFET_ENV is development (for ESTAFET_ENV itself: under `dev`). */
  developmentDefault?: string
  /** How the default reads in the documentation when the two above cannot say it. */
  defaultDoc?: string
  /** Its value is never printed. */
  secret?: true
  /** Enforced in staging and production, for each value of a list. */
  minLength?: number
  /** Where leaving it out is refused: in staging and production, or wherever another setting has this value. */
  required?: 'deployed' | Backend
  /** How to come by a value, for the refusal. */
  obtain?: string
}

export interface Setting extends SettingOptions {
  variable: string
  type: ValueType
}

export function setting<T extends ValueType, const O extends SettingOptions>(
  variable: string,
  type: T,
  options: O,
): { variable: string; type: T } & O {
  return { variable, type, ...options }
}

export const choice = <A extends string>(...allowed: A[]): Choice<A> => ({
  kind: 'choice',
  allowed,
})
export const choices = <A extends string>(...allowed: A[]): Choices<A> => ({
  kind: 'choices',
  allowed,
})
export const integer = (min: number, max: number) => ({ kind: 'integer' as const, min, max })
export const decimal = (min: number, max: number) => ({ kind: 'decimal' as const, min, max })
export const text = (pattern = /./, form = 'some text') => ({
  kind: 'text' as const,
  pattern,
  form,
})
export const list = (pattern: RegExp, form: string) => ({ kind: 'list' as const, pattern, form })
export const url = (...schemes: string[]): UrlType => ({ kind: 'url', schemes, isBase: false })
export const baseUrl: UrlType = { kind: 'url', schemes: ['http', 'https'], isBase: true }
export const flag = { kind: 'flag' as const }
export const hostAndPort = text(/^[^\s:/]+:\d{1,5}$/, 'host:port')
// Whatever travels in a header must be printable ASCII without spaces.
export const headerValues = list(/^[\x21-\x7e]+$/, 'printable characters without spaces')
export const collectorHeaders = list(
  /^[\w!#$&'*+.^`|~-]+\s*=(?:[\x20-\x24\x26-\x7e]|%[2-7][0-9A-Fa-f])*$/,
  'name=value, special characters of the value percent-encoded',
)
export const queueNames = list(/^[A-Za-z0-9-]{1,100}$/, 'letters, digits and hyphens, at most 100')
export const cloudName = text(/^[A-Za-z0-9][A-Za-z0-9.:-]*$/, "the cloud's own name for it")
