// The chats as the customers' phones show them, one for each business number and customer, built
// from the feed.
import type { FeedEvent } from '../feed.ts'
import type { AcceptedSend } from '../ledger.ts'
import type { StatusError } from '../status-error.ts'
import type { ChatMessage, Side, TickState } from './chat-message.ts'
import { type ChatStore, type ChatSummary, type ChatView, createChatStore } from './chat-store.ts'
import { type Acquaintance, createPeople, type People, type PhoneCustomer } from './people.ts'
import { asRecord, asText } from './reading.ts'
import { type RenderedTemplate, renderTemplate, type StoredTemplate } from './render-template.ts'

export type FindTemplate = (
  phoneNumberId: string,
  name: string,
  language: string | undefined,
) => StoredTemplate | undefined

interface Book {
  store: ChatStore
  people: People
  findTemplate: FindTemplate
}

export interface Chats {
  apply(event: FeedEvent): void
  addCustomer(person: Acquaintance): PhoneCustomer
  /** `id` is a phone number or a user id. */
  customer(id: string): PhoneCustomer | undefined
  customers(): PhoneCustomer[]
  summaries(): Map<string, ChatSummary[]>
  chat(phoneNumberId: string, customer: string): ChatView
  /** Who wrote a message, if it is still known. */
  writer(wamid: string): Side | undefined
  /** The customer has looked at the chat. */
  seen(phoneNumberId: string, customer: string): void
  /** Shows a message that waits on the customer's phone until `release` takes it away. */
  hold(
    phoneNumberId: string,
    customer: string,
    message: Pick<ChatMessage, 'at' | 'type' | 'content'>,
  ): { wamid: string; release(): void }
}

/** Meta takes a typing indicator back by itself after this time. */
const typingMs = 25_000

const rank: Record<TickState, number> = {
  pending: 0,
  accepted: 1,
  sent: 2,
  delivered: 3,
  read: 4,
  played: 5,
  failed: 6,
}

export interface ChatsOptions {
  findTemplate: FindTemplate
  /** Hears of every other id of a customer. */
  learned(alias: string, customer: string): void
}

export function createChats({ findTemplate, learned }: ChatsOptions): Chats {
  const store = createChatStore()
  const people = createPeople(learned)
  const book: Book = { store, people, findTemplate }
  let heldCount = 0
  return {
    apply: (event) => applyEvent(book, event),
    addCustomer: (person) => people.get(people.meet(person)),
    customer: people.find,
    customers: people.all,
    summaries: store.summaries,
    chat: store.view,
    writer: (wamid) => store.find(wamid)?.message.from,
    seen(phoneNumberId, customer) {
      const chat = store.get(phoneNumberId, customer)
      if (chat !== undefined) chat.unread = 0
    },
    hold(phoneNumberId, customer, { at, type, content }) {
      heldCount++
      const wamid = `pending_${heldCount}`
      const message = newMessage(wamid, 'customer', at, type, content)
      store.add(store.touch(phoneNumberId, customer), { ...message, state: 'pending' })
      return { wamid, release: () => store.remove(wamid) }
    },
  }
}

function applyEvent(book: Book, event: FeedEvent): void {
  switch (event.type) {
    case 'send_accepted':
      businessWrites(book, event.send, event.at)
      break
    case 'customer_message':
      customerWrites(book, event)
      break
    case 'status':
      if (isTickState(event.status)) reach(book, event.wamid, event.status, event.error)
      break
    case 'marked_read':
      readUpTo(book, event.wamid)
      break
    case 'typing': {
      const chat = book.store.find(event.wamid)?.chat
      if (chat !== undefined) chat.typingUntil = addMs(event.at, typingMs)
      break
    }
    case 'webhook':
      webhookMoved(book, event)
      break
    case 'reset':
      book.people.forget()
      book.store.clear()
      break
    case 'fault':
    case 'presence':
      break
  }
}

function businessWrites(book: Book, send: AcceptedSend, at: string): void {
  const { input, wa_id, user_id } = send.recipient
  const customer = book.people.meet(
    wa_id === undefined && user_id === undefined ? { wa_id: input } : send.recipient,
  )
  const chat = book.store.touch(send.phone_number_id, customer)
  chat.typingUntil = null
  const content = send.request[send.type]
  if (send.type === 'reaction') {
    react(book, 'business', content)
    return
  }
  const context = asRecord(send.request.context)
  const rendered =
    send.type === 'template' ? render(book, send.phone_number_id, content) : undefined
  book.store.add(chat, {
    ...newMessage(send.wamid, 'business', at, send.type, content),
    ...(context === undefined ? {} : { context: { id: context.message_id } }),
    ...(rendered === undefined ? {} : { rendered }),
  })
}

function render(
  { findTemplate }: Book,
  phoneNumberId: string,
  content: unknown,
): RenderedTemplate | undefined {
  const asked = asRecord(content)
  const language = asText(asRecord(asked?.language)?.code)
  const template = findTemplate(phoneNumberId, asText(asked?.name) ?? '', language)
  return template === undefined ? undefined : renderTemplate(template, asked?.components)
}

function customerWrites(book: Book, event: FeedEvent & { type: 'customer_message' }): void {
  const customer = book.people.meet(event.customer)
  if (event.seen_as !== undefined) book.people.alsoKnownAs(customer, event.seen_as)
  const chat = book.store.touch(event.phone_number_id, customer)
  const { message_type: type, content, wamid, at } = event
  if (type === 'reaction') react(book, 'customer', content)
  else if (type === 'edit' || type === 'revoke') change(book, type, content)
  else {
    const context = asRecord(event.context)
    book.store.add(chat, {
      ...newMessage(wamid, 'customer', at, type, content),
      state: 'sent',
      ...(context === undefined ? {} : { context }),
    })
  }
}

function react({ store }: Book, who: Side, content: unknown): void {
  const reaction = asRecord(content)
  const target = store.find(reaction?.message_id)?.message
  if (target === undefined) return
  const emoji = asText(reaction?.emoji)
  if (emoji === undefined || emoji === '') delete target.reactions[who]
  else target.reactions[who] = emoji
}

function change({ store }: Book, how: 'edit' | 'revoke', content: unknown): void {
  const asked = asRecord(content)
  const target = store.find(asked?.original_message_id)?.message
  if (target === undefined) return
  if (how === 'revoke') {
    target.deleted = true
    return
  }
  const next = asRecord(asked?.message)
  const type = asText(next?.type) ?? target.type
  target.content = next?.[type] ?? target.content
  target.type = type
  target.edited = true
}

function reach({ store }: Book, wamid: string, state: TickState, error?: StatusError): void {
  const place = store.find(wamid)
  if (place === undefined || rank[state] <= rank[place.message.state]) return
  const { chat, message } = place
  // What is there cannot fail any more, whatever becomes of a second copy.
  if (state === 'failed' && isOnPhone(message.state)) return
  const arrives = !isOnPhone(message.state) && isOnPhone(state)
  if (message.from === 'business' && arrives) chat.unread++
  message.state = state
  if (error !== undefined) message.error = error
}

function readUpTo(book: Book, wamid: string): void {
  const place = book.store.find(wamid)
  if (place === undefined) return
  for (const message of place.chat.messages) {
    if (message.from === 'customer' && message.state !== 'pending') {
      reach(book, message.wamid, 'read')
    }
    if (message === place.message) return
  }
}

/** The ticks on what the customer wrote tell whether the gateway has taken the webhook. */
function webhookMoved(book: Book, event: FeedEvent & { type: 'webhook' }): void {
  const lost = lostBecause[event.state]
  for (const wamid of event.messages) {
    if (event.state === 'delivered') reach(book, wamid, 'delivered')
    if (lost !== undefined) reach(book, wamid, 'failed', { code: 0, title: lost })
  }
}

const lostBecause: Record<string, string> = {
  dropped: 'No webhook address is set, so nobody was told of this message.',
  failed: 'The webhook about this message was never answered with 200.',
}

function newMessage(
  wamid: string,
  from: Side,
  at: string,
  type: string,
  content: unknown,
): ChatMessage {
  const state = 'accepted'
  return { wamid, from, at, type, content, state, reactions: {}, edited: false, deleted: false }
}

function isOnPhone(state: TickState): boolean {
  return state === 'delivered' || state === 'read' || state === 'played'
}

function isTickState(status: string): status is TickState {
  return Object.hasOwn(rank, status)
}

function addMs(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}
