// Whose data the page shows. People of a tenant see their own; operators choose, and the choice is in the address.
import {
  type QueryClient,
  QueryClientProvider,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { get, setStanding } from '../api/call.ts'
import { createQueries } from '../api/queries.ts'
import { useSession } from '../api/session.tsx'
import type { List, Tenant } from '../api/types.ts'
import { usePlace } from './place.tsx'

export interface ShownTenant {
  /** Null: all of them, where an operator looks at the whole. */
  id: string | null
  name: string
  /** Nobody chose it: it is the first there is. */
  isDefault?: boolean
}

const TenantContext = createContext<ShownTenant | undefined>(undefined)
const storageKey = 'estafet.tenant'

export function useTenant(): ShownTenant {
  const tenant = useContext(TenantContext)
  if (!tenant) throw new Error('bug: no tenant here')
  return tenant
}

/** What belongs to no tenant, such as the list of them, is kept once for the whole page. */
const WholeQueries = createContext<QueryClient | undefined>(undefined)

export function useWholeQueries(): QueryClient {
  const nearest = useQueryClient()
  return useContext(WholeQueries) ?? nearest
}

const byName = new Intl.Collator(undefined, { numeric: true })

/** For operators: all tenants by name. */
export function useTenants() {
  const { may } = useSession()
  return useQuery(
    {
      queryKey: ['tenants'],
      queryFn: async ({ signal }) => {
        const all: Tenant[] = []
        for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
          const page = await get<List<Tenant>>('/api/admin/tenants', { limit: 200, after }, signal)
          all.push(...page.data)
          after = page.paging.next ?? undefined
        }
        return all.toSorted((one, other) => byName.compare(one.name, other.name))
      },
      enabled: may('operator'),
      staleTime: 60_000,
    },
    useWholeQueries(),
  )
}

/** A cache for each tenant: nothing of one is ever shown under the name of another. */
export function TenantProvider({ tenant, children }: { tenant: ShownTenant; children: ReactNode }) {
  const whole = useWholeQueries()
  const queries = useMemo(() => {
    setStanding({ tenantId: tenant.id })
    return createQueries()
  }, [tenant.id])
  const session = useSession()
  const asked = useRef(session)
  useEffect(() => {
    // What was refused while nobody was signed in is asked for again.
    if (asked.current !== session) void queries.invalidateQueries()
    asked.current = session
  }, [session, queries])
  return (
    <WholeQueries value={whole}>
      <QueryClientProvider client={queries} key={tenant.id}>
        <TenantContext value={tenant}>{children}</TenantContext>
      </QueryClientProvider>
    </WholeQueries>
  )
}

export type Shown =
  | { kind: 'looking' }
  | { kind: 'trouble'; error: unknown; retry(): void }
  /** There is none yet. */
  | { kind: 'none' }
  /** The address names one that is not there, or that this person may not see. */
  | { kind: 'unknown' }
  | { kind: 'shown'; tenant: ShownTenant }

/** What the address says. Where it says nothing: all, or what was chosen last where it must be one. */
export function useShownTenant(takesAll: boolean): Shown {
  const { ownTenant } = useSession()
  const { search } = usePlace()
  const { data: tenants, error, refetch } = useTenants()
  const { tenant: named } = search
  if (ownTenant) {
    const isOwn = named === undefined || named === ownTenant.id
    return isOwn ? { kind: 'shown', tenant: ownTenant } : { kind: 'unknown' }
  }
  if (!tenants) {
    return error ? { kind: 'trouble', error, retry: () => void refetch() } : { kind: 'looking' }
  }
  const find = (wanted: string | null) => tenants.find(({ id }) => id === wanted)
  if (named !== undefined) {
    const found = find(named)
    const [first] = tenants
    const isDefault = chosenTenant() === null && found === first
    return found
      ? { kind: 'shown', tenant: { id: found.id, name: found.name, isDefault } }
      : { kind: 'unknown' }
  }
  if (takesAll) return { kind: 'shown', tenant: { id: null, name: '' } }
  const last = find(chosenTenant()) ?? tenants[0]
  return last ? { kind: 'shown', tenant: { id: last.id, name: last.name } } : { kind: 'none' }
}

const chosenTenant = () => localStorage.getItem(storageKey)

export function rememberTenant(id: string | null): void {
  if (id === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, id)
}
