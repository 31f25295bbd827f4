// @ts-check
// Messages with something to tap: interactive messages and templates.
import { h, icon } from './dom.js'
import { formatText, outsideLink } from './format.js'
import { mediaBlock } from './media.js'

/** @typedef {import('./types.js').Message} Message */
/** @typedef {import('./types.js').Actions} Actions */

/**
 * @param {Message} message
 * @param {Actions} actions
 * @returns {(Node | null)[]}
 */
export function interactiveParts(message, actions) {
  const content = message.content ?? {}
  if (message.from === 'customer') return answerParts(content)
  return [
    headerPart(content.header),
    h('p', { class: 'words' }, formatText(String(content.body?.text ?? ''))),
    footerPart(content.footer?.text),
    buttonsOf(message, content, actions),
  ]
}

/** @param {any} content */
function answerParts(content) {
  const reply = content.button_reply ?? content.list_reply
  if (reply) {
    const description = reply.description
      ? h('small', { class: 'muted' }, String(reply.description))
      : null
    return [h('p', { class: 'words' }, String(reply.title)), description]
  }
  return [
    h(
      'p',
      { class: 'words' },
      content.nfm_reply ? 'Filled in a form' : `Answer of type ${content.type}`,
    ),
  ]
}

/**
 * @param {Message} message
 * @param {any} content
 * @param {Actions} actions
 */
function buttonsOf(message, content, actions) {
  const { action } = content
  const reply = (/** @type {object} */ interactive) =>
    actions.write({ type: 'interactive', interactive, context: { id: message.wamid } })
  switch (content.type) {
    case 'button':
      return buttonRow(
        (action?.buttons ?? []).map((/** @type {any} */ button) => ({
          text: String(button.reply?.title ?? ''),
          tap: () =>
            reply({
              type: 'button_reply',
              button_reply: { id: button.reply?.id, title: button.reply?.title },
            }),
        })),
      )
    case 'list':
      return buttonRow([
        {
          text: String(action?.button ?? 'Choose'),
          sign: 'list',
          tap: () =>
            actions.pickFromList(action, (row) => reply({ type: 'list_reply', list_reply: row })),
        },
      ])
    case 'cta_url':
      return h(
        'div',
        { class: 'taps' },
        outsideLink(
          String(action?.parameters?.url ?? ''),
          String(action?.parameters?.display_text ?? 'Open'),
        ),
      )
    case 'location_request_message':
      return buttonRow([
        { text: 'Send location', sign: 'pin', tap: () => actions.shareLocation(message.wamid) },
      ])
    case 'flow':
      return buttonRow([
        {
          text: String(action?.parameters?.flow_cta ?? 'Open the form'),
          tap: () =>
            reply({
              type: 'nfm_reply',
              nfm_reply: {
                name: 'flow',
                body: 'Sent',
                response_json: JSON.stringify({
                  flow_token: action?.parameters?.flow_token ?? 'unused',
                }),
              },
            }),
        },
      ])
    default:
      return h('p', { class: 'tag' }, `Interactive: ${content.type}`)
  }
}

/**
 * @param {Message} message
 * @param {Actions} actions
 * @returns {(Node | null)[]}
 */
export function templateParts(message, actions) {
  const { rendered } = message
  const name = String(message.content?.name ?? '')
  const tag = h('p', { class: 'tag' }, `Template · ${name}`)
  if (rendered === undefined) return [tag, unknownTemplate(message.content)]
  return [
    tag,
    headerPart(rendered.header && templateHeader(rendered.header)),
    h('p', { class: 'words' }, formatText(rendered.body)),
    footerPart(rendered.footer),
    rendered.buttons.length === 0
      ? null
      : h(
          'div',
          { class: 'taps' },
          ...rendered.buttons.map((button) => templateButton(message, button, actions)),
        ),
  ]
}

/**
 * As an interactive message has it.
 * @param {NonNullable<import('./types.js').Rendered['header']>} header
 */
function templateHeader({ format, text, media }) {
  const type = format.toLowerCase()
  return { type, text, ...(media === undefined ? {} : { [type]: media }) }
}

/**
 * @param {Message} message
 * @param {import('./types.js').TemplateButton} button
 * @param {Actions} actions
 */
function templateButton(message, button, actions) {
  if (button.type === 'QUICK_REPLY') {
    const { payload, text } = button
    return tapButton({
      text,
      tap: () =>
        actions.write({
          type: 'button',
          button: { payload, text },
          context: { id: message.wamid },
        }),
    })
  }
  if (button.url !== undefined) return outsideLink(button.url, button.text)
  return h(
    'span',
    { class: 'inert', title: button.type },
    button.phone_number ? `${button.text} ${button.phone_number}` : button.text,
  )
}

/** @param {any} content */
function unknownTemplate(content) {
  const words = (content?.components ?? [])
    .flatMap((/** @type {any} */ component) => component?.parameters ?? [])
    .map((/** @type {any} */ parameter) => parameter?.text)
    .filter(Boolean)
  const text = words.length === 0 ? 'The simulator does not know its text.' : words.join(' · ')
  return h('p', { class: 'words muted' }, text)
}

/** @param {any} header */
function headerPart(header) {
  if (!header) return null
  if (header.text) return h('p', { class: 'words strong' }, String(header.text))
  const kind = header.type
  const media = header[kind]
  const isMedia = kind === 'image' || kind === 'video' || kind === 'document'
  return isMedia && media ? mediaBlock(kind, media) : h('p', { class: 'tag' }, `Header: ${kind}`)
}

/** @param {unknown} text */
function footerPart(text) {
  return typeof text === 'string' && text !== '' ? h('p', { class: 'foot' }, text) : null
}

/** @typedef {{ text: string, sign?: 'list' | 'pin', tap(): void }} Tap */

/** @param {Tap[]} taps */
function buttonRow(taps) {
  return h('div', { class: 'taps' }, ...taps.map(tapButton))
}

/** @param {Tap} tap */
function tapButton({ text, sign, tap }) {
  return h('button', { type: 'button', onclick: tap }, sign ? icon(sign) : null, text)
}
