// A template as its reader sees it: one bubble, its buttons, and cards where it has some.
import { Formatted } from '../../parts/formatted.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Category, type Content, cardsOf, type DraftButton, type Format } from './draft.ts'
import { oneWords } from './words-of-one.ts'

interface PreviewProps {
  content: Content
  format: Format
  /** Of one that is being written: of an authentication template Meta writes the words. */
  draftOf?: Category
}

export function Preview({ content, format, draftOf }: PreviewProps) {
  const words = useWords(oneWords)
  const numbers = useFormat()
  const shown = draftOf === 'AUTHENTICATION' ? withMetasWords(content, words) : content
  const cards = cardsOf(shown, format)
  return (
    <figure className="template-preview" aria-label={words.whatTheySee}>
      <Bubble content={shown} />
      {cards.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled without a mouse.
        <ul className="template-cards" tabIndex={0}>
          {cards.map((card, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cards have no other name.
            <li key={index} aria-label={words.card(numbers.number(index + 1))}>
              <Bubble content={card} />
            </li>
          ))}
        </ul>
      )}
    </figure>
  )
}

function withMetasWords(content: Content, words: (typeof oneWords)['en']): Content {
  const { code, buttons } = content
  return {
    ...content,
    header: { ...content.header, kind: 'NONE' },
    body: words.codeText('123456') + (code.isAdvised ? words.codeAdvice : ''),
    footer: code.minutes.trim() === '' ? '' : words.codeExpires(code.minutes),
    buttons: buttons.slice(0, 1).map((one) => ({ ...one, text: one.text || words.copyCode })),
  }
}

function Bubble({ content }: { content: Content }) {
  const words = useWords(oneWords)
  const { header, body, footer, buttons, examples } = content
  const fill = (place: string) => (name: string, written: string) => (
    <mark>{examples[`${place} ${name}`] || written}</mark>
  )
  return (
    <div className="template-bubble">
      <div className="template-said">
        {header.kind === 'TEXT' && (
          <p className="template-top">
            <Formatted text={header.text} fill={fill('header')} />
          </p>
        )}
        {header.kind !== 'TEXT' && header.kind !== 'NONE' && (
          <div className="template-media">
            <Icon name={mediaIcons[header.kind]} size={20} />
            {words.media[header.kind]}
          </div>
        )}
        <p className={body.trim() === '' ? 'muted' : ''}>
          <Formatted text={body || words.emptyBody} fill={fill('body')} />
        </p>
        {footer !== '' && <p className="xs muted">{footer}</p>}
      </div>
      {buttons.length > 0 && (
        <ul className="template-taps">
          {buttons.map((button) => (
            <li key={button.key} title={addressOf(button)}>
              <Icon name={buttonIcons[button.kind]} />
              {button.kind === 'COPY_CODE' ? words.copyCode : button.text || '…'}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const addressOf = ({ url, phoneNumber }: DraftButton) => url || phoneNumber || undefined

const mediaIcons = {
  IMAGE: 'image',
  VIDEO: 'video',
  DOCUMENT: 'file',
  LOCATION: 'pin',
  OTHER: 'list',
} as const satisfies Record<string, IconName>

export const buttonIcons = {
  QUICK_REPLY: 'reply',
  URL: 'external',
  PHONE_NUMBER: 'phone',
  COPY_CODE: 'copy',
  OTHER: 'bolt',
} as const satisfies Record<string, IconName>
