// Event endpoints and what was delivered to them. Deliveries have no events of their own: they are asked for again.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type {
  eventDelivery,
  eventDeliveryWithAttempts,
  eventEndpoint,
  eventEndpointWithSecret,
  replayedEvents,
} from '../../../src/api/contract-events.ts'
import { get } from '../../api/call.ts'
import type { Account, List } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'

export type Endpoint = z.output<typeof eventEndpoint>
export type EndpointWithSecret = z.output<typeof eventEndpointWithSecret>
export type Delivery = z.output<typeof eventDelivery>
export type InspectedDelivery = z.output<typeof eventDeliveryWithAttempts>
export type Replayed = z.output<typeof replayedEvents>

export const endpointsPath = '/api/whatsapp/event-endpoints'
const key = ['event-endpoints']
const againMs = 4_000

/** At most twenty. */
export function useEndpoints() {
  const reload = useReload()
  useLive(({ type }) => {
    if (type === 'event_endpoint.disabled' || type === 'stream.reset') reload()
  })
  return useQuery({
    queryKey: [...key, 'list'],
    queryFn: async ({ signal }) =>
      (await get<List<Endpoint>>(endpointsPath, { limit: 200 }, signal)).data,
    refetchInterval: againMs,
  })
}

export function useReload(): () => void {
  const queries = useQueryClient()
  return () => void queries.invalidateQueries({ queryKey: key })
}

export type DeliveryStatus = Delivery['status']

export function useDeliveries(endpointId: string, status: DeliveryStatus | undefined) {
  return useInfiniteQuery({
    queryKey: [...key, endpointId, 'deliveries', status ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      get<List<Delivery>>(
        `${endpointsPath}/${endpointId}/deliveries`,
        { limit: 50, status, after: pageParam || undefined },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: ({ paging }) => paging.next,
    // Who reads further down is not disturbed.
    refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : againMs),
  })
}

const isOver = (delivery: Delivery | undefined) =>
  delivery?.status === 'done' || delivery?.status === 'failed'

/** Often, until it is known what became of it. */
export function useDelivery(endpointId: string, eventId: string | undefined) {
  return useQuery({
    queryKey: [...key, endpointId, 'delivery', eventId],
    queryFn: ({ signal }) =>
      get<InspectedDelivery>(`${endpointsPath}/${endpointId}/deliveries/${eventId}`, {}, signal),
    enabled: eventId !== undefined,
    refetchInterval: ({ state }) => (isOver(state.data) ? false : 1_000),
    // An event gets its delivery a moment after it happened.
    retry: 10,
    retryDelay: 500,
  })
}

export function useAccounts() {
  return useQuery({
    queryKey: ['accounts', 'first'],
    queryFn: async ({ signal }) =>
      (await get<List<Account>>('/api/whatsapp/accounts', { limit: 200 }, signal)).data,
    staleTime: 60_000,
  })
}
