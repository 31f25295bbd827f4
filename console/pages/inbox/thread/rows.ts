// From messages to what the thread shows: which of them, in which groups, and what stands between them. Pure.
import type { MessageInList } from '../../../api/types.ts'
import type { Unsent } from '../composer/sending.ts'

/**
 * What separates one row from the next belongs to the earlier one: so nothing that is shown changes when older messages
 * are put above it.
 */
export interface Row {
  key: string
  message?: MessageInList
  unsent?: Unsent
  /** The next one is of another day: this moment is in it. */
  nextDay: string | undefined
  /** The next one is the first that nobody had read. */
  isLastRead: boolean
  /** The next one was written by somebody else, or later on. */
  endsGroup: boolean
  /** Of several people in a group, the first of a run says who. */
  showsName: boolean
}

export interface RowsOptions {
  /** `2026-11-16`, where the person is. */
  dayOf(at: string): string
  /** The first message that was unread when the thread was opened. */
  firstUnreadId: string | undefined
}

const groupMs = 10 * 60_000
const changes = ['reaction', 'edit', 'revoke']

/** What changes another message is shown there, unless that one is not known, or the change did not arrive. */
export function isShown({ type, refers_to, status }: MessageInList): boolean {
  return (
    !changes.includes(type) || refers_to === null || status === 'failed' || status === 'unknown'
  )
}

/** A reaction shows at its message as soon as the gateway has it; by itself only while it cannot get there. */
export const isShownUnsent = ({ draft, problem, waitsFor }: Unsent): boolean =>
  draft.type !== 'reaction' || problem !== undefined || waitsFor !== undefined

/** `messages` the latest first; rows the earliest first, what is on its way at the end. */
export function rowsOf(messages: MessageInList[], unsent: Unsent[], options: RowsOptions): Row[] {
  const shown = messages.filter(isShown).reverse()
  const entries = [
    ...shown.map((message) => ({
      key: message.id,
      message,
      at: message.occurred_at,
      writer: writerOf(message),
    })),
    ...unsent
      .filter(isShownUnsent)
      .map((one) => ({ key: one.key, unsent: one, at: one.writtenAt, writer: 'out' })),
  ]
  return entries.map(({ at, writer, ...entry }, index) => {
    const next = entries[index + 1]
    const before = entries[index - 1]
    const isNextDay = next !== undefined && options.dayOf(next.at) !== options.dayOf(at)
    const isLastRead = next !== undefined && next.key === options.firstUnreadId
    const isLater = next !== undefined && Date.parse(next.at) - Date.parse(at) > groupMs
    return {
      ...entry,
      nextDay: isNextDay ? next.at : undefined,
      isLastRead,
      endsGroup: !next || isNextDay || isLastRead || isLater || next.writer !== writer,
      showsName: 'message' in entry && !!entry.message.sender && before?.writer !== writer,
    }
  })
}

/** Whose run of messages it belongs to; notes belong to nobody's. */
function writerOf(message: MessageInList): string {
  if (message.type === 'system') return message.id
  if (message.direction === 'outbound') return 'out'
  return message.sender?.wa_id ?? message.sender?.user_id ?? 'in'
}

/** The first of so many unread messages; undefined while it is not among these. */
export function firstUnread(messages: MessageInList[], unreadCount: number): string | undefined {
  if (unreadCount === 0) return undefined
  const counted = messages.filter(
    ({ direction, origin, type }) =>
      direction === 'inbound' && origin === 'live' && ![...changes, 'system'].includes(type),
  )
  return counted[unreadCount - 1]?.id
}
