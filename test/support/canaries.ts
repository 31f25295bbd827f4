// Strings that must turn up nowhere, and the search for them in every form they could take.
import { createHash } from 'node:crypto'

export interface Canary {
  /** What it stands for, e.g. `phone number`. */
  what: string
  text: string
}

/** Letters that neither hexadecimal digits nor a UUID have. */
const letters = 'ghijklmnopqrstuvwxyz'

/** Different for every seed and every purpose; digits only for what is a number in life. The `~` occurs in no hexadecimal, base64
 *  or UUID text, so no random id can hold a canary by chance. */
export function canary(what: string, seed = 0): Canary {
  const digest = createHash('sha256').update(`${what} ${seed}`).digest()
  const digits = BigInt(`0x${digest.toString('hex')}`)
    .toString()
    .slice(0, 10)
  const word = Array.from(digest.subarray(0, 16), (byte) => letters[byte % letters.length]).join('')
  return { what, text: what.includes('number') ? `628${digits}` : `canary~${word}` }
}

/** A random id can hold a short text by chance, which once turned a test red: `conv_…71111bdf…` and `/1111/`. */
function refuseCommon(text: string): void {
  if (text.length < (/^\+?\d+$/.test(text) ? 11 : 16)) {
    throw new Error(`"${text}" is too short to be looked for: chance may make it. Use canary().`)
  }
}

/** Fails when `text` contains one of `secrets`, as it is: for what must not be shown, told or logged. An absent or empty text fails
 *  too, because it proves nothing. */
export function expectNone(text: string | undefined, ...secrets: string[]): void {
  if (!text) throw new Error('there is no text to look into')
  for (const secret of secrets) refuseCommon(secret)
  const found = secrets.filter((secret) => text.includes(secret))
  if (found.length > 0) throw new Error(`${found.join(', ')} must not be in: ${text}`)
}

export interface Leak {
  what: string
  form: string
}

/** Which of them this text gives away. */
export function findLeaks(canaries: Canary[], text: string): Leak[] {
  for (const { text: secret } of canaries) refuseCommon(secret)
  const folded = text.toLowerCase()
  return canaries.flatMap(({ what, text: secret }) =>
    formsOf(secret)
      .filter(([form, written]) =>
        // Only base64 tells upper case from lower case.
        form.startsWith('base64') ? text.includes(written) : folded.includes(written.toLowerCase()),
      )
      .map(([form]) => ({ what, form })),
  )
}

function formsOf(secret: string): [form: string, written: string][] {
  const bytes = Buffer.from(secret)
  return [
    ['as it is', secret],
    ['hexadecimal', bytes.toString('hex')],
    ['every byte percent-encoded', bytes.toString('hex').replace(/../g, '%$&')],
    ['percent-encoded', encodeURIComponent(secret)],
    ...[0, 1, 2].map((before): [string, string] => [
      `base64 after ${before} bytes`,
      base64Within(bytes, before),
    ]),
    ...[0, 1, 2].map((before): [string, string] => [
      `base64url after ${before} bytes`,
      base64Within(bytes, before).replaceAll('+', '-').replaceAll('/', '_'),
    ]),
  ]
}

/** The characters that stand for these bytes alone, `before` bytes after a group's beginning: neighbours and padding change the others. */
function base64Within(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const from = Math.ceil((before * 8) / 6)
  const to = Math.floor(((before + bytes.length) * 8) / 6)
  return whole.slice(from, to)
}
