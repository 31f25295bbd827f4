// The inbox: conversations, one of them, and what is known about it. One pane at a time on a phone.
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { get } from '../../api/call.ts'
import { toProblem } from '../../api/problem.ts'
import type { Conversation } from '../../api/types.ts'
import { IconButton } from '../../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { usePlace } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { conversationKey, useConversationCache } from './cache.ts'
import { Composer } from './composer/composer.tsx'
import { useSending } from './composer/sending.ts'
import { Details } from './details/details.tsx'
import { useDetails, useIsPhone } from './frame.ts'
import { Head } from './head.tsx'
import { ConversationList } from './list/conversation-list.tsx'
import { filterOf, searchOf } from './list/filter.ts'
import { contactName } from './people.ts'
import { useReadMark } from './read-mark.ts'
import { Thread } from './thread/thread.tsx'
import { inboxWords } from './words.ts'
import './inbox.css'

export function Page() {
  const { params } = usePlace()
  const words = useWords(inboxWords)
  const details = useDetails()
  useFocusOnPhone(params.id)
  const classes = ['inbox', params.id && 'has-chosen', details.areShown && 'has-details']
  return (
    <div className={classes.filter(Boolean).join(' ')}>
      <ConversationList chosenId={params.id} />
      {params.id ? (
        <Chosen key={params.id} id={params.id} details={details} />
      ) : (
        <section className="inbox-pane inbox-conversation inbox-none">
          <Empty title={words.chooseOne}>{words.chooseOneText}</Empty>
        </section>
      )}
    </div>
  )
}

/** On a phone the pane that had the focus is gone: it moves along, and comes back to the row. */
function useFocusOnPhone(id: string | undefined): void {
  const isPhone = useIsPhone()
  const before = useRef(id)
  useEffect(() => {
    const left = before.current
    before.current = id
    if (!isPhone || left === id) return
    const target = id
      ? document.querySelector<HTMLElement>('.inbox-back')
      : document.querySelector<HTMLElement>(`.inbox-row[data-id="${left}"]`)
    target?.focus({ preventScroll: true })
  }, [id, isPhone])
}

type DetailsState = ReturnType<typeof useDetails>

/** Back to the list, narrowed as it was. */
function useBack(): () => void {
  const { go, search } = usePlace()
  return () => go('/inbox', searchOf(filterOf(search)))
}

function Chosen({ id, details }: { id: string; details: DetailsState }) {
  const words = useWords(inboxWords)
  const { go, search } = usePlace()
  const cache = useConversationCache()
  const { data, error, refetch } = useQuery({
    queryKey: conversationKey(id),
    queryFn: ({ signal }) => get<Conversation>(`/api/whatsapp/conversations/${id}`, {}, signal),
    // What the list knows of it is shown at once, and asked for again.
    initialData: () => cache.find(id),
    initialDataUpdatedAt: 0,
  })
  // It became one with another: the address says which.
  const isOther = data && data.id !== id
  useEffect(() => {
    if (isOther) go(`/inbox/${data.id}`, searchOf(filterOf(search)), { replace: true })
  }, [isOther, data, go, search])
  if (data && !isOther) return <OpenConversation conversation={data} details={details} />
  const isNowhere = error !== null && toProblem(error).status === 404
  return (
    <PlainPane isEmpty={isNowhere}>
      {!error ? (
        <Skeleton lines={8} />
      ) : isNowhere ? (
        <Empty title={words.noConversation}>{words.noConversationText}</Empty>
      ) : (
        <Trouble title={words.conversationTrouble} error={error} onRetry={() => void refetch()} />
      )}
    </PlainPane>
  )
}

/** A conversation that is not there yet, or not at all; one can leave it all the same. */
function PlainPane({ isEmpty, children }: { isEmpty: boolean; children: ReactNode }) {
  const general = useWords(common)
  const back = useBack()
  return (
    <section className={`inbox-pane inbox-conversation ${isEmpty ? 'inbox-none' : ''}`}>
      <header className="inbox-head inbox-narrow-only">
        <IconButton
          icon="back"
          label={general.back}
          className="inbox-back"
          small={false}
          onClick={back}
        />
      </header>
      {children}
    </section>
  )
}

function OpenConversation({
  conversation,
  details,
}: {
  conversation: Conversation
  details: DetailsState
}) {
  const words = useWords(inboxWords)
  const sending = useSending(conversation)
  const back = useBack()
  const [selectedId, setSelectedId] = useState<string>()
  const [replyTo, setReplyTo] = useState<string>()
  useReadMark(conversation)
  return (
    <>
      <section className="inbox-pane inbox-conversation" aria-label={contactName(conversation)}>
        <Head
          conversation={conversation}
          onBack={back}
          areDetailsShown={details.areShown}
          onToggleDetails={details.toggle}
        />
        <Thread
          conversation={conversation}
          sending={sending}
          selectedId={selectedId}
          onSelect={setSelectedId}
          onReply={setReplyTo}
          onTemplate={() => sending.chooseTemplate?.()}
          onDetails={(id) => {
            setSelectedId(id)
            details.show()
          }}
        />
        <Composer
          conversation={conversation}
          sending={sending}
          replyTo={replyTo}
          onReply={setReplyTo}
        />
      </section>
      {details.areShown && (
        <Drawer label={words.details} isOver={!details.isWide} onClose={details.hide}>
          <Details
            conversation={conversation}
            selectedId={selectedId}
            onClose={details.isWide ? undefined : details.hide}
          />
        </Drawer>
      )}
    </>
  )
}

/** Beside the conversation where there is room; otherwise over it, with the focus in it until it is left. */
function Drawer({
  label,
  isOver,
  onClose,
  children,
}: {
  label: string
  isOver: boolean
  onClose(): void
  children: ReactNode
}) {
  const own = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isOver) return
    const before = document.activeElement
    own.current?.focus()
    return () => {
      const isLost = document.activeElement === document.body || own.current === null
      if (isLost && before instanceof HTMLElement) before.focus()
    }
  }, [isOver])
  return (
    <>
      {isOver && <div className="inbox-scrim" onPointerDown={onClose} />}
      <aside
        ref={own}
        id="inbox-details"
        className="inbox-pane inbox-details"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={(event) => {
          if (!isOver || event.key !== 'Escape' || event.defaultPrevented) return
          event.preventDefault()
          onClose()
        }}
      >
        {children}
      </aside>
    </>
  )
}
