// The audit over the API: a tenant's own, or what an operator looks at.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { get } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { AuditAct, AuditVerification, List } from '../../api/types.ts'
import { useTenant } from '../../shell/tenant.tsx'

export interface Wishes {
  action?: string | undefined
  actor?: string | undefined
  subject?: string | undefined
  /** Days, as the person's calendar has them. */
  from?: string | undefined
  to?: string | undefined
}

function useAuditPlace() {
  const { may } = useSession()
  const { id: tenantId } = useTenant()
  const isOperator = may('operator')
  return {
    base: isOperator ? '/api/admin/audit' : '/api/whatsapp/audit',
    scope: isOperator ? { tenant_id: tenantId } : {},
  }
}

export function useAudit({ from, to, ...wishes }: Wishes) {
  const { base, scope } = useAuditPlace()
  return useInfiniteQuery({
    queryKey: ['audit', wishes, from, to],
    queryFn: ({ pageParam, signal }) =>
      get<List<AuditAct>>(
        base,
        { ...scope, ...wishes, from: dayStart(from), to: dayStart(to, 1), after: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.next ?? undefined,
    placeholderData: (before) => before,
  })
}

/** Midnight where the person is. Undefined for what is no day. */
export function dayStart(day: string | undefined, more = 0): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? []
  if (year === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(date) + more).toISOString()
}

export type Verifying =
  | { kind: 'idle' }
  | { kind: 'walking' | 'over'; rows: number; total: number; found: Found }
  | { kind: 'trouble'; error: unknown }

export interface Found {
  whole: AuditVerification['whole']
  broken: AuditVerification['broken']
}

/** Part by part, until the end or until it is stopped. */
export function useVerification() {
  const { base, scope } = useAuditPlace()
  const [state, setState] = useState<Verifying>({ kind: 'idle' })
  const walk = useRef<AbortController>(null)
  async function start(): Promise<void> {
    const own = new AbortController()
    walk.current?.abort()
    walk.current = own
    let rows = 0
    const found: Found = { whole: [], broken: [] }
    setState({ kind: 'walking', rows, total: 0, found })
    try {
      for (let after: string | null | undefined; after !== null; ) {
        const part: AuditVerification = await get<AuditVerification>(
          `${base}/verification`,
          { ...scope, after },
          own.signal,
        )
        rows += part.rows
        found.whole.push(...part.whole)
        found.broken.push(...part.broken)
        after = part.next
        const kind = after === null ? 'over' : 'walking'
        if (!own.signal.aborted) setState({ kind, rows, total: part.total_rows, found })
      }
    } catch (error) {
      if (!own.signal.aborted) setState({ kind: 'trouble', error })
    }
  }
  return {
    state,
    start: () => void start(),
    stop: () => {
      walk.current?.abort()
      setState({ kind: 'idle' })
    },
  }
}
