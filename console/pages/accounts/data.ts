// The accounts as they are now: asked for again when something is told about one, and while a backlog drains.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'
import type { Account, SignupSettings } from './types.ts'

export const keys = {
  accounts: ['accounts', 'list'],
  settings: ['accounts', 'settings'],
  doctor: (id: string) => ['accounts', 'doctor', id],
  said: (id: string) => ['accounts', 'said', id],
  optedOut: (number: string) => ['accounts', 'opted-out', number],
  stopWords: ['accounts', 'stop-words'],
  endpoints: ['accounts', 'endpoints'],
}

/** Circuits and backlogs are told by nobody. */
const lookEveryMs = 10_000
const drainEveryMs = 1_000

export function useAccounts(isDraining: boolean) {
  return useQuery({
    queryKey: keys.accounts,
    queryFn: ({ signal }) => everything<Account>('/api/whatsapp/accounts', {}, signal),
    refetchInterval: isDraining ? drainEveryMs : lookEveryMs,
  })
}

export async function everything<Item>(
  path: string,
  query: Record<string, string | undefined>,
  signal?: AbortSignal,
): Promise<Item[]> {
  const all: Item[] = []
  for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const page = await get<List<Item>>(path, { ...query, limit: 100, after }, signal)
    all.push(...page.data)
    after = page.paging.next ?? undefined
  }
  return all
}

/** Whether numbers can be connected here at all. */
export function useSignupSettings() {
  return useQuery({
    queryKey: keys.settings,
    queryFn: ({ signal }) =>
      get<SignupSettings>('/api/integrations/meta/whatsapp', undefined, signal),
    staleTime: 60_000,
  })
}

export interface AccountNews {
  account_id?: string
  changed?: string[]
}

/** What the stream says of accounts; what it shows is asked for again. */
export function useAccountNews(onNews: (news: AccountNews) => void): void {
  const refresh = useRefresh()
  const queries = useQueryClient()
  useLive(({ type, data }) => {
    if (type === 'stream.reset') return refresh()
    if (type !== 'account.updated') return
    refresh()
    const news = (data as { data: AccountNews }).data
    // Its access is another one, or worth another thing: what the doctor found before is an old story.
    if (news.account_id && news.changed)
      void queries.invalidateQueries({ queryKey: keys.doctor(news.account_id) })
    onNews(news)
  })
}

/** Everything but what only Meta can say: the doctor is asked for when somebody wants it. */
export function useRefresh(): () => void {
  const queries = useQueryClient()
  return useCallback(() => {
    void queries.invalidateQueries({ queryKey: keys.accounts })
    void queries.invalidateQueries({ queryKey: ['accounts', 'said'] })
  }, [queries])
}
