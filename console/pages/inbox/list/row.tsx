// A conversation in the list: who, the last words, how long they can be answered, and who does.
import { memo } from 'react'
import type { Conversation } from '../../../api/types.ts'
import { Avatar } from '../../../parts/basics.tsx'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { Time } from '../../../parts/time.tsx'
import type { Search } from '../../../shell/place.tsx'
import { ViewLink } from '../../../shell/place.tsx'
import { useWords } from '../../../words/language.tsx'
import { contactName } from '../people.ts'
import { WindowLine } from '../reply-window.tsx'
import { inboxWords } from '../words.ts'

export const rowHeight = 80

interface RowProps {
  conversation: Conversation
  isChosen: boolean
  /** The one that the Tab key reaches. */
  isCurrent: boolean
  /** What the address keeps of the filter. */
  search: Search
  onFocus(id: string): void
}

export const Row = memo(function Row({
  conversation,
  isChosen,
  isCurrent,
  search,
  onFocus,
}: RowProps) {
  const words = useWords(inboxWords)
  const { id, unread_count, last_message_at, status } = conversation
  const name = contactName(conversation)
  return (
    <ViewLink
      to={`/inbox/${id}`}
      search={search}
      className={`inbox-row ${unread_count > 0 ? 'unread' : ''}`}
      aria-current={isChosen ? 'true' : undefined}
      tabIndex={isCurrent ? 0 : -1}
      data-id={id}
      onFocus={() => onFocus(id)}
    >
      <Avatar name={name} />
      <span className="inbox-row-line">
        <b className="cut">{name}</b>
        <Time at={last_message_at} as="short" />
      </span>
      <span className="inbox-row-line inbox-row-words">
        <LastWords last={conversation.last_message} />
        {unread_count > 0 && (
          <span className="count num">
            {unread_count > 99 ? '99+' : unread_count}
            <span className="sr"> {words.unread(unread_count)}</span>
          </span>
        )}
      </span>
      <span className="inbox-row-line inbox-row-meta">
        {status === 'closed' ? (
          <span className="inbox-window">
            <Icon name="check" size={14} />
            {words.status.closed}
          </span>
        ) : (
          <WindowLine expiresAt={conversation.window_expires_at} />
        )}
        <Assignee conversation={conversation} />
      </span>
    </ViewLink>
  )
})

function Assignee({ conversation }: { conversation: Conversation }) {
  const words = useWords(inboxWords)
  const { assignee, assigned_user_id } = conversation
  if (assigned_user_id === null) return <span className="push cut">{words.nobody}</span>
  const name = assignee?.name ?? words.somebodyElse
  return (
    <span className="push row inbox-row-assignee" title={name}>
      <Avatar name={name} size={20} />
      <span className="cut">{assignee ? name.split(' ')[0] : name}</span>
    </span>
  )
}

type Last = Conversation['last_message']
type Tick = { icon: IconName; tone: string }

const ticks: Partial<Record<NonNullable<Last>['status'], Tick>> = {
  queued: { icon: 'clock', tone: '' },
  sent: { icon: 'tick', tone: '' },
  delivered: { icon: 'ticks', tone: '' },
  read: { icon: 'ticks', tone: 'read' },
  played: { icon: 'ticks', tone: 'read' },
  failed: { icon: 'alert', tone: 'bad' },
  unknown: { icon: 'warn', tone: 'warn' },
  cancelled: { icon: 'x', tone: '' },
}

function LastWords({ last }: { last: Last }) {
  const words = useWords(inboxWords)
  if (!last) return <span className="cut" />
  const tick = last.direction === 'outbound' ? ticks[last.status] : undefined
  return (
    <>
      {tick && (
        <Icon
          name={tick.icon}
          label={words.ticks[last.status]}
          className={`inbox-tick ${tick.tone}`}
        />
      )}
      <span className="cut">{textOf(last, words)}</span>
    </>
  )
}

/** The words themselves; of what has none, what it is. */
export function textOf(
  last: NonNullable<Last>,
  words: { revoked: string; types: Record<string, string> },
): string {
  if (last.revoked) return words.revoked
  const type = words.types[last.type] ?? words.types.unsupported ?? ''
  if (!last.text) return type
  return last.type === 'template' ? `${type} · ${last.text}` : last.text
}
