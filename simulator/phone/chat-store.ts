// The messages of every chat, bounded, and found by chat or by message id.
import type { ChatMessage, Side, TickState } from './chat-message.ts'
import { preview } from './preview.ts'

export interface Chat {
  phoneNumberId: string
  customer: string
  messages: ChatMessage[]
  /** How many of the oldest were let go of to bound memory. */
  forgotten: number
  unread: number
  /** Until when the business is shown as writing. */
  typingUntil: string | null
}

export interface ChatSummary {
  phone_number_id: string
  last: { from: Side; at: string; text: string; state: TickState } | null
  unread: number
}

export interface ChatView extends ChatSummary {
  messages: (ChatMessage & { quoted?: { from: Side; text: string } })[]
  forgotten: number
  typing_until: string | null
}

/** Enough for a long talk; a load test must not fill the memory with what nobody looks at. */
const maxMessages = 300
const maxChats = 500

export type ChatStore = ReturnType<typeof createChatStore>

export function createChatStore() {
  // In the order of their last activity, so that the first is the one to let go of.
  const chats = new Map<string, Chat>()
  const places = new Map<string, { chat: Chat; message: ChatMessage }>()

  function quotedBy(message: ChatMessage) {
    const quoted = places.get(String(message.context?.id))?.message
    return quoted === undefined ? {} : { quoted: { from: quoted.from, text: preview(quoted) } }
  }

  return {
    /** The chat, made if need be, as the one of the latest activity. */
    touch(phoneNumberId: string, customer: string): Chat {
      const key = chatKey(phoneNumberId, customer)
      const chat = chats.get(key) ?? emptyChat(phoneNumberId, customer)
      chats.delete(key)
      chats.set(key, chat)
      if (chats.size > maxChats) {
        const [oldestKey, oldest] = chats.entries().next().value as [string, Chat]
        chats.delete(oldestKey)
        for (const message of oldest.messages) places.delete(message.wamid)
      }
      return chat
    },
    add(chat: Chat, message: ChatMessage): void {
      chat.messages.push(message)
      places.set(message.wamid, { chat, message })
      if (chat.messages.length <= maxMessages) return
      const forgotten = chat.messages.shift()
      if (forgotten !== undefined) places.delete(forgotten.wamid)
      chat.forgotten++
    },
    remove(wamid: string): void {
      const place = places.get(wamid)
      if (place === undefined) return
      places.delete(wamid)
      place.chat.messages.splice(place.chat.messages.indexOf(place.message), 1)
    },
    find: (wamid: unknown) => places.get(String(wamid)),
    get: (phoneNumberId: string, customer: string): Chat | undefined =>
      chats.get(chatKey(phoneNumberId, customer)),
    /** By customer, in one go: there may be hundreds of each. */
    summaries(): Map<string, ChatSummary[]> {
      const byCustomer = new Map<string, ChatSummary[]>()
      for (const chat of chats.values()) {
        byCustomer.set(chat.customer, [...(byCustomer.get(chat.customer) ?? []), summarize(chat)])
      }
      return byCustomer
    },
    view(phoneNumberId: string, customer: string): ChatView {
      const chat = chats.get(chatKey(phoneNumberId, customer)) ?? emptyChat(phoneNumberId, customer)
      return {
        ...summarize(chat),
        messages: chat.messages.map((message) => ({ ...message, ...quotedBy(message) })),
        forgotten: chat.forgotten,
        typing_until: chat.typingUntil,
      }
    },
    clear(): void {
      chats.clear()
      places.clear()
    },
  }
}

function summarize(chat: Chat): ChatSummary {
  const last = chat.messages.at(-1)
  return {
    phone_number_id: chat.phoneNumberId,
    unread: chat.unread,
    last:
      last === undefined
        ? null
        : { from: last.from, at: last.at, text: preview(last), state: last.state },
  }
}

function emptyChat(phoneNumberId: string, customer: string): Chat {
  return { phoneNumberId, customer, messages: [], forgotten: 0, unread: 0, typingUntil: null }
}

function chatKey(phoneNumberId: string, customer: string): string {
  return `${phoneNumberId} ${customer}`
}
