// What somebody said in so many words: typed, or chosen from buttons and lists. Captions are not: the picture is the message.
import { isObject, type JsonObject } from './json.ts'

export function spokenText(type: string, content: JsonObject): string | undefined {
  const body = content[type]
  if (!isObject(body)) return undefined
  switch (type) {
    case 'text':
      return textIn(body.body)
    case 'button':
      return textIn(body.text)
    case 'interactive': {
      const chosen = isObject(body.button_reply) ? body.button_reply : body.list_reply
      return isObject(chosen) ? textIn(chosen.title) : undefined
    }
    case 'edit':
      return isObject(body.message) ? spokenText('text', body.message) : undefined
    default:
      return undefined
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
