// Messages and their ways, as the page asks for them.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { messageTrace, tracedMessage } from '../../../src/api/contract-ops.ts'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'
import { useTenant } from '../../shell/tenant.tsx'

export type Traced = z.output<typeof tracedMessage>
export type Trace = z.output<typeof messageTrace>

const useBase = () => (useTenant().id === null ? '/api/admin/whatsapp' : '/api/whatsapp')

/** More than these nobody looks through: better to say more. */
export const atMost = 50

export function useHits(q: string) {
  const base = useBase()
  return useQuery({
    queryKey: ['trace', 'hits', q],
    queryFn: ({ signal }) => get<List<Traced>>(`${base}/trace`, { q, limit: atMost }, signal),
    enabled: q !== '',
  })
}

export function useTrace(messageId: string) {
  const base = useBase()
  const { id: tenantId } = useTenant()
  const queries = useQueryClient()
  const queryKey = ['trace', 'one', messageId]
  useLive(({ type, data }) => {
    const about = (data as { data?: { message_id?: string } } | null)?.data?.message_id
    if (type === 'stream.reset' || about === messageId) void queries.invalidateQueries({ queryKey })
  })
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => get<Trace>(`${base}/messages/${messageId}/trace`, {}, signal),
    refetchInterval: tenantId === null ? 10_000 : false,
  })
}
