// Interactive messages of every kind, ours and the answers to them. Buttons are shown as they look; they are the contact's
// to press, not ours.
import type { ReactNode } from 'react'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { contentWords } from './content-words.ts'
import { type Json, pairsIn, parsedJson, recordIn, recordsIn, textIn } from './json.ts'
import { MessageText, SafeLink } from './message-text.tsx'
import { safeHref } from './text.ts'

export function Interactive({ interactive }: { interactive: Json }) {
  const type = textIn(interactive.type) ?? ''
  if (type.endsWith('_reply')) return <Reply type={type} reply={recordIn(interactive[type])} />
  return <Parts interactive={interactive} type={type} />
}

function Parts({ interactive, type }: { interactive: Json; type: string }) {
  const header = recordIn(interactive.header)
  const body = textIn(recordIn(interactive.body).text)
  const footer = textIn(recordIn(interactive.footer).text)
  return (
    <>
      <Header header={header} />
      {body && <MessageText text={body} />}
      {footer && <Footer text={footer} />}
      <Action type={type} action={recordIn(interactive.action)} />
    </>
  )
}

/** A text, or a file that the message names. */
export function Header({ header }: { header: Json }) {
  const words = useWords(contentWords)
  const type = (textIn(header.type) ?? textIn(header.format) ?? '').toLowerCase()
  const text = textIn(header.text)
  if (text)
    return (
      <b className="thread-header" dir="auto">
        {text}
      </b>
    )
  const file = recordIn(header[type] ?? header.media)
  if (!['image', 'video', 'document', 'location'].includes(type)) return null
  const link = safeHref(file.link)
  const kinds: Record<string, string> = words.kind
  const icon: IconName =
    type === 'location' ? 'pin' : type === 'document' ? 'file' : (type as 'image' | 'video')
  return (
    <span className="thread-tag">
      <Icon name={icon} size={14} />
      {textIn(file.filename) ?? textIn(file.name) ?? kinds[type]}
      {link && <SafeLink href={link}>{new URL(link).host}</SafeLink>}
    </span>
  )
}

export function Footer({ text }: { text: string }) {
  return (
    <p className="thread-footer" dir="auto">
      {text}
    </p>
  )
}

export function Buttons({ children }: { children: ReactNode }) {
  return <ul className="thread-buttons">{children}</ul>
}

/** What the contact can press. `href`: where it leads them. */
export function FauxButton({
  icon,
  text,
  href,
}: {
  icon?: IconName
  text: string
  href?: unknown
}) {
  const safe = safeHref(href)
  return (
    <li>
      {icon && <Icon name={icon} size={14} />}
      <span className="cut" dir="auto" title={text}>
        {safe ? <SafeLink href={safe}>{text}</SafeLink> : text}
      </span>
      {typeof href === 'string' && !safe && <small className="cut mono">{href}</small>}
    </li>
  )
}

function Action({ type, action }: { type: string; action: Json }) {
  const words = useWords(contentWords)
  const parameters = recordIn(action.parameters)
  switch (type) {
    case 'button':
    case 'card_buttons':
      return (
        <Buttons>
          {recordsIn(action.buttons).map((button, place) => (
            <FauxButton
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
              key={place}
              icon="reply"
              text={textIn(recordIn(button.reply ?? button.quick_reply).title) ?? '…'}
            />
          ))}
        </Buttons>
      )
    case 'list':
    case 'product_list':
      return <Sections sections={recordsIn(action.sections)} label={textIn(action.button)} />
    case 'cta_url':
      return (
        <OneButton icon="external" text={textIn(parameters.display_text)} href={parameters.url} />
      )
    case 'flow':
      return <OneButton icon="list" text={textIn(parameters.flow_cta) ?? words.form} />
    case 'product':
      return (
        <OneButton icon="file" text={words.product(textIn(action.product_retailer_id) ?? '')} />
      )
    case 'catalog_message':
      return <OneButton icon="list" text={words.catalog} />
    case 'location_request_message':
      return <OneButton icon="pin" text={words.asksLocation} />
    case 'address_message':
      return <OneButton icon="pin" text={words.asksAddress} />
    case 'call_permission_request':
      return <OneButton icon="phone" text={words.asksCall} />
    case 'voice_call':
      return <OneButton icon="phone" text={textIn(parameters.display_text) ?? words.call} />
    case 'order_details':
      return <OneButton icon="file" text={words.payment} />
    case 'order_status':
      return (
        <OneButton
          icon="file"
          text={words.orderStatus(textIn(recordIn(parameters.order).status) ?? '…')}
        />
      )
    case 'carousel':
      return (
        <div className="thread-carousel">
          {recordsIn(action.cards).map((card, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
            <div key={place} className="thread-card">
              <Parts interactive={card} type={cardType(card)} />
            </div>
          ))}
        </div>
      )
    default:
      return <Pairs pairs={pairsIn(action)} />
  }
}

/** Cards with buttons do not say so. */
function cardType(card: Json): string {
  const type = textIn(card.type)
  return type ?? (recordIn(card.action).buttons ? 'card_buttons' : 'product')
}

function OneButton({
  icon,
  text,
  href,
}: {
  icon: IconName
  text: string | undefined
  href?: unknown
}) {
  return (
    <Buttons>
      <FauxButton icon={icon} text={text ?? '…'} href={href} />
    </Buttons>
  )
}

function Sections({ sections, label }: { sections: Json[]; label: string | undefined }) {
  const words = useWords(contentWords)
  const rows = sections.flatMap((one) => [...recordsIn(one.rows), ...recordsIn(one.product_items)])
  return (
    <details className="thread-options">
      <summary>
        <Icon name="list" size={14} />{' '}
        <span className="cut">{label ?? words.options(rows.length)}</span>
      </summary>
      <ul>
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
          <li key={place} dir="auto">
            {textIn(row.title) ?? textIn(row.product_retailer_id)}
            {textIn(row.description) && <small>{textIn(row.description)}</small>}
          </li>
        ))}
      </ul>
    </details>
  )
}

export function Pairs({ pairs }: { pairs: [name: string, value: string][] }) {
  if (pairs.length === 0) return null
  return (
    <dl className="thread-pairs">
      {pairs.slice(0, 100).map(([name, value], place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be alike, their order never changes.
        <div key={place}>
          <dt dir="auto">{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Reply({ type, reply }: { type: string; reply: Json }) {
  const words = useWords(contentWords)
  if (type === 'nfm_reply') {
    const given = recordIn(parsedJson(reply.response_json))
    const answers = pairsIn(given.values ?? given)
    const isAddress = reply.name === 'address_message'
    return (
      <>
        <span className="thread-tag">
          <Icon name={isAddress ? 'pin' : 'list'} size={14} />
          {isAddress ? words.address : words.formAnswers}
        </span>
        {answers.length > 0 ? (
          <Pairs pairs={answers} />
        ) : (
          <MessageText text={textIn(reply.body) ?? textIn(reply.response_json) ?? '…'} />
        )}
      </>
    )
  }
  if (type === 'call_permission_reply') {
    return (
      <MessageText text={reply.response === 'accept' ? words.callAllowed : words.callRefused} />
    )
  }
  const title = textIn(reply.title)
  if (!title) return <Pairs pairs={pairsIn(reply)} />
  return (
    <>
      <MessageText text={title} />
      {textIn(reply.description) && <Footer text={textIn(reply.description) ?? ''} />}
    </>
  )
}
