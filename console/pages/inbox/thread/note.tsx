// What is no message of anybody's: changes of numbers, and changes to messages that are not here.
import type { MessageInList } from '../../../api/types.ts'
import { Time } from '../../../parts/time.tsx'
import { useWords } from '../../../words/language.tsx'
import { contentWords } from './content-words.ts'
import { recordIn, spokenText, textIn } from './json.ts'
import { senderName, useThread } from './shown.ts'

const changes = ['reaction', 'edit', 'revoke']

/** Changes that did not arrive are shown as the messages that they are: they have something to say. */
export const isNote = ({ type, status }: MessageInList) =>
  type === 'system' ||
  type === 'request_welcome' ||
  (changes.includes(type) && status !== 'failed' && status !== 'unknown')

export function Note({ message }: { message: MessageInList }) {
  return (
    <p className="thread-note" data-message={message.id} dir="auto">
      <NoteText message={message} /> <Time at={message.occurred_at} as="time" />
    </p>
  )
}

function NoteText({ message }: { message: MessageInList }) {
  const words = useWords(contentWords)
  const { name, firm } = useThread()
  const { type, content, direction, sender } = message
  const who = direction === 'outbound' ? firm : sender ? senderName(sender) : name
  const inner = recordIn(content[type])
  if (type === 'request_welcome') return words.opened(who)
  if (type === 'revoke') return words.deletedEarlier(who)
  if (type === 'reaction') {
    const emoji = textIn(inner.emoji)
    return emoji ? words.reactedEarlier(who, emoji) : words.unreactedEarlier(who)
  }
  if (type === 'edit') {
    const edited = recordIn(inner.message)
    const said = spokenText(textIn(edited.type) ?? '', edited)
    return `${words.editedEarlier(who)} ${said ?? '…'}`.slice(0, 1_000)
  }
  const number = textIn(inner.wa_id)
  if (inner.type === 'user_changed_number' && number) return words.numberChanged(who, `+${number}`)
  if (inner.type === 'customer_identity_changed') return words.identityChanged(who)
  return (textIn(inner.body) ?? words.kind.system).slice(0, 1_000)
}
