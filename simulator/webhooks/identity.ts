// Other names for the same person: user ids, other spellings of a number, a new number.
import { createHash } from 'node:crypto'
import type { Random } from '../time-and-chance.ts'

const countries: readonly (readonly [prefix: string, country: string])[] = [
  ['1', 'US'],
  ['27', 'ZA'],
  ['31', 'NL'],
  ['33', 'FR'],
  ['34', 'ES'],
  ['39', 'IT'],
  ['44', 'GB'],
  ['49', 'DE'],
  ['52', 'MX'],
  ['54', 'AR'],
  ['55', 'BR'],
  ['91', 'IN'],
  ['351', 'PT'],
  ['971', 'AE'],
]

function countryOf(waId: string): string {
  return countries.findLast(([prefix]) => waId.startsWith(prefix))?.[1] ?? 'US'
}

/** Always the same for one person and one account, and another for another account. */
export function userIdOf(waId: string, wabaId: string): string {
  const hash = createHash('sha256').update(`${wabaId}:${waId}`).digest('hex')
  return `${countryOf(waId)}.${digitsFrom(hash)}`
}

export function freshUserId(before: string, random: Random): string {
  return `${before.slice(0, 2)}.${digitsFrom(random.bytes(32).toString('hex'))}`
}

function digitsFrom(hex: string): string {
  return BigInt(`0x${hex}`).toString().slice(0, 20)
}

/** The same line with other digits at its end: what a person has after changing numbers. */
export function freshNumber(before: string, random: Random): string {
  const tail = String(random.bytes(4).readUInt32BE() % 10_000).padStart(4, '0')
  const after = before.slice(0, -4) + tail
  return after === before ? before.slice(0, -1) + ((Number(before.at(-1)) + 1) % 10) : after
}

/**
 * The countries where WhatsApp knows people by another number than they dial: Brazil with or
 * without its ninth digit, Mexico with or without a 1, Argentina with or without a 9.
 */
export function otherSpelling(waId: string): string | undefined {
  const brazil = /^55(\d{2})(9?)(\d{8})$/.exec(waId)
  if (brazil) return `55${brazil[1]}${brazil[2] === '' ? '9' : ''}${brazil[3]}`
  const mexico = /^52(1?)(\d{10})$/.exec(waId)
  if (mexico) return `52${mexico[1] === '' ? '1' : ''}${mexico[2]}`
  const argentina = /^54(9?)(\d{10})$/.exec(waId)
  if (argentina) return `54${argentina[1] === '' ? '9' : ''}${argentina[2]}`
  return undefined
}
