// Alerts and the channels that tell of them: a tenant's, or the operator's own where all tenants are shown.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type {
  alert,
  alertChannel,
  alertChannelWithSecret,
  testedAlertChannel,
} from '../../../src/api/contract-alerts.ts'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { useTenant } from '../../shell/tenant.tsx'

export type Alert = z.output<typeof alert>
export type Channel = z.output<typeof alertChannel>
export type ChannelWithSecret = z.output<typeof alertChannelWithSecret>
export type Tested = z.output<typeof testedAlertChannel>

/** Rules are looked at every 15 seconds. */
const againMs = 10_000

export function useChannelsPath(): string {
  return useTenant().id === null ? '/api/admin/alert-channels' : '/api/whatsapp/alert-channels'
}

export function useAlerts(state: Alert['state']) {
  const path = useTenant().id === null ? '/api/admin/whatsapp/alerts' : '/api/whatsapp/alerts'
  return useInfiniteQuery({
    queryKey: ['alerts', state],
    queryFn: ({ pageParam, signal }) =>
      get<List<Alert>>(path, { state, limit: 20, after: pageParam || undefined }, signal),
    initialPageParam: '',
    getNextPageParam: ({ paging }) => paging.next,
    refetchInterval: ({ state: { data } }) => (data && data.pages.length > 1 ? false : againMs),
  })
}

/** At most ten, and those of the environment. */
export function useChannels() {
  const path = useChannelsPath()
  return useQuery({
    queryKey: ['alert-channels'],
    queryFn: async ({ signal }) => (await get<List<Channel>>(path, { limit: 200 }, signal)).data,
    refetchInterval: againMs,
  })
}

export function useReload(): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: ['alert-channels'] })
}
