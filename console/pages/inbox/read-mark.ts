// A conversation that is really shown is read: here at once, and at the gateway, which tells Meta.
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { post } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { Conversation } from '../../api/types.ts'
import { useToasts } from '../../parts/toast.tsx'
import { useConversationCache } from './cache.ts'

function watchVisibility(tell: () => void): () => void {
  document.addEventListener('visibilitychange', tell)
  return () => document.removeEventListener('visibilitychange', tell)
}

const usePageIsVisible = () =>
  useSyncExternalStore(watchVisibility, () => document.visibilityState === 'visible')

/** An operator who looks in has read nothing for the firm: its people still see what is new, and the contact no blue ticks. */
export function useReadMark(conversation: Conversation): void {
  const { ownTenant } = useSession()
  const { id, unread_count: unread, last_message } = conversation
  const cache = useConversationCache()
  const { complain } = useToasts()
  const isVisible = usePageIsVisible()
  // What could not be marked is tried again when there is something new to read, not over and over.
  const failedAt = useRef<string>(undefined)
  const upTo = last_message?.id ?? ''
  useEffect(() => {
    if (ownTenant === null) return
    if (!isVisible) {
      failedAt.current = undefined
      return
    }
    if (unread === 0 || failedAt.current === upTo) return
    cache.change(id, (before) => ({ ...before, unread_count: 0 }))
    post(`/api/whatsapp/conversations/${id}/read`).catch((error) => {
      failedAt.current = upTo
      cache.change(id, (before) => ({ ...before, unread_count: before.unread_count || unread }))
      complain(error)
    })
  }, [id, unread, upTo, isVisible, ownTenant, cache, complain])
}
