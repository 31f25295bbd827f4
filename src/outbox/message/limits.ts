// Pieces that every kind of message is made of, with the limits Meta puts on them.
import { z } from 'zod'
import { maxIdLength } from '../../meta/delivery.ts'

/** Characters as JSON Schema counts them: an emoji is one, not two. Meta does not say how it counts, and refusing what
 *  Meta would take is worse than letting Meta refuse. */
export function text(max: number, min = 1) {
  return z
    .string()
    .min(min, 'must not be empty')
    .refine((said) => isWithin(said, max), `at most ${max} characters`)
    .meta({ maxLength: max })
}

function isWithin(said: string, max: number): boolean {
  if (said.length <= max) return true
  // No character takes more than two units.
  return said.length <= 2 * max && [...said].length <= max
}

/** For names, addresses and the like, on which Meta documents no limit: enough for anybody, and still bounded. */
export const freeText = () => text(1024)

/** Long enough for signed links; Meta names no limit for those of media. */
const maxUrlLength = 8192

/** Meta fetches and opens nothing but http and https. */
export function webUrl(max = maxUrlLength) {
  return text(max).refine(isWebUrl, 'must be an http or https URL').meta({ format: 'uri' })
}

function isWebUrl(said: string): boolean {
  // URL alone would forgive spaces, line ends and a missing host, and Meta would not.
  return /^https?:\/\/[^\s/?#]\S*$/i.test(said) && URL.canParse(said)
}

/** A message's id. Opaque, of any length that we can store. */
export const wamid = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'a message’s id: printable, without spaces')
  .max(maxIdLength, `at most ${maxIdLength} characters`)

/** An item's number in the shop's catalogue; Meta documents no limit. */
export const productId = text(256)

/** Adds an issue for every element that repeats an earlier one's value. */
export function refuseRepeated(
  ctx: z.RefinementCtx,
  values: readonly (string | number | undefined)[],
  pathOf: (index: number) => PropertyKey[],
): void {
  const seen = new Set<string | number>()
  for (const [index, value] of values.entries()) {
    if (value === undefined) continue
    if (seen.has(value)) refuse(ctx, pathOf(index), 'must not be the same as another one’s')
    seen.add(value)
  }
}

export function refuse(ctx: z.RefinementCtx, path: PropertyKey[], message: string): void {
  ctx.addIssue({ code: 'custom', path, message })
}
