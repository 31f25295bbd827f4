// Dead letters as the page asks for them: what the address wants, as questions to the API.
import {
  type InfiniteData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { z } from 'zod'
import type {
  deadLetter,
  deadLetterBulkAnswer,
  deadLetterCounts,
  deadLetterInspection,
} from '../../../src/api/contract-dead-letters.ts'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useTenant } from '../../shell/tenant.tsx'

export type Letter = z.output<typeof deadLetter>
export type Inspection = z.output<typeof deadLetterInspection>
export type Counts = z.output<typeof deadLetterCounts>
export type BulkAnswer = z.output<typeof deadLetterBulkAnswer>
export type Verb = 'requeue' | 'discard' | 'mark-sent'

/** An operator who looks at all tenants asks for all; everybody else for one. */
export function useLettersPath(): string {
  return useTenant().id === null ? '/api/admin/whatsapp/dlq' : '/api/whatsapp/dlq'
}

export const shows = ['all', 'outbound', 'inbound', 'unknown'] as const
export type Show = (typeof shows)[number]
export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const
export type Span = keyof typeof spans

export interface Asked {
  isDecided: boolean
  show: Show
  reason: Letter['reason'] | undefined
  code: string | undefined
  since: Span | undefined
  q: string | undefined
  /** The same for the API. `wide` is without what the page can count by itself. */
  filter: Record<string, string>
  wide: Record<string, string>
}

/** What the address asks for. */
export function useAsked(): Asked {
  const { search } = usePlace()
  const { state, reason, code, q } = search
  const show = shows.find((one) => one === search.show) ?? 'all'
  const since = search.since && search.since in spans ? (search.since as Span) : undefined
  return useMemo(() => {
    const wide = {
      ...(q && { q }),
      ...(since && { created_after: new Date(Date.now() - spans[since]).toISOString() }),
    }
    const filter = {
      ...wide,
      ...(show === 'inbound' ? { direction: show } : show !== 'all' && { kind: show }),
      ...(reason && { reason }),
      ...(code && { error_code: code }),
    }
    const isDecided = state === 'decided'
    return {
      isDecided,
      show,
      reason: reason as Asked['reason'],
      code,
      since,
      q,
      filter: filter as Record<string, string>,
      wide: wide as Record<string, string>,
    }
  }, [state, show, reason, code, since, q])
}

const stateOf = ({ isDecided }: Asked) => (isDecided ? 'decided' : 'open')
const listKey = (asked: Asked) => ['letters', 'list', stateOf(asked), asked.filter]
const pageSize = 100

/** Asked for once and then left alone: rows keep their place until the person wants the new ones. */
export function useLetters(asked: Asked) {
  const path = useLettersPath()
  const found = useInfiniteQuery({
    queryKey: listKey(asked),
    queryFn: ({ pageParam, signal }) =>
      get<List<Letter>>(
        path,
        { ...asked.filter, state: stateOf(asked), limit: pageSize, after: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.paging.next ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const letters = useMemo(() => found.data?.pages.flatMap((page) => page.data) ?? [], [found.data])
  return { ...found, letters }
}

/** Somebody decided: the row says so where it stands. */
export function useLetterChange() {
  const queries = useQueryClient()
  return (id: string, change: Partial<Letter>) => {
    queries.setQueriesData<InfiniteData<List<Letter>>>(
      { queryKey: ['letters', 'list'] },
      (before) =>
        before && {
          ...before,
          pages: before.pages.map((page) => ({
            ...page,
            data: page.data.map((one) => (one.id === id ? { ...one, ...change } : one)),
          })),
        },
    )
    void queries.invalidateQueries({ queryKey: ['letters', 'counts'] })
    void queries.invalidateQueries({ queryKey: ['letters', 'one', id] })
  }
}

/** The whole has no stream: it is asked again now and then. */
const pollMs = 10_000

export function useCounts(wide: Record<string, string>, state: 'open' | 'decided' = 'open') {
  const path = useLettersPath()
  const { id } = useTenant()
  const queries = useQueryClient()
  useLive(({ type }) => {
    if (type !== 'dead_letter.created' && type !== 'stream.reset') return
    void queries.invalidateQueries({ queryKey: ['letters', 'counts'] })
  })
  return useQuery({
    queryKey: ['letters', 'counts', state, wide],
    queryFn: ({ signal }) => get<Counts>(`${path}/counts`, { ...wide, state }, signal),
    refetchInterval: id === null ? pollMs : pollMs * 6,
  })
}

export const kindsOf: Record<Show, readonly Letter['kind'][]> = {
  all: ['outbound', 'inbound', 'malformed', 'unroutable', 'unknown'],
  outbound: ['outbound'],
  inbound: ['inbound', 'malformed', 'unroutable'],
  unknown: ['unknown'],
}

/** How many of these the choices leave. */
export function sumOf(
  counts: Counts | undefined,
  { show, reason, code }: Partial<Pick<Asked, 'show' | 'reason' | 'code'>>,
): number | undefined {
  return counts?.groups.reduce((sum, group) => {
    const isWanted =
      kindsOf[show ?? 'all'].includes(group.kind) &&
      (reason === undefined || group.reason === reason) &&
      (code === undefined || group.error_code === code)
    return isWanted ? sum + group.count : sum
  }, 0)
}

/** Each look is written down, so it is not repeated by itself. */
export function useInspection(id: string) {
  const path = useLettersPath()
  return useQuery({
    queryKey: ['letters', 'one', id],
    queryFn: ({ signal }) => get<Inspection>(`${path}/${id}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}
