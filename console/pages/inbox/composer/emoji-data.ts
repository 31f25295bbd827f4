// Emoji and their names, loaded when somebody asks for them. Indonesian has no names in the set: English ones serve.
import type { CompactEmoji } from 'emojibase'
import type { Language } from '../../../words/define.ts'

export interface Emoji {
  text: string
  name: string
  group: number
  /** Everything it can be found by, in lower case. */
  words: string
}

const sources: Record<Language, () => Promise<{ default: CompactEmoji[] }>> = {
  en: () => import('emojibase-data/en/compact.json'),
  es: () => import('emojibase-data/es/compact.json'),
  pt: () => import('emojibase-data/pt/compact.json'),
  id: () => import('emojibase-data/en/compact.json'),
}

/** Parts of other emoji, such as tones of skin. */
const componentGroup = 2

export async function loadEmoji(language: Language): Promise<Emoji[]> {
  const { default: found } = await sources[language]()
  return found
    .filter(({ group, order }) => group !== undefined && group !== componentGroup && order)
    .toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0))
    .map(({ unicode, label, tags = [], group = 0 }) => ({
      // What is an emoji anyway needs no mark that it is one.
      text: unicode.replace(/^(\p{Emoji_Presentation})\uFE0F$/u, '$1'),
      name: label,
      group,
      words: plain([label, ...tags].join(' ')),
    }))
}

/** Without accents: who searches for “corazon” means “corazón”. */
const plain = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')

export function findEmoji(all: Emoji[], query: string): Emoji[] {
  const wanted = plain(query).split(/\s+/).filter(Boolean)
  return all.filter(({ words }) => wanted.every((word) => ` ${words}`.includes(` ${word}`)))
}

const recentKey = 'estafet.emoji'
const mostRecent = 24

export function recentEmoji(): string[] {
  return JSON.parse(localStorage.getItem(recentKey) ?? '[]') as string[]
}

export function rememberEmoji(text: string): void {
  const others = recentEmoji().filter((one) => one !== text)
  localStorage.setItem(recentKey, JSON.stringify([text, ...others].slice(0, mostRecent)))
}
