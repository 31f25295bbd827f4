// People over the API: an admin's colleagues, or everybody for operators.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { get, patch, post } from '../../api/call.ts'
import { type Role, useSession } from '../../api/session.tsx'
import type { InvitedPerson, List, ListedPerson, Person, PersonLink } from '../../api/types.ts'
import { useTenant } from '../../shell/tenant.tsx'

export interface NewPerson {
  name: string
  email: string
  role: Role
  tenant_id?: string | undefined
}

export function usePeople(q: string) {
  const { may } = useSession()
  const { id: tenantId } = useTenant()
  const queries = useQueryClient()
  const isOperator = may('operator')
  const base = isOperator ? '/api/admin/people' : '/api/whatsapp/people'
  const list = useInfiniteQuery({
    queryKey: ['people', q],
    queryFn: ({ pageParam, signal }) =>
      get<List<ListedPerson>>(
        base,
        {
          q: q || undefined,
          after: pageParam,
          ...(isOperator && { tenant_id: tenantId }),
        },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.next ?? undefined,
    placeholderData: (before) => before,
  })
  const changed = async <T>(change: Promise<T>) => {
    const answer = await change
    await queries.invalidateQueries({ queryKey: ['people'] })
    return answer
  }
  return {
    isOperator,
    list,
    people: list.data?.pages.flatMap(({ data }) => data),
    invite: (person: NewPerson) => changed(post<InvitedPerson>(base, person)),
    change: (id: string, change: { name?: string; role?: Role; status?: 'active' | 'disabled' }) =>
      changed(patch<Person>(`${base}/${id}`, change)),
    makeLink: (id: string) => changed(post<PersonLink>(`${base}/${id}/link`)),
    signOut: (id: string) => post(`${base}/${id}/sign-out`),
  }
}

export type People = ReturnType<typeof usePeople>
