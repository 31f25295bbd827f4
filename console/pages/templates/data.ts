// The tenant's templates and accounts, kept true by the event stream.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type {
  template,
  templateSyncResult,
  templateSyncState,
} from '../../../src/api/contract-templates.ts'
import { get } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { Account, List } from '../../api/types.ts'
import { useLive } from '../../shell/live.tsx'
import { groupBy } from './group-by.ts'

export type Template = z.output<typeof template>
export type SyncState = z.output<typeof templateSyncState>
export type SyncResult = z.output<typeof templateSyncResult>

export const templatesPath = '/api/whatsapp/meta/templates'
const templatesKey = ['templates']
const syncsKey = ['template-syncs']

async function all<Item>(path: string, signal: AbortSignal): Promise<Item[]> {
  const items: Item[] = []
  for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const page = await get<List<Item>>(path, { limit: 200, after }, signal)
    items.push(...page.data)
    after = page.paging.next ?? undefined
  }
  return items
}

/** All of them: people look for words in them, and languages of one name belong together. */
export function useTemplates() {
  const reload = useReload()
  useLive(({ type }) => {
    if (type === 'template.updated' || type === 'stream.reset') reload()
  })
  return useQuery({
    queryKey: templatesKey,
    queryFn: ({ signal }) => all<Template>(templatesPath, signal),
  })
}

/** After something was changed here or elsewhere. */
export function useReload(): () => void {
  const queries = useQueryClient()
  return () => {
    void queries.invalidateQueries({ queryKey: templatesKey })
    void queries.invalidateQueries({ queryKey: syncsKey })
  }
}

/** What was just answered need not be asked for. */
export function useKeepTemplate(): (template: Template) => void {
  const queries = useQueryClient()
  return (template) =>
    queries.setQueryData<Template[]>(templatesKey, (known = []) => [
      template,
      ...known.filter(({ id }) => id !== template.id),
    ])
}

/** For admins: agents do not see accounts. */
export function useAccounts() {
  const { may } = useSession()
  return useQuery({
    queryKey: ['accounts', 'all'],
    queryFn: ({ signal }) => all<Account>('/api/whatsapp/accounts', signal),
    enabled: may('admin'),
    staleTime: 60_000,
  })
}

export interface BusinessAccount {
  wabaId: string
  /** One of its numbers, to name it by. */
  accountId: string
  /** All of them, as people know them. */
  numbers: string
}

export function businessAccounts(accounts: Account[]): BusinessAccount[] {
  const byId = groupBy(accounts, ({ waba_id }) => waba_id)
  return [...byId].map(([wabaId, own]) => ({
    wabaId,
    accountId: own[0]?.id ?? '',
    numbers: own.map(({ display_phone_number }) => display_phone_number).join(', '),
  }))
}

/** How far the copy of each business account is. */
export function useSyncStates(accounts: BusinessAccount[]) {
  return useQuery({
    queryKey: [...syncsKey, accounts.map(({ accountId }) => accountId)],
    queryFn: ({ signal }) =>
      Promise.all(
        accounts.map(({ accountId }) =>
          get<SyncState>(`/api/whatsapp/accounts/${accountId}/template-sync`, {}, signal),
        ),
      ),
    enabled: accounts.length > 0,
  })
}
