// A letter's reason in words: class, code, what to do.
import { State } from '../../parts/basics.tsx'
import { useWords } from '../../words/language.tsx'
import { codeWords } from './code-words.ts'
import type { Letter } from './letters.ts'
import { reasonWords } from './reason-words.ts'

type Said = Pick<Letter, 'reason' | 'error_code' | 'provider_code'>

const tones: Partial<Record<Letter['reason'], 'warn' | 'plain'>> = {
  account: 'warn',
  limits: 'warn',
  tries: 'warn',
  processing: 'warn',
  unknown: 'plain',
  malformed: 'plain',
  unroutable: 'plain',
}

export const toneOf = ({ reason }: Pick<Letter, 'reason'>) => tones[reason] ?? 'bad'

export function Reason({ letter }: { letter: Said }) {
  const words = useWords(reasonWords)
  return <State tone={toneOf(letter)}>{words[letter.reason].title}</State>
}

export const codeOf = ({ provider_code, error_code }: Said) =>
  provider_code === null ? error_code : String(provider_code)

export function useWhy(): (letter: Said) => string {
  const reasons = useWords(reasonWords)
  const codes: Record<string, string> = useWords(codeWords)
  return ({ reason, error_code }) =>
    (Object.hasOwn(codes, error_code) ? codes[error_code] : undefined) ?? reasons[reason].why
}
