// Who did something, by name: the audit keeps ids.
import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { List, Person } from '../../api/types.ts'
import { useWords } from '../../words/language.tsx'
import { letterWords } from './words.ts'

export function useActorName(): (actor: string | null | undefined) => string {
  const words = useWords(letterWords)
  const { person, may } = useSession()
  const { data } = useQuery({
    queryKey: ['people', 'names'],
    queryFn: ({ signal }) =>
      get<List<Person>>(
        may('operator') ? '/api/admin/people' : '/api/whatsapp/people',
        { limit: 200 },
        signal,
      ),
    staleTime: 60_000,
  })
  return (actor) => {
    if (!actor) return ''
    if (actor === person.id) return words.you
    if (actor === 'estafet') return words.itself
    if (actor.startsWith('key_')) return `${words.key} ${actor.slice(0, 12)}`
    if (!actor.startsWith('usr_')) return actor
    return data?.data.find(({ id }) => id === actor)?.name ?? words.anOperator
  }
}
