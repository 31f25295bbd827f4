// Inside a message that did not arrive: what happened, why, what to do, and the button that does it. Codes and ids are one
// click deeper.
import { useRef, useState } from 'react'
import { post } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { MessageInList } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { ViewLink } from '../../../shell/place.tsx'
import { useWords } from '../../../words/language.tsx'
import { Decide } from './decide.tsx'
import { failureWords } from './failure-words.ts'
import { type Action, type Failure, failureOf } from './failures.ts'
import { recordIn, textIn } from './json.ts'
import { mediaTypes } from './media.tsx'
import { useThread } from './shown.ts'
import { threadWords } from './words.ts'

export function FailureBlock({ message }: { message: MessageInList }) {
  const words = useWords(threadWords)
  const texts = useWords(failureWords)
  const { name, firm } = useThread()
  const [isDeeper, setDeeper] = useState(false)
  const failure = failureOf(message)
  const template = textIn(recordIn(message.content.template).name) ?? words.message
  const isUnknown = message.status === 'unknown'
  return (
    <div className={`thread-why ${isUnknown ? 'is-unknown' : ''}`}>
      <b>
        <Icon name={isUnknown ? 'warn' : 'alert'} />
        {isUnknown ? words.unknownTitle : words.notDelivered}
      </b>
      <p dir="auto">{texts[failure.kind]({ name, firm, template })}</p>
      <div className="row wrap">
        {isUnknown ? (
          <Decide message={message} />
        ) : (
          failure.actions.map((action) => <Act key={action} action={action} message={message} />)
        )}
        <button
          type="button"
          className="thread-deeper"
          aria-expanded={isDeeper}
          onClick={() => setDeeper(!isDeeper)}
        >
          {words.code(failure.code)} <Icon name={isDeeper ? 'down' : 'right'} size={14} />
        </button>
      </div>
      {isDeeper && <Deeper failure={failure} message={message} />}
    </div>
  )
}

function Deeper({ failure, message }: { failure: Failure; message: MessageInList }) {
  const words = useWords(threadWords)
  return (
    <dl className="thread-deep">
      <div>
        <dt>{words.metaSaid}</dt>
        <dd dir="auto">{failure.said ? `“${failure.said.slice(0, 2_000)}”` : words.noWords}</dd>
      </div>
      {failure.metaTrace && (
        <div>
          <dt>{words.metaTrace}</dt>
          <dd>
            <Copy text={failure.metaTrace.slice(0, 200)} />
          </dd>
        </div>
      )}
      <div>
        <dt>{words.trace}</dt>
        <dd>
          <Copy text={message.correlation_id} />
        </dd>
      </div>
      <div>
        <dt>{words.message}</dt>
        <dd>
          <Copy text={message.id} />
        </dd>
      </div>
    </dl>
  )
}

/** A button only where it does something for this person and this message. */
function Act({ action, message }: { action: Action; message: MessageInList }) {
  const words = useWords(threadWords)
  const { may } = useSession()
  const { sending, onTemplate } = useThread()
  switch (action) {
    case 'again':
      return (
        <Button small icon="again" onClick={() => sending.sendAgain(message)}>
          {words.sendAgain}
        </Button>
      )
    case 'template':
      return (
        <Button small icon="template" onClick={onTemplate}>
          {message.type === 'template' ? words.anotherTemplate : words.sendTemplate}
        </Button>
      )
    case 'replace':
      return mediaTypes.includes(message.type) && <ReplaceFile message={message} />
    case 'reconnect':
      return <ForAdmins to="/accounts" label={words.reconnect} />
    case 'sync':
      return may('admin') && <ForAdmins to="/templates" label={words.syncTemplates} />
    case 'payment':
      return may('admin') ? (
        <a
          className="btn plain sm"
          href="https://business.facebook.com/billing_hub"
          target="_blank"
          rel="noopener noreferrer"
        >
          <Icon name="external" size={14} />
          {words.openMeta}
        </a>
      ) : (
        <ForAdmins to="/accounts" label="" />
      )
    case 'none':
      return null
  }
}

function ForAdmins({ to, label }: { to: string; label: string }) {
  const words = useWords(threadWords)
  const { may } = useSession()
  if (!may('admin')) return <span className="xs soft">{words.askAdmin}</span>
  return (
    <ViewLink className="btn plain sm" to={to}>
      {label}
    </ViewLink>
  )
}

/** The same message with another file. */
function ReplaceFile({ message }: { message: MessageInList }) {
  const words = useWords(threadWords)
  const { sending } = useThread()
  const toasts = useToasts()
  const input = useRef<HTMLInputElement>(null)
  const [isBusy, setBusy] = useState(false)
  const before = recordIn(message.content[message.type])
  async function replaceWith(file: File): Promise<void> {
    setBusy(true)
    try {
      const form = new FormData()
      form.append('file', file)
      const { media_id: id } = await post<{ media_id: string }>('/api/whatsapp/meta/media', form)
      const caption = textIn(before.caption)
      const named = message.type === 'document' && { filename: file.name }
      const context = message.reply_to_wamid && { context: { message_id: message.reply_to_wamid } }
      sending.send({
        type: message.type,
        [message.type]: { id, ...(caption && { caption }), ...named },
        ...context,
      })
    } catch (error) {
      toasts.complain(error)
    }
    setBusy(false)
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={words.replaceFile}
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) void replaceWith(file)
          target.value = ''
        }}
      />
      <Button small icon="clip" busy={isBusy} onClick={() => input.current?.click()}>
        {isBusy ? words.replacing : words.replaceFile}
      </Button>
    </>
  )
}
