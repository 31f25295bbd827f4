// Places and contact cards. Nothing is asked of anybody outside: the map is a drawing, the link opens a real one.
import { Avatar } from '../../../parts/basics.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { contentWords } from './content-words.ts'
import { type Card, cardOf, type Json, numberIn, recordsIn, textIn } from './json.ts'
import { SafeLink } from './message-text.tsx'
import { plainName, safeHref } from './text.ts'

export function Place({ location }: { location: Json }) {
  const words = useWords(contentWords)
  const latitude = numberIn(location.latitude)
  const longitude = numberIn(location.longitude)
  const isSomewhere = latitude !== undefined && longitude !== undefined
  const where = isSomewhere ? `${latitude.toFixed(6)}, ${longitude.toFixed(6)}` : ''
  const name = textIn(location.name)
  const address = textIn(location.address)
  const site = safeHref(location.url)
  return (
    <div className="thread-place">
      <svg viewBox="0 0 260 84" aria-hidden="true">
        <path className="ground" d="M0 0h260v84H0z" />
        <path className="green" d="M200 50h44v24h-44zM14 8h40v26H14z" />
        <path
          className="roads"
          d="M-5 62 90 44l60 14 120-26M60-5l20 100M168-5l-14 95M-5 20l120-12 160 4"
        />
        <path
          className="pin"
          d="M130 62c9-10 14-16 14-23a14 14 0 0 0-28 0c0 7 5 13 14 23zm-5-23a5 5 0 1 0 10 0a5 5 0 1 0-10 0"
        />
      </svg>
      <b dir="auto">{name ? plainName(name) : words.place}</b>
      {address && <span dir="auto">{address}</span>}
      {site && (
        <span className="cut">
          <SafeLink href={site}>{textIn(location.url)}</SafeLink>
        </span>
      )}
      {isSomewhere && (
        <span className="row wrap xs muted num">
          {where}
          <SafeLink
            href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}
          >
            {words.openMap}&nbsp;
            <Icon name="external" size={14} />
          </SafeLink>
        </span>
      )}
    </div>
  )
}

export function Contacts({ contacts }: { contacts: unknown }) {
  return (
    <div className="thread-cards">
      {recordsIn(contacts).map((contact, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and never change their order.
        <ContactCard key={place} card={cardOf(contact)} />
      ))}
    </div>
  )
}

function ContactCard({ card }: { card: Card }) {
  const words = useWords(contentWords)
  return (
    <div className="thread-card">
      <div className="row">
        <Avatar name={card.name} />
        <span className="thread-file-words">
          <b className="cut" dir="auto" title={card.name}>
            {plainName(card.name).slice(0, 240)}
          </b>
          {card.company && (
            <small className="cut" dir="auto">
              {card.company.slice(0, 240)}
            </small>
          )}
        </span>
      </div>
      {card.lines.length > 0 && (
        <dl className="thread-pairs">
          {card.lines.map(({ kind, text, label }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
            <div key={place}>
              <dt title={label}>{words[kind]}</dt>
              <dd dir="auto">
                <CardValue kind={kind} text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

function CardValue({ kind, text }: { kind: Card['lines'][number]['kind']; text: string }) {
  const href =
    kind === 'url' ? safeHref(text) : kind === 'email' ? safeHref(`mailto:${text}`) : undefined
  if (kind === 'phone') return <Copy text={text.slice(0, 200)} />
  return href ? <SafeLink href={href}>{text}</SafeLink> : text
}
