// JSON as it comes from outside: unknown shapes, hostile text, any depth.
import { createHash } from 'node:crypto'

export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The value of a JSON text, or undefined when the bytes are not UTF-8 or not JSON (the error would quote them). */
export function parseJson(raw: Buffer): { value: unknown; text: string } | undefined {
  try {
    const text = utf8.decode(raw)
    return { value: JSON.parse(text), text }
  } catch {
    return undefined
  }
}

/** Deeper than any payload of Meta's, shallower than what overflows a stack. */
export const maxDepth = 200

/** A copy that Postgres can store: no NUL, no half of a surrogate pair. The event's raw bytes keep the original. */
export function storable(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) throw new TooDeep()
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map((inner) => storable(inner, depth + 1))
  if (!isObject(value)) return value
  const copy: JsonObject = Object.create(null)
  for (const [key, inner] of Object.entries(value)) {
    copy[storableText(key)] = storable(inner, depth + 1)
  }
  return copy
}

export class TooDeep extends Error {
  constructor() {
    super(`nested more than ${maxDepth} levels deep`)
    this.name = 'TooDeep'
  }
}

function storableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\ufffd') : wellFormed
}

/** SHA-256 of the value, whatever the order of its keys. */
export function canonicalHash(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
  return `{${pairs.join(',')}}`
}
