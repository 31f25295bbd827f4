// What the list shows: kept in the address, asked of the API, and held against what the stream tells.
import type { Conversation } from '../../../api/types.ts'
import type { Search } from '../../../shell/place.tsx'

export const segments = ['open', 'mine', 'nobody', 'closed'] as const
export type Segment = (typeof segments)[number]

export interface Filter {
  show: Segment
  q: string
  /** One of the firm's own numbers. */
  number: string | undefined
  isUnread: boolean
}

export function filterOf(search: Search): Filter {
  return {
    show: segments.find((one) => one === search.show) ?? 'open',
    q: search.q ?? '',
    number: search.number || undefined,
    isUnread: search.unread === '1',
  }
}

/** For the address; what is as usual is left out. */
export function searchOf({ show, q, number, isUnread }: Filter): Search {
  return {
    show: show === 'open' ? undefined : show,
    q: q || undefined,
    number,
    unread: isUnread ? '1' : undefined,
  }
}

const asked = {
  open: { status: 'open' },
  mine: { status: 'open', assigned_user_id: 'me' },
  nobody: { status: 'open', assigned_user_id: 'none' },
  closed: { status: 'closed' },
} satisfies Record<Segment, Record<string, string>>

export const queryOf = ({ show, q, number, isUnread }: Filter) => ({
  ...asked[show],
  ...(q.trim() !== '' && { q: q.trim() }),
  ...(number !== undefined && { phone_number_id: number }),
  ...(isUnread && { unread: true }),
})

/** Whether it belongs into this list. What is searched for only the API can tell: who is there already stays. */
export function belongs(
  { show, q, number, isUnread }: Filter,
  conversation: Conversation,
  myId: string,
  isThere: boolean,
): boolean {
  const { status, assigned_user_id, phone_number_id, unread_count } = conversation
  if (status !== asked[show].status) return false
  if (show === 'mine' && assigned_user_id !== myId) return false
  if (show === 'nobody' && assigned_user_id !== null) return false
  if (number !== undefined && phone_number_id !== number) return false
  // Reading them is no reason to take them away.
  if (isUnread && unread_count === 0 && !isThere) return false
  return q.trim() === '' || isThere
}
