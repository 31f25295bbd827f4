// The messages of one conversation that the page holds: the latest first, without gaps, whoever brought them. What did not
// change stays the same object, so that nothing is drawn again for it.
import type { List, MessageInList } from '../../../api/types.ts'

export type Messages = List<MessageInList>

const isLater = (one: MessageInList, other: MessageInList) =>
  one.occurred_at === other.occurred_at ? one.id > other.id : one.occurred_at > other.occurred_at

function put(known: Map<string, MessageInList>, messages: MessageInList[]): void {
  for (const message of messages) {
    const before = known.get(message.id)
    if (before && JSON.stringify(before) === JSON.stringify(message)) continue
    known.set(message.id, message)
  }
}

function inOrder(known: Map<string, MessageInList>): MessageInList[] {
  return [...known.values()].sort((one, other) => (isLater(one, other) ? -1 : 1))
}

const byId = (messages: MessageInList[]) => new Map(messages.map((one) => [one.id, one]))

/** The newest page again, over what is held. Where they do not meet, the page alone: what lies between is not known. */
export function withLatest(held: Messages | undefined, page: Messages): Messages {
  if (!held) return page
  const known = byId(held.data)
  const meets = page.paging.next === null || page.data.some(({ id }) => known.has(id))
  if (!meets) return page
  put(known, page.data)
  return { data: inOrder(known), paging: page.paging.next === null ? page.paging : held.paging }
}

export function withOlder(held: Messages, page: Messages): Messages {
  const known = byId(held.data)
  put(known, page.data)
  return { data: inOrder(known), paging: page.paging }
}

/** New ones, and new states of those that are held. One that is older than all of these belongs to a page to come. */
export function withChanged(held: Messages, changed: MessageInList[]): Messages {
  const known = byId(held.data)
  const oldest = held.data.at(-1)
  const isAll = held.paging.next === null
  put(
    known,
    changed.filter((one) => isAll || known.has(one.id) || !oldest || isLater(one, oldest)),
  )
  return { data: inOrder(known), paging: held.paging }
}
