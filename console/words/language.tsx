// Which language the page speaks. Words live beside the page that says them, in all four languages side by side.
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { type Language, languages } from './define.ts'
import { createFormat, type Format } from './format.ts'

interface Speaking {
  language: Language
  format: Format
  choose(language: Language): void
}

const SpeakingContext = createContext<Speaking | undefined>(undefined)
const storageKey = 'estafet.language'

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const speaking = useMemo<Speaking>(
    () => ({
      language,
      format: createFormat(language),
      choose: (chosen) => {
        localStorage.setItem(storageKey, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  return <SpeakingContext value={speaking}>{children}</SpeakingContext>
}

/** What was chosen here before; otherwise what the browser prefers. */
function firstLanguage(): Language {
  const wishes = [localStorage.getItem(storageKey) ?? '', ...navigator.languages]
  const known = Object.keys(languages) as Language[]
  for (const wish of wishes) {
    const found = known.find((one) => wish.toLowerCase().split('-')[0] === one)
    if (found) return found
  }
  return 'en'
}

export function useLanguage(): Speaking {
  const speaking = useContext(SpeakingContext)
  if (!speaking) throw new Error('bug: no language here')
  return speaking
}

export function useWords<Said>(words: Record<Language, Said>): Said {
  return words[useLanguage().language]
}

/** Times, numbers and sizes as people of this language write them. */
export function useFormat(): Format {
  return useLanguage().format
}
