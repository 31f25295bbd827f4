// Meta's words in the person's language; what is new to us is said as Meta says it.
import { useFormat, useWords } from '../../words/language.tsx'
import { templateWords } from './words.ts'

/** `PARTLY_HIDDEN` → `Partly hidden`. */
const plainly = (word: string) =>
  word.charAt(0).toUpperCase() + word.slice(1).toLowerCase().replaceAll('_', ' ')

const said = (words: Record<string, string>, word: string) =>
  Object.hasOwn(words, word) ? (words[word] ?? '') : plainly(word)

export function useSpeech() {
  const words = useWords(templateWords)
  const { locale } = useFormat()
  const names = new Intl.DisplayNames([locale], { type: 'language' })
  return {
    state: (status: string) =>
      said(words.states, status === 'PENDING_DELETION' ? 'DELETED' : status),
    category: (category: string | null) => (category ? said(words.categories, category) : '—'),
    quality: (quality: string | null) => (quality ? said(words.qualities, quality) : '—'),
    /** `pt_BR` → `Portuguese (Brazil)`. */
    language(code: string): string {
      try {
        const name = names.of(code.replaceAll('_', '-')) ?? code
        return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
      } catch {
        return code
      }
    },
  }
}
