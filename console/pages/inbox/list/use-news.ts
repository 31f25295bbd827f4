// What the stream tells about conversations: what it says itself is shown at once, the rest is asked for, a few at a time.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { toProblem } from '../../../api/problem.ts'
import type { Conversation } from '../../../api/types.ts'
import { useLive } from '../../../shell/live.tsx'
import { conversationKey, useConversationCache } from '../cache.ts'
import { type Told, toldOf } from '../told.ts'

interface NewsDesk {
  apply(conversations: Conversation[]): void
  /** The list's first page, for when too much happens to ask for each. */
  latest(): Promise<Conversation[]>
  /** Some news was missed. */
  startAnew(): void
}

const gatherMs = 120
const againMs = 5_000
const askedSingly = 8

export function useNews(desk: NewsDesk): void {
  const queries = useQueryClient()
  const cache = useConversationCache()
  const latest = useRef(desk)
  latest.current = desk
  const changed = useRef(new Set<string>())
  const planned = useRef<ReturnType<typeof setTimeout>>(undefined)

  async function look(): Promise<void> {
    planned.current = undefined
    const ids = [...changed.current]
    changed.current.clear()
    const isOpen = (id: string) => queries.getQueryData(conversationKey(id)) !== undefined
    const singly = ids.length <= askedSingly ? ids : ids.filter(isOpen)
    const asked = singly.map((id) => cache.fetch(id).then((one) => [one]))
    if (ids.length > askedSingly) asked.push(latest.current.latest())
    const answers = await Promise.allSettled(asked)
    latest.current.apply(
      answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
    )
    // The stream does not tell it twice: what could not be asked for now is asked for later.
    const isPassing = answers.some(
      (answer) => answer.status === 'rejected' && toProblem(answer.reason).isPassing,
    )
    if (isPassing) for (const id of ids) note(id, againMs)
  }

  function note(id: string, inMs = gatherMs): void {
    changed.current.add(id)
    planned.current ??= setTimeout(() => void look(), inMs)
  }

  useLive((event) => {
    const { type } = event
    const told = toldOf(event)
    if (type === 'stream.reset') {
      latest.current.startAnew()
      void queries.invalidateQueries({ queryKey: ['conversation'] })
      return
    }
    const { conversation_id: id } = told
    if (!id || !/^(message\.(received|echoed|status)|conversation\.updated)$/.test(type)) return
    if (type === 'message.status') {
      cache.change(id, (before) => withStatus(before, told))
      // Only what has just been written moves a conversation.
      if (told.status !== 'sent' && told.status !== 'failed') return
    } else if (type === 'conversation.updated') {
      cache.change(id, (before) => withChange(before, told))
      if (told.merged_into) {
        cache.remove(id)
        return note(told.merged_into)
      }
    }
    note(id)
  })
  useEffect(() => () => clearTimeout(planned.current), [])
}

/** The tick of the last message, where it is about that one. */
function withStatus(before: Conversation, { message_id, status }: Told): Conversation {
  const { last_message } = before
  if (last_message?.id !== message_id || !last_message) return before
  return {
    ...before,
    last_message: { ...last_message, status: status as typeof last_message.status },
  }
}

function withChange(before: Conversation, { changed, status }: Told): Conversation {
  return {
    ...before,
    ...(changed?.includes('status') && { status: status as Conversation['status'] }),
    ...(changed?.includes('unread_count') && { unread_count: 0 }),
  }
}
