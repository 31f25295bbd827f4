// What the page asks for, and how often: figures of the moment every few seconds while somebody looks, the rest less often.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import type { Alert, Health, History, Range } from './types.ts'

const healthEveryMs = 4_000
const alertsEveryMs = 10_000
const historyEveryMs: Record<Range, number> = {
  '1h': 20_000,
  '6h': 60_000,
  '24h': 300_000,
  '7d': 300_000,
}

/** Asked again anyway: to try at once helps nobody, and a failure is to be told at once. */
const asItIs = { retry: false, networkMode: 'always' } as const

function useBase(): string {
  return useTenant().id === null ? '/api/admin/whatsapp' : '/api/whatsapp'
}

export function useHealth() {
  const base = useBase()
  const health = useQuery({
    queryKey: ['overview', 'health'],
    queryFn: ({ signal }) => get<Health>(`${base}/health`, {}, signal),
    refetchInterval: healthEveryMs,
    ...asItIs,
  })
  useNews()
  return health
}

const newsAtMostEveryMs = 1_500

/** Whatever happens to a tenant changes its figures. */
function useNews(): void {
  const queries = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(waiting.current), [])
  useLive(() => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined
      if (!document.hidden) void queries.invalidateQueries({ queryKey: ['overview', 'health'] })
    }, newsAtMostEveryMs)
  })
}

export function useHistory(range: Range) {
  const base = useBase()
  return useQuery({
    queryKey: ['overview', 'history', range],
    queryFn: ({ signal }) => get<History>(`${base}/history`, { range }, signal),
    refetchInterval: historyEveryMs[range],
    ...asItIs,
  })
}

export function useAlerts(state: Alert['state'], limit: number) {
  const base = useBase()
  return useQuery({
    queryKey: ['overview', 'alerts', state],
    queryFn: ({ signal }) => get<List<Alert>>(`${base}/alerts`, { state, limit }, signal),
    refetchInterval: alertsEveryMs,
    ...asItIs,
  })
}
