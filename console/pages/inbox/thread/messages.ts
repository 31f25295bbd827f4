// The messages of a conversation: the newest page first, older ones as they are wanted, and what happens as it happens.
// Asked again, it asks for the newest page alone; the rest is kept.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { get } from '../../../api/call.ts'
import type { MessageInList } from '../../../api/types.ts'
import { useLive } from '../../../shell/live.tsx'
import { type Messages, withChanged, withLatest, withOlder } from './merge.ts'

/** Of what is held of a conversation: `Messages`. */
export const keyOfMessages = (conversationId: string) => ['messages', conversationId]

const pageSize = 50
const longestPage = 200
/** More changes at once than this: the newest page tells of them cheaper. */
const fewChanges = 8
const gatherMs = 40
const queuedMs = 5_000
const fileMs = 15_000

export interface Older {
  isLoading: boolean
  error: unknown
  load(): void
}

export function useMessages(conversationId: string) {
  const queries = useQueryClient()
  const key = keyOfMessages(conversationId)
  const path = `/api/whatsapp/conversations/${conversationId}/messages`
  const held = () => queries.getQueryData<Messages>(key)
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const page = await get<Messages>(path, { limit: pageSize }, signal)
      return withLatest(held(), page)
    },
    structuralSharing: false,
    // No event tells that a wait changed its reason, nor that a file has come.
    refetchInterval: ({ state }) => pauseUntilNextLook(state.data),
  })

  const [older, setOlder] = useState<{ isLoading: boolean; error: unknown }>({
    isLoading: false,
    error: undefined,
  })
  const isLoading = useRef(false)
  async function load(): Promise<void> {
    const after = held()?.paging.next
    if (isLoading.current || !after) return
    isLoading.current = true
    setOlder({ isLoading: true, error: undefined })
    try {
      const page = await get<Messages>(path, { limit: pageSize, after })
      queries.setQueryData<Messages>(key, (now) => now && withOlder(now, page))
      setOlder({ isLoading: false, error: undefined })
    } catch (error) {
      setOlder({ isLoading: false, error })
    } finally {
      isLoading.current = false
    }
  }

  /** Everything down to this message, as it is now: events were missed. */
  async function refresh(downToId: string | undefined): Promise<void> {
    for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const page: Messages = await get(path, { limit: longestPage, after })
      queries.setQueryData<Messages>(key, (now) =>
        now && !isFirst ? withChanged(now, page.data) : withLatest(now, page),
      )
      const isThere = !downToId || page.data.some(({ id }) => id === downToId)
      after = isThere ? undefined : (page.paging.next ?? undefined)
    }
  }

  const look = useChanged(conversationId, query.refetch)
  return { ...query, look, refresh, older: { ...older, load: () => void load() } satisfies Older }
}

function pauseUntilNextLook(held: Messages | undefined): number | false {
  const latest = held?.data.slice(0, pageSize) ?? []
  if (latest.some(({ status }) => status === 'queued')) return queuedMs
  return latest.some(({ media }) => media === 'pending') ? fileMs : false
}

/** Brings single messages up to date, those they change with them; a few at a time, otherwise the newest page. */
function useChanged(conversationId: string, refetch: () => unknown) {
  const queries = useQueryClient()
  const waiting = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  async function fetchThem(ids: string[]): Promise<void> {
    const found = await Promise.all(
      ids.map((id) => get<MessageInList>(`/api/whatsapp/messages/${id}`).catch(() => undefined)),
    )
    const key = keyOfMessages(conversationId)
    const messages = found.flatMap((message) =>
      message?.conversation_id === conversationId ? [message] : [],
    )
    queries.setQueryData<Messages>(key, (held) => held && withChanged(held, messages))
    const isChange = ({ type }: MessageInList) => ['reaction', 'edit', 'revoke'].includes(type)
    const targets = messages.flatMap((one) => (isChange(one) && one.refers_to?.id) || [])
    if (targets.length > 0) look(targets)
  }

  function look(ids: string[]): void {
    for (const id of ids) waiting.current.add(id)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const wanted = [...waiting.current]
      waiting.current.clear()
      if (wanted.length > fewChanges) refetch()
      else void fetchThem(wanted)
    }, gatherMs)
  }
  return look
}

interface Told {
  conversation_id?: string
  message_id?: string
  changed?: string[]
}

/** `onMissed`: some events did not come; everything that is shown has to be asked for. */
export function useLiveMessages(
  conversationId: string,
  { look, refetch, onMissed }: { look(ids: string[]): void; refetch(): unknown; onMissed(): void },
): void {
  useLive(({ type, data }) => {
    if (type === 'stream.reset') return onMissed()
    const told = (data as { data?: Told }).data ?? {}
    // An account that is reconnected, or no longer is, changes what its messages wait for.
    if (type === 'account.updated') return void refetch()
    if (told.conversation_id !== conversationId) return
    if (type.startsWith('message.') && told.message_id) look([told.message_id])
    if (type === 'conversation.updated' && told.changed?.includes('merged_into')) refetch()
  })
}
