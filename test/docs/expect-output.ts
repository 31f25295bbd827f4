// Whether a program printed what its document says. `…` stands for anything: ids, times, what is left out.
import type { Sample } from './read-samples.ts'

/** What differs, or nothing. */
export function differenceOf({ expected }: Sample, printed: string): string | undefined {
  if (!expected) return undefined
  const isAsSaid =
    expected.language === 'json'
      ? isPartOf(JSON.parse(expected.code), parse(printed))
      : isLike(expected.code, printed)
  return isAsSaid
    ? undefined
    : `${expected.place} says\n${expected.code}\nbut what came is\n${printed.trim()}`
}

/** Of JSON a document may show a part: every key it shows is there, with such a value. */
function isPartOf(shown: unknown, whole: unknown): boolean {
  if (typeof shown === 'string') {
    return shown === '…' ? whole !== undefined : typeof whole === 'string' && isLike(shown, whole)
  }
  if (typeof shown !== 'object' || shown === null) return shown === whole
  if (typeof whole !== 'object' || whole === null) return false
  // Of a list, some.
  if (Array.isArray(shown) || Array.isArray(whole)) {
    if (!Array.isArray(shown) || !Array.isArray(whole)) return false
    return shown.every((item) => whole.some((other) => isPartOf(item, other)))
  }
  return Object.entries(shown).every(([key, value]) =>
    isPartOf(value, (whole as Record<string, unknown>)[key]),
  )
}

/** Blanks and line breaks do not count. */
export function isLike(shown: string, printed: string): boolean {
  const pattern = words(shown).split('…').map(literally).join('[\\s\\S]*')
  return new RegExp(`^${pattern}$`).test(words(printed))
}

const words = (text: string) => text.trim().replace(/\s+/g, ' ')

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
