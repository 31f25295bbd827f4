// What was written here and is on its way: kept until the gateway has it, sent once however often that is tried.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { ApiProblem } from '../../../api/problem.ts'
import type { Conversation, MessageInList } from '../../../api/types.ts'
import { useTenant } from '../../../shell/tenant.tsx'
import { draftOf } from './send-again.ts'
import { sender } from './sender.ts'
import type { Address, Draft, DraftFile, Item, WaitsFor } from './unsent-queue.ts'

export type { Draft, DraftFile } from './unsent-queue.ts'

/** Not taken by the gateway yet. */
export interface Unsent {
  /** Its idempotency key: the same for every try. */
  key: string
  draft: Draft
  writtenAt: string
  /** Why the last try did not work; undefined while one is under way or waits for the connection. */
  problem: ApiProblem | undefined
  /** Why nothing happens right now; it goes on by itself. */
  waitsFor?: WaitsFor | undefined
  /** Of the file that is being uploaded, from 0 to 1. */
  progress?: number | undefined
  /** Once the gateway has it: the id that the thread will show it by. */
  messageId?: string | undefined
}

export interface Sending {
  /** In the order they were written; without those that the thread shows already. */
  unsent: Unsent[]
  send(draft: Draft, files?: DraftFile[]): void
  /** The same content as a message that failed, as a new message. */
  sendAgain(message: MessageInList): void
  retry(key: string): void
  discard(key: string): void
  /** Back into the field, to be written otherwise: only what was refused, since the rest may be on its way. */
  edit?(key: string): void
  /** Opens the templates; the words of a message that was refused go back into the field and are kept there. */
  chooseTemplate?(key?: string): void
  /** For the composer, which fulfils it. */
  wish?: { key: string | undefined; isTemplate: boolean } | undefined
  fulfil?(): void
}

export function useSending(conversation: Conversation): Sending {
  const { id } = conversation
  const { id: tenantId } = useTenant()
  const queries = useQueryClient()
  const [wish, setWish] = useState<Sending['wish']>()
  const items = useSyncExternalStore(sender.watch, sender.items)
  const own = items.filter((item) => item.conversationId === id)
  const accepted = own.filter(({ messageId }) => messageId !== undefined)
  const shown = useShown(queries, id, accepted)
  const missing = accepted.map(({ key }) => key).filter((key) => !shown.includes(key))

  useEffect(() => {
    if (shown) sender.drop(shown.split(' '))
  }, [shown])
  const missed = missing.join(' ')
  useEffect(() => {
    if (missed) void queries.invalidateQueries({ queryKey: messagesOf(id) })
  }, [missed, queries, id])

  const send = (draft: Draft, files?: DraftFile[]) =>
    sender.add({ tenantId, conversationId: id, address: addressOf(conversation), draft }, files)
  return {
    unsent: own
      .filter(({ key }) => !shown.includes(key))
      .map((item) => ({ ...item, problem: item.problem })),
    send,
    sendAgain(message) {
      const draft = draftOf(message)
      if (draft) send(draft)
    },
    retry: sender.retry,
    discard: (key) => sender.drop([key]),
    edit: (key) => setWish({ key, isTemplate: false }),
    chooseTemplate: (key) => setWish({ key, isTemplate: true }),
    wish,
    fulfil: () => setWish(undefined),
  }
}

function addressOf({ phone_number_id, contact, contact_wa_id }: Conversation): Address {
  if (contact.kind === 'group') {
    return { phone_number_id, recipient_type: 'group', to: contact.wa_id ?? contact_wa_id }
  }
  if (contact.wa_id === null && contact.user_id !== null) {
    return { phone_number_id, recipient: contact.user_id }
  }
  return { phone_number_id, to: contact.wa_id ?? contact_wa_id }
}

/** The thread's own. */
const messagesOf = (conversationId: string) => ['messages', conversationId]

/** Every message of the conversation that the page has, whether as one list or in pages. */
export function messagesIn(queries: QueryClient, conversationId: string): MessageInList[] {
  type Lists = { data?: MessageInList[]; pages?: { data: MessageInList[] }[] } | undefined
  return queries
    .getQueriesData<Lists>({ queryKey: messagesOf(conversationId) })
    .flatMap(([, found]) => found?.pages?.flatMap(({ data }) => data) ?? found?.data ?? [])
}

/** Keys of those whose messages the thread has, as text: equal texts mean that nothing changed. */
function useShown(queries: QueryClient, conversationId: string, accepted: Item[]): string {
  return useSyncExternalStore(
    (tell) => queries.getQueryCache().subscribe(tell),
    () => {
      if (accepted.length === 0) return ''
      const ids = new Set(messagesIn(queries, conversationId).map((message) => message.id))
      return accepted
        .flatMap(({ key, messageId = '' }) => (ids.has(messageId) ? key : []))
        .join(' ')
    },
  )
}
