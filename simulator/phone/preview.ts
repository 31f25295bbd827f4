// A message in one line, for the list of chats and for quotes.
import type { ChatMessage } from './chat-message.ts'
import { asList, asRecord, asText } from './reading.ts'

const words: Record<string, string> = {
  image: 'Photo',
  video: 'Video',
  audio: 'Audio',
  sticker: 'Sticker',
  document: 'Document',
  location: 'Location',
  contacts: 'Contact',
  order: 'Order',
  template: 'Template',
  interactive: 'Interactive message',
}

export function preview(
  message: Pick<ChatMessage, 'type' | 'content' | 'rendered' | 'deleted'>,
): string {
  if (message.deleted) return 'This message was deleted'
  const content = asRecord(message.content)
  switch (message.type) {
    case 'text':
      return asText(content?.body) ?? ''
    case 'button':
      return asText(content?.text) ?? ''
    case 'template':
      return message.rendered?.body ?? `Template ${asText(content?.name) ?? ''}`
    case 'interactive':
      return interactiveText(content) ?? 'Interactive message'
    case 'contacts': {
      const name = asRecord(asRecord(asList(message.content)[0])?.name)
      return `Contact: ${asText(name?.formatted_name) ?? 'unnamed'}`
    }
    case 'location':
      return `Location${labelled(content?.name)}`
    default: {
      const kind = words[message.type] ?? `Message of type ${message.type}`
      return `${kind}${labelled(content?.caption ?? content?.filename)}`
    }
  }
}

function interactiveText(content: Record<string, unknown> | undefined): string | undefined {
  const reply = asRecord(content?.button_reply) ?? asRecord(content?.list_reply)
  const form = asRecord(content?.nfm_reply)
  return (
    asText(reply?.title) ?? asText(asRecord(content?.body)?.text) ?? (form && 'Filled in a form')
  )
}

function labelled(value: unknown): string {
  const text = asText(value)
  return text === undefined || text === '' ? '' : `: ${text}`
}
