// How Meta reads a phone number: with a plus it is taken as it is, without one it may be completed.
import { digitsOf } from './identifiers.ts'

const twoDigitCodes = new Set(
  (
    '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 ' +
    '65 66 81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
)

/** Of an international number without its plus. */
export function countryCodeOf(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1)
  const two = digits.slice(0, 2)
  return twoDigitCodes.has(two) ? two : digits.slice(0, 3)
}

/** Up to this many digits a number without a plus is taken for a national one. */
const nationalDigits = 10

/**
 * The digits a recipient is reached by. Without a plus a national number gets the country code of
 * the business, so a foreign number that is as short goes to a stranger, as with Meta.
 */
export function reachedBy(to: string, businessNumber: string): string {
  const digits = digitsOf(to)
  if (to.trim().startsWith('+') || digits.length > nationalDigits) return digits
  return `${countryCodeOf(digitsOf(businessNumber))}${digits.replace(/^0+/, '')}`
}
