// One conversation, message by message.
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Conversation } from '../../../api/types.ts'
import { Empty, Skeleton, Trouble } from '../../../parts/states.tsx'
import { useNow } from '../../../parts/time.tsx'
import { useShortcut } from '../../../shell/shortcuts.tsx'
import { useTenant } from '../../../shell/tenant.tsx'
import { useWords } from '../../../words/language.tsx'
import type { Sending } from '../composer/sending.ts'
import { windowOf } from '../window.ts'
import { useCopyText } from './actions.tsx'
import { Announcements } from './announce.tsx'
import { Log } from './log.tsx'
import type { Messages } from './merge.ts'
import { useLiveMessages, useMessages } from './messages.ts'
import { type InThread, InThreadContext, nameOf } from './shown.ts'
import { threadWords } from './words.ts'
import './thread.css'

export interface ThreadProps {
  conversation: Conversation
  sending: Sending
  selectedId: string | undefined
  onSelect(messageId: string | undefined): void
  onReply(messageId: string | undefined): void
  /** Opens the choice of a template. */
  onTemplate(): void
  /** Shows what is known about a message. */
  onDetails(messageId: string): void
}

export function Thread(props: ThreadProps) {
  const { conversation, sending, selectedId, onSelect, onReply, onTemplate, onDetails } = props
  const words = useWords(threadWords)
  const { name: firm } = useTenant()
  const { data: held, error, refetch, older, look, refresh } = useMessages(conversation.id)
  const [wantedId, setWantedId] = useState<string>()
  // Before it counts as read, which it does as soon as it is shown.
  const [unreadAtFirst] = useState(conversation.unread_count)
  const earliestDrawn = useRef<string>(undefined)
  const name = nameOf(conversation)
  const canWrite = useCanWrite(conversation)
  useLiveMessages(conversation.id, {
    look,
    refetch,
    onMissed: () => void refresh(earliestDrawn.current).catch(() => undefined),
  })
  const thread = useMemo<InThread>(
    () => ({
      ...{ conversation, name, firm, sending, canWrite, look },
      ...{ onSelect, onReply, onTemplate, onDetails },
      jumpTo: setWantedId,
    }),
    [conversation, name, firm, sending, canWrite, look, onSelect, onReply, onTemplate, onDetails],
  )
  const onFound = useCallback(() => setWantedId(undefined), [])
  useMessageKeys(held, selectedId, canWrite ? onReply : undefined)

  if (!held) {
    return (
      <div className="thread">
        {error ? <Trouble error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />}
      </div>
    )
  }
  const isEmpty = held.data.length === 0 && sending.unsent.length === 0
  return (
    <InThreadContext value={thread}>
      <Announcements messages={held.data} />
      {isEmpty ? (
        <div className="thread">
          <Empty title={words.emptyTitle}>{words.emptyText(name)}</Empty>
        </div>
      ) : (
        <Log
          held={held}
          unreadAtFirst={unreadAtFirst}
          older={older}
          selectedId={selectedId}
          wantedId={wantedId}
          onFound={onFound}
          onDrawn={(id) => {
            earliestDrawn.current = id
          }}
        />
      )}
    </InThreadContext>
  )
}

/** Answers and reactions are free text to Meta: in an open window alone, to somebody who wants them. */
function useCanWrite({ window_expires_at, suppressions }: Conversation): boolean {
  const isOpen = windowOf(window_expires_at, useNow()).kind === 'open'
  return isOpen && !suppressions.some(({ scope }) => scope === 'everything')
}

/** For the selected message, wherever the focus is. */
function useMessageKeys(
  held: Messages | undefined,
  selectedId: string | undefined,
  onReply: ThreadProps['onReply'] | undefined,
): void {
  const words = useWords(threadWords)
  const copyOf = useCopyText()
  const selected = held?.data.find(({ id }) => id === selectedId)
  const copy = selected && copyOf(selected)
  useShortcut('r', words.reply, onReply && selected?.wamid ? () => onReply(selected.id) : undefined)
  useShortcut('c', words.copyText, copy)
}
