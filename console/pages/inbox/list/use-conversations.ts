// The list: page by page from the API, then kept true by the stream. Nothing moves while somebody reads it.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { get } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { Conversation, List } from '../../../api/types.ts'
import { listKey, placeIn, useConversationCache } from '../cache.ts'
import { belongs, type Filter, queryOf } from './filter.ts'
import { type Move, moveOf, nextOf, type Pages, rowsOf } from './rows.ts'
import { useNews } from './use-news.ts'

const firstPage = 50
const nextPages = 200

const getPage = (filter: Filter, after: string | null, signal?: AbortSignal) =>
  get<List<Conversation>>(
    '/api/whatsapp/conversations',
    { ...queryOf(filter), limit: after === null ? firstPage : nextPages, after },
    signal,
  )

/** `isReading`: somebody looks at the rows as they are. */
export function useConversations(filter: Filter, isReading: boolean) {
  const query = useQuery({
    queryKey: listKey(filter),
    queryFn: async ({ signal }): Promise<Pages> => ({
      pages: [await getPage(filter, null, signal)],
    }),
    // The stream keeps it true; asking for all pages again would be as many calls.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Nobody keeps a list true that is not shown.
    gcTime: 0,
  })
  const more = useMore(filter)
  const held = useHeld(filter, isReading, query.isSuccess)
  const rows = useMemo(() => (query.data ? rowsOf(query.data) : []), [query.data])
  return { query, rows, hasMore: query.data ? nextOf(query.data) !== null : false, more, held }
}

/** The page after the last. Added to what is there by then: news may have come meanwhile. */
function useMore(filter: Filter) {
  const queries = useQueryClient()
  const [state, setState] = useState<{ of: Filter; isLoading: boolean; error?: unknown }>()
  const loading = useRef<Filter>(undefined)
  const load = useCallback(async () => {
    const key = listKey(filter)
    const next = nextOf(queries.getQueryData<Pages>(key) ?? { pages: [] })
    if (next === null || loading.current === filter) return
    loading.current = filter
    setState({ of: filter, isLoading: true })
    try {
      const page = await getPage(filter, next)
      queries.setQueryData<Pages>(key, (before) =>
        before && nextOf(before) === next ? { pages: [...before.pages, page] } : before,
      )
      setState({ of: filter, isLoading: false })
    } catch (error) {
      setState({ of: filter, isLoading: false, error })
    }
    if (loading.current === filter) loading.current = undefined
  }, [queries, filter])
  return { load, error: state?.of === filter ? state.error : undefined }
}

/** What waits while somebody reads: conversations that would arrive, move up or leave. */
function useHeld(filter: Filter, isReading: boolean, isLoaded: boolean) {
  const queries = useQueryClient()
  const { person } = useSession()
  const cache = useConversationCache()
  const held = useRef(new Map<string, { one: Conversation; move: Move }>())
  const [arrivals, setArrivals] = useState(0)
  const [isBehind, setBehind] = useState(false)
  const reading = useRef(isReading)
  reading.current = isReading

  const moveFor = (one: Conversation): Move => {
    const pages = queries.getQueryData<Pages>(listKey(filter))
    if (!pages) return 'arrives'
    const isThere = rowsOf(pages).some(({ id }) => id === one.id)
    return moveOf(pages, one, belongs(filter, one, person.id, isThere))
  }

  /** The first page as it is now, in place of all there was. */
  const startOver = useCallback(async () => {
    const page = await getPage(filter, null).catch(() => undefined)
    setBehind(page === undefined)
    if (!page) return
    held.current.clear()
    setArrivals(0)
    queries.setQueryData<Pages>(listKey(filter), { pages: [page] })
  }, [queries, filter])

  const settle = useCallback(() => {
    setArrivals(0)
    const waiting = [...held.current.values()].map(({ one }) => one)
    held.current.clear()
    if (waiting.length > 0) {
      queries.setQueryData<Pages>(
        listKey(filter),
        (pages) => pages && placeIn(pages, filter, waiting, person.id),
      )
    }
    if (isBehind) void startOver()
  }, [queries, filter, person.id, isBehind, startOver])

  // biome-ignore lint/correctness/useExhaustiveDependencies: what waited, waited for another list.
  useEffect(() => {
    held.current.clear()
    setArrivals(0)
    setBehind(false)
  }, [filter])
  useEffect(() => {
    if (!isReading && isLoaded) settle()
  }, [isReading, isLoaded, settle])

  useNews({
    apply(conversations) {
      cache.forgetHiddenLists()
      for (const one of conversations) {
        cache.put(one)
        const move = moveFor(one)
        if (move === 'none') held.current.delete(one.id)
        else held.current.set(one.id, { one, move })
      }
      if (!reading.current) return settle()
      setArrivals([...held.current.values()].filter(({ move }) => move === 'arrives').length)
    },
    latest: async () => (await getPage(filter, null)).data,
    startAnew() {
      cache.forgetHiddenLists()
      if (reading.current) setBehind(true)
      else void startOver()
    },
  })
  return { arrivals, isBehind, settle }
}
