// Where one writes: the field while the window is open, the templates when it is not, and what became of what was written.
import { useQueryClient } from '@tanstack/react-query'
import { type FocusEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Conversation } from '../../../api/types.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Skeleton } from '../../../parts/states.tsx'
import { useNow } from '../../../parts/time.tsx'
import { useLive } from '../../../shell/live.tsx'
import { useShortcut } from '../../../shell/shortcuts.tsx'
import { useWords } from '../../../words/language.tsx'
import { contactName } from '../people.ts'
import { keepDraft, readDraft, useChosenFiles } from './kept-draft.ts'
import { judge } from './limits.ts'
import { Notices } from './notices.tsx'
import { sender } from './sender.ts'
import type { Sending, Unsent } from './sending.ts'
import { composerWords } from './words.ts'
import { Writing } from './writing.tsx'
import './composer.css'

/** Comes when it is wanted: most people write most of the time. */
const TemplatePicker = lazy(async () => ({
  default: (await import('./template-picker.tsx')).TemplatePicker,
}))

export interface ComposerProps {
  conversation: Conversation
  sending: Sending
  /** The message that is answered. */
  replyTo: string | undefined
  onReply(messageId: string | undefined): void
}

export function Composer({ conversation, sending, replyTo, onReply }: ComposerProps) {
  const { id } = conversation
  const words = useWords(composerWords)
  const [text, setText] = useState(() => readDraft(id).text)
  const [files, setFiles] = useChosenFiles(id)
  const [wantsTemplate, setWantsTemplate] = useState(false)
  const [timesAsked, setTimesAsked] = useState(0)
  const focus = useFocusInside()
  const now = useNow()
  useFresh(conversation, sending)
  useKeptReply(id, replyTo, onReply)

  const write = (next: string) => {
    setText(next)
    keepDraft(id, { text: next, replyTo })
  }
  const chooseTemplates = (isWanted: boolean) => {
    setWantsTemplate(isWanted)
    setTimesAsked((before) => (isWanted ? before + 1 : 0))
    focus.isInside.current = true
  }
  const stopped = conversation.suppressions.find(({ scope }) => scope === 'everything')
  const { window_expires_at: closesAt } = conversation
  const isOpen = closesAt !== null && Date.parse(closesAt) > now
  useEffect(() => {
    // Who is filling in a template goes on with it; everybody else can write again.
    if (isOpen) setWantsTemplate(document.activeElement?.closest('.picker-form') != null)
  }, [isOpen])
  useEffect(() => {
    // Who answers a message wants to write, not to choose.
    if (replyTo !== undefined) setWantsTemplate(false)
  }, [replyTo])
  useShortcut('t', words.templates, stopped ? undefined : () => chooseTemplates(true))

  const takeBack = ({ key, draft }: Unsent) => {
    const said = textIn(draft)
    if (said) write(text.trim() === '' ? said : `${said}\n\n${text}`)
    const kept = sender.filesOf(key)
    if (kept.length > 0) setFiles([...files, ...kept.map(judge)])
    sending.discard(key)
    focus.isInside.current = true
    document.querySelector<HTMLElement>('.composer textarea')?.focus()
  }
  useWish(sending, takeBack, () => chooseTemplates(true))
  const notices = <Notices conversation={conversation} sending={sending} />
  if (stopped) {
    return (
      <div className="composer" {...focus.watch}>
        {notices}
        <Stopped conversation={conversation} stopped={stopped} hasDraft={text.trim() !== ''} />
      </div>
    )
  }
  if (!isOpen || wantsTemplate) {
    return (
      <div className="composer is-picking" {...focus.watch}>
        {notices}
        <Suspense fallback={<Skeleton lines={6} />}>
          <TemplatePicker
            conversation={conversation}
            sending={sending}
            isOpen={isOpen}
            draft={text}
            takesFocus={focus.isInside.current}
            timesAsked={timesAsked}
            onDone={() => chooseTemplates(false)}
          />
        </Suspense>
      </div>
    )
  }
  return (
    <div className="composer" {...focus.watch}>
      {notices}
      <Writing
        conversation={conversation}
        sending={sending}
        text={text}
        onText={write}
        files={files}
        onFiles={setFiles}
        replyTo={replyTo}
        onReply={onReply}
        takesFocus={focus.isInside.current}
        onTemplates={() => chooseTemplates(true)}
      />
    </div>
  )
}

/** What takes another's place takes the focus along: keys that were meant for a field must not do something else. */
function useFocusInside() {
  const isInside = useRef(false)
  const onFocus = () => {
    isInside.current = true
  }
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) isInside.current = false
  }
  return { isInside, watch: { onFocus, onBlur } }
}

/** What the contact writes opens the window. */
function useFresh({ id }: Conversation, sending: Sending): void {
  const queries = useQueryClient()
  const lookAgain = () => void queries.invalidateQueries({ queryKey: ['conversation', id] })
  useLive(({ type, data }) => {
    const { data: told = {} } = (data ?? {}) as { data?: Record<string, unknown> }
    const isOurs = told.conversation_id === id && type !== 'message.status'
    if (isOurs || type === 'stream.reset') lookAgain()
  })
  // The gateway's clock counts, not the page's.
  const isLate = sending.unsent.some(({ problem }) => problem?.code === 'WINDOW_CLOSED')
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is found out.
  useEffect(() => {
    if (isLate) lookAgain()
  }, [isLate])
}

/** What somebody pressed elsewhere, such as in the thread. */
function useWish(sending: Sending, onEdit: (unsent: Unsent) => void, onTemplate: () => void): void {
  const { wish, unsent, fulfil } = sending
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each wish.
  useEffect(() => {
    if (!wish) return
    const wanted = unsent.find(({ key }) => key === wish.key)
    if (wanted) onEdit(wanted)
    if (wish.isTemplate) onTemplate()
    fulfil?.()
  }, [wish])
}

/** Which message is answered is part of what was being written. */
function useKeptReply(
  id: string,
  replyTo: string | undefined,
  onReply: (id: string | undefined) => void,
): void {
  const isFirst = useRef(true)
  useEffect(() => {
    const kept = readDraft(id)
    if (isFirst.current && replyTo === undefined && kept.replyTo) onReply(kept.replyTo)
    else keepDraft(id, { ...kept, replyTo })
    isFirst.current = false
  }, [id, replyTo, onReply])
}

function textIn(draft: Unsent['draft']): string {
  const { body, caption } = (draft[draft.type] ?? {}) as { body?: string; caption?: string }
  return body ?? caption ?? ''
}

function Stopped({
  conversation,
  stopped,
  hasDraft,
}: {
  conversation: Conversation
  stopped: Conversation['suppressions'][number]
  hasDraft: boolean
}) {
  const words = useWords(composerWords)
  const name = contactName(conversation)
  return (
    <div className="composer-stopped" role="note">
      <Icon name="lock" />
      <p>
        <b className="strong">{words.suppressedTitle(name)}.</b>{' '}
        <span className="soft">
          {words.suppressedBy[stopped.reason]} {words.suppressedUntil(name)}{' '}
          {hasDraft && words.draftKept}
        </span>
      </p>
    </div>
  )
}
