// A template message as the contact sees it, where the mirror knows the template; its name and parameters otherwise.
import type { MessageInList } from '../../../api/types.ts'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { contentWords } from './content-words.ts'
import { Buttons, FauxButton, Footer, Header, Pairs } from './interactive.tsx'
import { type Json, recordIn, recordsIn, textIn } from './json.ts'
import { MessageText } from './message-text.tsx'

type Rendered = NonNullable<MessageInList['rendered']>
type RenderedCard = Pick<Rendered, 'header' | 'body' | 'buttons'>

export function TemplateMessage({
  template,
  rendered,
}: {
  template: Json
  rendered: Rendered | null
}) {
  const words = useWords(contentWords)
  return (
    <>
      <span className="thread-tag">
        <Icon name="template" size={14} />
        <span className="cut">{words.template(textIn(template.name) ?? '…')}</span>
      </span>
      {rendered ? <Whole rendered={rendered} /> : <Parameters template={template} />}
    </>
  )
}

function Whole({ rendered }: { rendered: Rendered }) {
  return (
    <>
      <Card card={rendered} footer={rendered.footer} />
      {rendered.cards.length > 0 && (
        <div className="thread-carousel">
          {rendered.cards.map((card, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
            <div key={place} className="thread-card">
              <Card card={card} footer={null} />
            </div>
          ))}
        </div>
      )}
    </>
  )
}

const icons: Record<string, IconName> = {
  QUICK_REPLY: 'reply',
  URL: 'external',
  PHONE_NUMBER: 'phone',
  COPY_CODE: 'copy',
  OTP: 'copy',
  FLOW: 'list',
}

function Card({ card, footer }: { card: RenderedCard; footer: string | null }) {
  const words = useWords(contentWords)
  return (
    <>
      {card.header && <Header header={card.header} />}
      {card.body && <MessageText text={card.body} />}
      {footer && <Footer text={footer} />}
      {card.buttons.length > 0 && (
        <Buttons>
          {card.buttons.map(({ type, text, url, code, phone_number }, place) => (
            <FauxButton
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order.
              key={place}
              {...(icons[type] && { icon: icons[type] })}
              text={[text ?? words.copyCode, code ?? phone_number].filter(Boolean).join(' · ')}
              href={url ?? undefined}
            />
          ))}
        </Buttons>
      )}
    </>
  )
}

function Parameters({ template }: { template: Json }) {
  const pairs = recordsIn(template.components).flatMap((component) =>
    recordsIn(component.parameters).map((parameter, place): [string, string] => [
      `${textIn(component.type) ?? ''} ${textIn(parameter.parameter_name) ?? place + 1}`,
      shownValue(parameter),
    ]),
  )
  const language = textIn(recordIn(template.language).code)
  return (
    <>
      {language && <p className="thread-footer">{language}</p>}
      <Pairs pairs={pairs} />
    </>
  )
}

function shownValue(parameter: Json): string {
  const inner = recordIn(parameter[textIn(parameter.type) ?? ''])
  return (
    textIn(parameter.text) ??
    textIn(parameter.payload) ??
    textIn(parameter.coupon_code) ??
    textIn(inner.fallback_value) ??
    textIn(inner.link) ??
    textIn(inner.id) ??
    JSON.stringify(parameter)
  )
}
