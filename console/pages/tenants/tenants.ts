// Tenants over the API. The list of them is the whole page's: the switcher shows it too.
import { useMutation } from '@tanstack/react-query'
import { patch, post } from '../../api/call.ts'
import type { Tenant } from '../../api/types.ts'
import { useWholeQueries } from '../../shell/tenant.tsx'

export interface TenantWishes {
  name?: string
  slug?: string
  status?: 'active' | 'suspended'
  max_concurrency?: number | null
  max_queued?: number | null
  retry_policy?: 'standard' | 'patient' | null
  reason?: string
}

export function useTenantChange(id: string) {
  const queries = useWholeQueries()
  return useMutation({
    mutationFn: (change: TenantWishes) => patch<Tenant>(`/api/admin/tenants/${id}`, change),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tenants'] }),
  })
}

export function useTenantCreation() {
  const queries = useWholeQueries()
  return useMutation({
    mutationFn: (wishes: TenantWishes) => post<Tenant>('/api/admin/tenants', wishes),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tenants'] }),
  })
}
