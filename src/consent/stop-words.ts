// A message that says nothing but "stop". The whole message must be the word: "stop by tomorrow" is no opt-out.

export type StopWords = ReadonlySet<string>

/** No stop word is longer, and what a stranger wrote is not worked through at any length. */
const maxLength = 200

/** A tenant's own list is asked about for every message of a batch. */
const known = new WeakMap<readonly string[], StopWords>()

/** `off` alone means that there are none. */
export function stopWordsOf(words: readonly string[]): StopWords {
  const before = known.get(words)
  if (before) return before
  const made = new Set(
    wordsInForce(words)
      .map(bare)
      .filter((word) => word !== ''),
  )
  known.set(words, made)
  return made
}

/** As somebody wrote them. */
export function wordsInForce(words: readonly string[]): readonly string[] {
  return words.length === 1 && bare(words[0] ?? '') === 'off' ? [] : words
}

export function isStopWord(text: string | undefined, words: StopWords): boolean {
  return text !== undefined && text.length <= maxLength && words.has(bare(text))
}

/** Letters and digits alone, in lower case and without accents, one space between words. */
function bare(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim()
}
