// Whose data the page shows. People of a tenant see their own; operators choose, and the choice is in the address.
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { get, setStanding } from '../api/call.ts'
import { createQueries } from '../api/queries.ts'
import { useSession } from '../api/session.tsx'
import type { List, Tenant } from '../api/types.ts'
import { usePlace } from './place.tsx'

export interface ShownTenant {
  /** Null: all of them, where an operator looks at the whole. */
  id: string | null
  name: string
}

const TenantContext = createContext<ShownTenant | undefined>(undefined)
const storageKey = 'estafet.tenant'

export function useTenant(): ShownTenant {
  const tenant = useContext(TenantContext)
  if (!tenant) throw new Error('bug: no tenant here')
  return tenant
}

/** For operators: all tenants by name. */
export function useTenants() {
  const { may } = useSession()
  return useQuery({
    queryKey: ['tenants'],
    queryFn: async ({ signal }) => {
      const all: Tenant[] = []
      for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
        const page = await get<List<Tenant>>('/api/admin/tenants', { limit: 100, after }, signal)
        all.push(...page.data)
        after = page.paging.next ?? undefined
      }
      return all.toSorted((one, other) => one.name.localeCompare(other.name))
    },
    enabled: may('operator'),
    staleTime: 60_000,
  })
}

/** A cache for each tenant: nothing of one is ever shown under the name of another. */
export function TenantProvider({ tenant, children }: { tenant: ShownTenant; children: ReactNode }) {
  const queries = useMemo(() => {
    setStanding({ tenantId: tenant.id })
    return createQueries()
  }, [tenant.id])
  return (
    <QueryClientProvider client={queries} key={tenant.id}>
      <TenantContext value={tenant}>{children}</TenantContext>
    </QueryClientProvider>
  )
}

/** What the address says, or what was looked at last; undefined while that is not known yet. */
export function useShownTenant(takesAll: boolean): ShownTenant | undefined | 'none' {
  const { ownTenant } = useSession()
  const { search } = usePlace()
  const { data: tenants } = useTenants()
  if (ownTenant) return ownTenant
  if (!tenants) return undefined
  const wanted = search.tenant ?? localStorage.getItem(storageKey) ?? ''
  const found = tenants.find(({ id }) => id === wanted)
  if (found) return { id: found.id, name: found.name }
  if (takesAll) return { id: null, name: '' }
  const [first] = tenants
  return first ? { id: first.id, name: first.name } : 'none'
}

export function rememberTenant(id: string | null): void {
  if (id === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, id)
}
