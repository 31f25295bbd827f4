// What is kept of conversations: each by itself, and in the lists that show it.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { get } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { Conversation } from '../../api/types.ts'
import { belongs, type Filter, queryOf } from './list/filter.ts'
import { changeRow, type Pages, removeRow, rowsOf, settle } from './list/rows.ts'
import { countsKey } from './mark.ts'

export const conversationKey = (id: string) => ['conversation', id]
const listsKey = ['conversations']
export const listKey = (filter: Filter) => [...listsKey, queryOf(filter), filter] as const

type Change = (before: Conversation) => Conversation

export interface ConversationCache {
  /** Wherever it is shown, without moving it. */
  change(id: string, change: Change): void
  /** The same with the API's word. */
  put(conversation: Conversation): void
  /** Where it belongs now, in every list. For what the person did themselves. */
  place(conversation: Conversation): void
  /** It became one with another. */
  remove(id: string): void
  /** As a list shows it. */
  find(id: string): Conversation | undefined
  fetch(id: string): Promise<Conversation>
  /** Lists that nobody looks at are asked for anew when somebody does. */
  forgetHiddenLists(): void
}

export function useConversationCache(): ConversationCache {
  const queries = useQueryClient()
  const { person } = useSession()
  return useMemo(() => createCache(queries, person.id), [queries, person.id])
}

function createCache(queries: QueryClient, myId: string): ConversationCache {
  const change = (id: string, change: Change) => {
    queries.setQueryData<Conversation>(conversationKey(id), (before) => before && change(before))
    queries.setQueriesData<Pages>(
      { queryKey: listsKey },
      (pages) => pages && changeRow(pages, id, change),
    )
  }
  return {
    change,
    put: (conversation) => change(conversation.id, () => conversation),
    place(conversation) {
      change(conversation.id, () => conversation)
      for (const [key, pages] of queries.getQueriesData<Pages>({ queryKey: listsKey })) {
        const filter = key.at(-1) as Filter
        if (pages) queries.setQueryData(key, placeIn(pages, filter, [conversation], myId))
      }
      void queries.invalidateQueries({ queryKey: countsKey })
    },
    remove: (id) =>
      queries.setQueriesData<Pages>(
        { queryKey: listsKey },
        (pages) => pages && removeRow(pages, id),
      ),
    find(id) {
      for (const [, pages] of queries.getQueriesData<Pages>({ queryKey: listsKey })) {
        const found = pages && rowsOf(pages).find((row) => row.id === id)
        if (found) return found
      }
      return undefined
    },
    fetch: (id) => get<Conversation>(`/api/whatsapp/conversations/${id}`),
    forgetHiddenLists: () => queries.removeQueries({ queryKey: listsKey, type: 'inactive' }),
  }
}

export function placeIn(
  pages: Pages,
  filter: Filter,
  news: Iterable<Conversation>,
  myId: string,
): Pages {
  const there = new Set(rowsOf(pages).map(({ id }) => id))
  return settle(pages, news, (one) => belongs(filter, one, myId, there.has(one.id)))
}
