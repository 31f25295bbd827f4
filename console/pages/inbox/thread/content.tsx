// What a message holds, by its type. What is not known here is shown as it came.
import { Icon } from '../../../parts/icon.tsx'
import { useLanguage, useWords } from '../../../words/language.tsx'
import { contentWords } from './content-words.ts'
import { Interactive } from './interactive.tsx'
import { type Json, numberIn, recordIn, recordsIn, textIn } from './json.ts'
import { MediaContent, mediaTypes } from './media.tsx'
import { MessageText } from './message-text.tsx'
import { Contacts, Place } from './place.tsx'
import { type Shown, useThread } from './shown.ts'
import { TemplateMessage } from './template-message.tsx'

export function Content({ shown }: { shown: Shown }) {
  const { type, content } = shown
  const inner = recordIn(content[type])
  if (mediaTypes.includes(type)) return <MediaContent shown={shown} />
  switch (type) {
    case 'text':
      return <MessageText text={textIn(inner.body) ?? ''} />
    case 'button':
      return <MessageText text={textIn(inner.text) ?? textIn(inner.payload) ?? ''} />
    case 'location':
      return <Place location={inner} />
    case 'contacts':
      return <Contacts contacts={content.contacts} />
    case 'interactive':
      return <Interactive interactive={inner} />
    case 'template':
      return <TemplateMessage template={inner} rendered={shown.rendered} />
    case 'order':
      return <Order order={inner} />
    case 'reaction':
      return <span className="thread-emoji">{textIn(inner.emoji) ?? '–'}</span>
    case 'unsupported':
      return <NotPassedOn content={content} />
    default:
      return <AsItCame type={type} content={content} />
  }
}

function Order({ order }: { order: Json }) {
  const words = useWords(contentWords)
  const money = useMoney()
  const items = recordsIn(order.product_items)
  const currency = textIn(items[0]?.currency)
  const total = items.reduce(
    (sum, item) => sum + (numberIn(item.item_price) ?? 0) * (numberIn(item.quantity) ?? 1),
    0,
  )
  return (
    <>
      <span className="thread-tag">
        <Icon name="file" size={14} /> {words.kind.order}
      </span>
      <ul className="thread-order">
        {items.map((item, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
          <li key={place}>
            <span className="num">{textIn(item.quantity)} ×</span>
            <span dir="auto">{textIn(item.product_retailer_id)}</span>
            <span className="num">{money(numberIn(item.item_price), textIn(item.currency))}</span>
          </li>
        ))}
        <li className="strong">
          <span />
          <span>{words.total}</span>
          <span className="num">{money(total, currency)}</span>
        </li>
      </ul>
      {textIn(order.text) && <MessageText text={textIn(order.text) ?? ''} />}
    </>
  )
}

function useMoney() {
  const { format } = useLanguage()
  return (amount: number | undefined, currency: string | undefined): string => {
    if (amount === undefined) return ''
    if (!currency || !/^[A-Z]{3}$/.test(currency))
      return `${format.number(amount)} ${currency ?? ''}`
    return new Intl.NumberFormat(format.locale, { style: 'currency', currency }).format(amount)
  }
}

/** Meta's own words stand below ours: they name what it was. */
function NotPassedOn({ content }: { content: Json }) {
  const words = useWords(contentWords)
  const { name } = useThread()
  const error = recordsIn(content.errors)[0] ?? {}
  const code = numberIn(error.code)
  const what = textIn(recordIn(content.unsupported).type)
  const said =
    code === 131052 ? words.tooLargeIn : code === 131060 ? words.notAvailable : words.notPassedOn
  return (
    <>
      <p className="thread-quiet" dir="auto">
        <Icon name="info" /> {said(name)}
      </p>
      <p className="thread-footer" dir="auto">
        {[
          what === 'unknown' ? undefined : what,
          textIn(recordIn(error.error_data).details) ?? textIn(error.title),
          code,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </>
  )
}

function AsItCame({ type, content }: { type: string; content: Json }) {
  const words = useWords(contentWords)
  return (
    <>
      <p className="thread-quiet" dir="auto">
        <Icon name="info" /> {words.otherKind(type)}
      </p>
      <details className="thread-options">
        <summary>{words.asReceived}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it. */}
        <pre tabIndex={0}>{JSON.stringify(content, null, 2).slice(0, 20_000)}</pre>
      </details>
    </>
  )
}

/** The kind of a message in a word, with what it says where it says something. */
export function useSummary(): (type: string, content: Json, said: string | undefined) => string {
  const words = useWords(contentWords)
  return (type, content, said) => {
    const kinds: Record<string, string> = words.kind
    const isVoice = type === 'audio' && recordIn(content.audio).voice === true
    const filename = textIn(recordIn(content[type]).filename)
    if (type === 'text' && said) return said.slice(0, 200)
    const kind = isVoice ? words.kind.voice : (filename ?? kinds[type] ?? words.otherKind(type))
    return [kind, said].filter(Boolean).join(' · ').slice(0, 200)
  }
}
