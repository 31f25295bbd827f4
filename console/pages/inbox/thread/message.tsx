// One message: what it answers, what it holds, how far it got, and what people thought of it.
import { lazy, memo, type ReactNode, Suspense, useState } from 'react'
import { useSession } from '../../../api/session.tsx'
import type { MessageInList } from '../../../api/types.ts'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { Actions } from './actions.tsx'
import { Content, useSummary } from './content.tsx'
import { contentWords } from './content-words.ts'
import { recordIn, spokenText, textIn } from './json.ts'
import { senderName, useThread, writerName } from './shown.ts'
import { Ticks, useSteps } from './ticks.tsx'
import { Waiting } from './waiting.tsx'
import { threadWords } from './words.ts'

/** With its texts for every code, which most conversations never need. */
const FailureBlock = lazy(async () => ({ default: (await import('./failure.tsx')).FailureBlock }))

interface MessageProps {
  message: MessageInList
  isSelected: boolean
  showsName: boolean
}

export const Message = memo(function Message({ message, isSelected, showsName }: MessageProps) {
  const { onSelect } = useThread()
  const isFailed = message.status === 'failed' || message.status === 'unknown'
  const label = useLabel(message)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys select, in the log around it.
    <article
      className={classesOf(message, isSelected)}
      data-message={message.id}
      tabIndex={isSelected ? 0 : -1}
      aria-label={label}
      onClick={(event) => {
        if (!isForSomethingElse(event.target as Element)) onSelect(message.id)
      }}
    >
      {showsName && message.sender && (
        <b className="thread-sender cut" dir="auto">
          {senderName(message.sender)}
        </b>
      )}
      <Tags message={message} />
      {message.refers_to && <Quote of={message.refers_to} />}
      {message.revoked_at ? <Deleted message={message} /> : <Body message={message} />}
      <Foot message={message} />
      {message.status === 'queued' && <Waiting message={message} />}
      {isFailed && (
        <Suspense fallback={null}>
          <FailureBlock message={message} />
        </Suspense>
      )}
      <Reactions message={message} />
      {!message.revoked_at && <Actions message={message} />}
    </article>
  )
})

/** A button or link inside was meant, or text is being marked. */
function isForSomethingElse(target: Element): boolean {
  return (
    target.closest('button, a, summary, audio, video, input, dialog, [role="menu"]') !== null ||
    getSelection()?.isCollapsed === false
  )
}

function classesOf(
  { direction, status, type, reactions, revoked_at }: MessageInList,
  isSelected: boolean,
) {
  return [
    'thread-message',
    direction === 'outbound' && 'is-out',
    (status === 'failed' || status === 'unknown') && 'is-failed',
    status === 'cancelled' && 'is-cancelled',
    ['image', 'sticker', 'video'].includes(type) && !revoked_at && 'is-picture',
    type === 'sticker' && 'is-sticker',
    reactions.length > 0 && 'has-reactions',
    isSelected && 'is-selected',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Who, when, what: what a screen reader says on arriving at it. */
function useLabel(message: MessageInList): string {
  const words = useWords(threadWords)
  const format = useFormat()
  const summary = useSummary()
  const { person } = useSession()
  const { name, firm } = useThread()
  const who = writerName(message, { name, words, ownId: person.id }) ?? firm
  const { type, content, rendered, status } = message
  const said = summary(type, content, spokenText(type, content, rendered))
  const state = message.direction === 'outbound' ? `, ${words.status[status]}` : ''
  return `${who}, ${format.time(message.occurred_at)}${state}: ${said}`
}

function Tag({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <span className="thread-tag">
      <Icon name={icon} size={14} />
      <span className="cut" dir="auto">
        {children}
      </span>
    </span>
  )
}

/** Where it came from, when that is not the usual way. */
function Tags({ message }: { message: MessageInList }) {
  const words = useWords(contentWords)
  const said = useWords(threadWords)
  const { content, origin, automatic } = message
  const context = recordIn(content.context)
  const referral = recordIn(content.referral)
  const product = textIn(recordIn(context.referred_product).product_retailer_id)
  const headline = textIn(referral.headline)
  return (
    <>
      {origin === 'echo' && <Tag icon="phone">{words.fromPhone}</Tag>}
      {origin === 'history' && <Tag icon="clock">{words.history}</Tag>}
      {automatic && <Tag icon="bolt">{words.automatic}</Tag>}
      {context.frequently_forwarded === true ? (
        <Tag icon="right">{words.forwardedOften}</Tag>
      ) : (
        context.forwarded === true && <Tag icon="right">{words.forwarded}</Tag>
      )}
      {content.referral !== undefined && (
        <Tag icon="external">
          {[words.fromAd, headline].filter(Boolean).join(' · ').slice(0, 300)}
        </Tag>
      )}
      {product && <Tag icon="file">{words.aboutProduct(product)}</Tag>}
      {message.duplicate_confirmed_at && <Tag icon="warn">{said.twice}</Tag>}
    </>
  )
}

type Quoted = Pick<NonNullable<MessageInList['refers_to']>, 'id' | 'type' | 'direction' | 'content'>

export function Quote({ of }: { of: Quoted }) {
  const words = useWords(threadWords)
  const summary = useSummary()
  const { name, firm, jumpTo } = useThread()
  const { type, content } = of
  return (
    <button
      type="button"
      className="thread-quote"
      title={words.jumpToQuoted}
      onClick={() => jumpTo(of.id)}
    >
      <b className="cut" dir="auto">
        {of.direction === 'outbound' ? firm : name}
      </b>
      <span className="cut" dir="auto">
        {summary(type, content, spokenText(type, content))}
      </span>
    </button>
  )
}

function Body({ message }: { message: MessageInList }) {
  const words = useWords(contentWords)
  const [isShown, setShown] = useState(false)
  const original = message.original_content
  return (
    <>
      <Content shown={message} />
      {original && (
        <button type="button" className="thread-more" onClick={() => setShown(!isShown)}>
          {isShown ? words.hideOriginal : words.showOriginal}
        </button>
      )}
      {original && isShown && (
        <div className="thread-original">
          <Content shown={{ ...message, content: original }} />
        </div>
      )}
    </>
  )
}

function Deleted({ message }: { message: MessageInList }) {
  const words = useWords(contentWords)
  const [isShown, setShown] = useState(false)
  return (
    <>
      <p className="thread-quiet">
        <Icon name="trash" /> {words.deleted}
      </p>
      <button type="button" className="thread-more" onClick={() => setShown(!isShown)}>
        {isShown ? words.hideDeleted : words.showDeleted}
      </button>
      {isShown && (
        <div className="thread-original">
          <Content shown={message} />
        </div>
      )}
    </>
  )
}

function Foot({ message }: { message: MessageInList }) {
  const words = useWords(contentWords)
  const said = useWords(threadWords)
  const format = useFormat()
  const stepsOf = useSteps()
  const { person } = useSession()
  const isOut = message.direction === 'outbound'
  const who = isOut && writerName(message, { name: '', words: said, ownId: person.id })
  return (
    <span className="thread-foot num" title={stepsOf(message)}>
      {who && <span className="cut thread-writer">{who}</span>}
      {who && ' · '}
      {message.edited_at && `${words.edited} · `}
      <time dateTime={message.occurred_at}>{format.time(message.occurred_at)}</time>
      {isOut && <Ticks status={message.status} />}
    </span>
  )
}

function Reactions({ message }: { message: MessageInList }) {
  const words = useWords(threadWords)
  const { name, firm, conversation } = useThread()
  if (message.reactions.length === 0) return null
  const whoIs = (from: string) => {
    if (from === 'business') return firm
    // There is nobody else, whatever number they had then.
    if (conversation.contact.kind === 'person') return name
    return /^\d+$/.test(from) ? `+${from}` : from
  }
  const all = message.reactions.map(({ emoji, from }) =>
    words.reacted(whoIs(from), emoji.slice(0, 40)),
  )
  const shown = [...new Set(message.reactions.map(({ emoji }) => emoji.slice(0, 40)))]
  return (
    <span
      className="thread-reactions"
      role="img"
      aria-label={all.join('. ')}
      title={all.join('\n')}
    >
      {shown.slice(0, 6).join(' ')}
      {message.reactions.length > 1 && <span className="num"> {message.reactions.length}</span>}
    </span>
  )
}
