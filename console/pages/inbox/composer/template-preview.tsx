// A template as the contact will see it; what was filled in stands out.
import { Formatted } from '../../../parts/formatted.tsx'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { pickerWords } from './picker-words.ts'
import { piecesOf, type TemplatePreview } from './template-fields.ts'

type Card = TemplatePreview['cards'][number]

const icons: Record<string, IconName> = {
  IMAGE: 'image',
  VIDEO: 'video',
  DOCUMENT: 'file',
  LOCATION: 'pin',
}

export function Preview({ preview, files }: { preview: TemplatePreview; files: File[] }) {
  const { cards, footer } = preview
  const names = files.map(({ name }) => name)
  return (
    <article className="picker-preview">
      <Face card={preview} name={cards.length === 0 ? names[0] : undefined} footer={footer} />
      {cards.length > 0 && (
        <ul className="picker-cards">
          {cards.map((card, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: cards are known by their place.
            <li key={index} className="picker-preview">
              <Face card={card} name={names[index]} footer={null} />
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

function Face({
  card,
  name,
  footer,
}: {
  card: Card
  name: string | undefined
  footer: string | null
}) {
  const words = useWords(pickerWords)
  const { header, body, buttons } = card
  return (
    <>
      {header?.text && (
        <b className="strong">
          <Marked text={header.text} />
        </b>
      )}
      {header && header.format !== 'TEXT' && (
        <div className="picker-media">
          <Icon name={icons[header.format] ?? 'file'} size={20} />
          <span className="cut">
            {header.format === 'LOCATION'
              ? words.location
              : (name ??
                words.files[header.format.toLowerCase() as 'image' | 'video' | 'document'])}
          </span>
        </div>
      )}
      {body && (
        <p>
          <Marked text={body} />
        </p>
      )}
      {footer && <p className="xs muted">{footer}</p>}
      {buttons.length > 0 && (
        <div className="picker-buttons">
          {buttons.map(({ text, type }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: buttons are known by their place.
            <span key={index}>{text ?? type}</span>
          ))}
        </div>
      )}
    </>
  )
}

function Marked({ text }: { text: string }) {
  const pieces = piecesOf(text)
  // Gaps first, so that a mark around one is still a mark.
  const withGaps = pieces.map(({ text: words, is }, at) => (is === 'own' ? words : `{{${at}}}`))
  return (
    <Formatted
      text={withGaps.join('')}
      fill={(at, written) => {
        const piece = pieces[Number(at)]
        return <mark className={`picker-slot ${piece?.is}`}>{piece?.text ?? written}</mark>
      }}
    />
  )
}
