// What there is to say, in all four languages side by side, and nothing of the browser.

export const languages = { en: 'English', es: 'Español', pt: 'Português', id: 'Indonesia' } as const
export type Language = keyof typeof languages

type Said<Words> = {
  [Name in keyof Words]: Words[Name] extends (...given: infer Given) => string
    ? (...given: Given) => string
    : Words[Name] extends string
      ? string
      : Said<Words[Name]>
}

export type Words<English> = Record<Language, Said<English>>

/** English decides what there is to say; the compiler sees to it that the others say it too. */
export function defineWords<English extends object>(
  words: { en: English } & Record<Exclude<Language, 'en'>, Said<English>>,
): Words<English> {
  return words as Words<English>
}
