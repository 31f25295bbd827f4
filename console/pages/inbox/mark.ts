// The number beside Inbox in the rail: who waits for me, or for anybody.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { get } from '../../api/call.ts'
import type { ConversationCounts } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'
import type { Mark } from '../../shell/mark.ts'
import { useTenant } from '../../shell/tenant.tsx'

export const countsKey = ['conversation-counts']
const pauseMs = 1_000

export function useCounts() {
  const { id } = useTenant()
  return useQuery({
    queryKey: countsKey,
    queryFn: ({ signal }) =>
      get<ConversationCounts>('/api/whatsapp/conversations/counts', {}, signal),
    enabled: id !== null,
    staleTime: 30_000,
  })
}

/** Counted again when something happened, but not for each of many things. */
export function useInboxMark(): Mark | undefined {
  const { data } = useCounts()
  const queries = useQueryClient()
  const planned = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLive(({ type }) => {
    if (!/^(message\.received|conversation\.updated|stream\.reset)$/.test(type)) return
    planned.current ??= setTimeout(() => {
      planned.current = undefined
      void queries.invalidateQueries({ queryKey: countsKey })
    }, pauseMs)
  })
  useEffect(() => () => clearTimeout(planned.current), [])
  return data && data.waiting > 0 ? { count: data.waiting, tone: 'plain' } : undefined
}
