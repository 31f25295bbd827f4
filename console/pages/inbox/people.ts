// Who contacts are, what they are called, and who may answer them.
import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/call.ts'
import type { Colleague, Conversation, List, OwnNumber } from '../../api/types.ts'
import { phoneText } from './phone.ts'

type Named = Pick<Conversation, 'contact' | 'contact_wa_id'>

/** What to call a contact: their name, or what else is known of them. */
export function contactName({ contact, contact_wa_id }: Named): string {
  return contact.name || (contact.username && `@${contact.username}`) || phoneText(contact_wa_id)
}

async function everyPage<Item>(path: string, signal: AbortSignal): Promise<Item[]> {
  const all: Item[] = []
  let after: string | null = null
  do {
    const page: List<Item> = await get(path, { limit: 200, after }, signal)
    all.push(...page.data)
    after = page.paging.next
  } while (after !== null)
  return all
}

/** To whom a conversation can be given, by name. */
export function useColleagues() {
  return useQuery({
    queryKey: ['colleagues'],
    queryFn: async ({ signal }) => {
      const all = await everyPage<Colleague>('/api/whatsapp/colleagues', signal)
      return all.toSorted((one, other) => one.name.localeCompare(other.name))
    },
    staleTime: 60_000,
  })
}

export const numbersKey = ['numbers']

/** The firm's own numbers. */
export function useNumbers() {
  return useQuery({
    queryKey: numbersKey,
    queryFn: ({ signal }) => everyPage<OwnNumber>('/api/whatsapp/numbers', signal),
    staleTime: 60_000,
  })
}
