// The field one writes in, with files, emoji and the message that is answered.
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Conversation } from '../../../api/types.ts'
import { Button, IconButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { contactName } from '../people.ts'
import { Attachments, nameplate } from './attachments.tsx'
import { acceptedFiles, type JudgedFile, judge, lengthOf, maxText } from './limits.ts'
import { captioned, messagesFrom } from './messages-from.ts'
import { ReplyBar, useQuoted } from './reply-bar.tsx'
import type { Sending } from './sending.ts'
import { useDrop } from './use-drop.ts'
import { composerWords } from './words.ts'

const EmojiPicker = lazy(async () => ({
  default: (await import('./emoji-picker.tsx')).EmojiPicker,
}))

interface WritingProps {
  conversation: Conversation
  sending: Sending
  text: string
  onText(text: string): void
  files: JudgedFile[]
  onFiles(files: JudgedFile[]): void
  replyTo: string | undefined
  onReply(messageId: string | undefined): void
  /** At its beginning. */
  takesFocus: boolean
  onTemplates(): void
}

const counterFrom = 200

export function Writing(props: WritingProps) {
  const { conversation, sending, text, onText, files, onFiles, replyTo, onReply } = props
  const words = useWords(composerWords)
  const format = useFormat()
  const field = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const [trouble, setTrouble] = useState('')
  const [isSent, setSent] = useState(false)
  const [showsEmoji, setShowsEmoji] = useState(false)
  const quoted = useQuoted(conversation.id, replyTo)
  const attach = (added: Iterable<File>) => {
    const known = new Set(files.map(({ file }) => nameplate(file)))
    const fresh = Array.from(added).filter((file) => !known.has(nameplate(file)))
    onFiles([...files, ...fresh.map(judge)])
    setTrouble('')
    field.current?.focus()
  }
  const isOver = useDrop(attach)
  useGrowing(field, text)
  useFocus(field, props.takesFocus, replyTo)

  const good = files.flatMap((one) => (one.problem ? [] : one))
  const left = maxText - lengthOf(text.trim())
  const isNothing = text.trim() === '' && files.length === 0
  const submit = () => {
    field.current?.focus()
    if (isNothing) return
    if (left < 0) return setTrouble(words.tooLong(format.number(-left)))
    if (good.length < files.length) return setTrouble(words.someFilesBad)
    const answers = quoted?.wamid ?? undefined
    for (const { draft, files: own } of messagesFrom({ text, files: good, answers })) {
      sending.send(draft, own)
    }
    onText('')
    onFiles([])
    onReply(undefined)
    setTrouble('')
    setSent(true)
  }
  const insert = (emoji: string) => {
    const area = field.current
    if (!area) return
    area.setRangeText(emoji, area.selectionStart, area.selectionEnd, 'end')
    onText(area.value)
    setShowsEmoji(false)
    area.focus()
  }
  return (
    <form
      className={`composer-box ${isOver ? 'is-over' : ''}`}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {quoted && (
        <ReplyBar
          message={quoted}
          conversation={conversation}
          onCancel={() => {
            onReply(undefined)
            field.current?.focus()
          }}
        />
      )}
      <Attachments files={files} onFiles={onFiles} />
      <textarea
        ref={field}
        rows={1}
        aria-label={words.message}
        aria-describedby="composer-trouble"
        aria-invalid={trouble !== ''}
        placeholder={
          captioned({ text: 'x', files: good }) === undefined
            ? words.placeholder(contactName(conversation))
            : words.captionPlaceholder
        }
        value={text}
        onChange={(event) => {
          onText(event.target.value)
          setTrouble('')
          setSent(false)
        }}
        onPaste={(event) => {
          const { clipboardData } = event
          // A picture copied from a text comes with the text, which is what was meant.
          if (clipboardData.files.length === 0 || clipboardData.types.includes('text/plain')) return
          event.preventDefault()
          attach(clipboardData.files)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          if (!event.nativeEvent.isComposing) submit()
        }}
      />
      {isOver && <div className="composer-drop">{words.dropHere}</div>}
      <div id="composer-trouble" className="composer-trouble" role="alert">
        {trouble}
      </div>
      <div className="composer-bar">
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          accept={acceptedFiles}
          onChange={(event) => {
            attach(event.target.files ?? [])
            event.target.value = ''
          }}
        />
        <IconButton icon="clip" label={words.attach} onClick={() => chooser.current?.click()} />
        <span className="composer-emoji">
          <IconButton
            icon="smile"
            label={words.emoji}
            aria-haspopup="dialog"
            aria-expanded={showsEmoji}
            onClick={() => setShowsEmoji(!showsEmoji)}
          />
          {showsEmoji && (
            <Suspense fallback={null}>
              <EmojiPicker onChoose={insert} onClose={() => setShowsEmoji(false)} />
            </Suspense>
          )}
        </span>
        <IconButton icon="template" label={words.templates} onClick={props.onTemplates} />
        {left <= counterFrom && (
          <span className={`composer-left num ${left < 0 ? 'bad' : ''}`}>
            {format.number(left)}
          </span>
        )}
        <span className="composer-send">
          <span className="composer-keys" aria-hidden="true">
            <kbd>{/Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'}</kbd>
            <kbd>Enter</kbd>
          </span>
          <Button type="submit" look="primary" disabled={isNothing} aria-label={words.send}>
            <span className="composer-send-word">{words.send}</span>
            <Icon name="send" className="composer-send-icon" />
          </Button>
        </span>
      </div>
      <span className="sr" role="status">
        {isSent ? words.sent : left <= counterFrom && left % 50 === 0 && words.left(String(left))}
      </span>
    </form>
  )
}

/** As high as what is in it, up to what the style allows. */
function useGrowing(field: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the text is another.
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = 'auto'
    const borders = area.offsetHeight - area.clientHeight
    area.style.height = `${area.scrollHeight + borders}px`
  }, [field, text])
}

function useFocus(
  field: React.RefObject<HTMLTextAreaElement | null>,
  takesFocus: boolean,
  replyTo: string | undefined,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: at its beginning.
  useEffect(() => {
    const area = field.current
    // What was written before goes on where it ended.
    area?.setSelectionRange(area.value.length, area.value.length)
    if (takesFocus) area?.focus()
  }, [])
  const before = useRef(replyTo)
  useEffect(() => {
    if (replyTo !== undefined && replyTo !== before.current) field.current?.focus()
    before.current = replyTo
  }, [field, replyTo])
}
