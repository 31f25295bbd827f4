// What a contact is called here: by name, else by what is known of them.
import { useWords } from '../../words/language.tsx'
import { answersWords } from './answers-words.ts'
import type { Suppression } from './types.ts'

export function useContactName({ contact }: Pick<Suppression, 'contact'>): string {
  const words = useWords(answersWords)
  return (
    contact.name ??
    contact.username ??
    (contact.wa_id ? `+${contact.wa_id}` : (contact.user_id ?? words.unnamed))
  )
}
