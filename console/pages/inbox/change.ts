// Closing, reopening and giving conversations away: shown at once, and undone where the gateway refuses.
import { useCallback } from 'react'
import { patch } from '../../api/call.ts'
import type { Colleague, Conversation } from '../../api/types.ts'
import { useToasts } from '../../parts/toast.tsx'
import { useConversationCache } from './cache.ts'

export interface ConversationActions {
  setStatus(conversation: Conversation, status: Conversation['status']): void
  /** Undefined: nobody. */
  assign(conversation: Conversation, to: Pick<Colleague, 'id' | 'name'> | undefined): void
}

type Changed = Partial<Pick<Conversation, 'status' | 'assigned_user_id' | 'assignee'>>

export function useConversationActions(): ConversationActions {
  const cache = useConversationCache()
  const { complain } = useToasts()
  const act = useCallback(
    async (before: Conversation, changed: Changed) => {
      cache.place({ ...before, ...changed })
      const { assignee: _, ...body } = changed
      try {
        cache.place(await patch<Conversation>(`/api/whatsapp/conversations/${before.id}`, body))
      } catch (error) {
        cache.place(before)
        complain(error)
        // Somebody else may have been first: what holds is what the gateway says.
        cache.fetch(before.id).then(cache.place, () => undefined)
      }
    },
    [cache, complain],
  )
  return {
    setStatus: (conversation, status) => void act(conversation, { status }),
    assign: (conversation, to) => {
      if ((to?.id ?? null) === conversation.assigned_user_id) return
      const assignee = to ? { id: to.id, name: to.name } : null
      void act(conversation, { assigned_user_id: to?.id ?? null, assignee })
    },
  }
}
