// The message that is answered, in its own words.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { get } from '../../../api/call.ts'
import type { Conversation, MessageInList } from '../../../api/types.ts'
import { IconButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useWords } from '../../../words/language.tsx'
import { contactName } from '../people.ts'
import { messagesIn } from './sending.ts'
import { composerWords } from './words.ts'

/** The page mostly has it already; a message of Meta's gets its id while it is answered. */
export function useQuoted(
  conversationId: string,
  messageId: string | undefined,
): MessageInList | undefined {
  const queries = useQueryClient()
  const { data } = useQuery({
    queryKey: ['message', messageId, 'quoted'],
    queryFn: ({ signal }) =>
      get<MessageInList>(`/api/whatsapp/messages/${messageId}`, undefined, signal),
    enabled: messageId !== undefined,
    placeholderData: () => messagesIn(queries, conversationId).find(({ id }) => id === messageId),
  })
  return messageId === undefined ? undefined : data
}

export function ReplyBar({
  message,
  conversation,
  onCancel,
}: {
  message: MessageInList
  conversation: Conversation
  onCancel(): void
}) {
  const words = useWords(composerWords)
  const who =
    message.direction === 'outbound'
      ? words.yourself
      : (message.sender?.name ?? contactName(conversation))
  return (
    <div className="composer-reply">
      <Icon name="reply" />
      <span className="cut">
        {words.replyingTo} <b className="strong">{who}</b>:{' '}
        {message.wamid === null ? words.notQuotable : saidIn(message)}
      </span>
      <IconButton icon="x" label={words.cancelReply} onClick={onCancel} />
    </div>
  )
}

/** The first words there are; otherwise what kind it is. */
export function saidIn({ type, content }: Pick<MessageInList, 'type' | 'content'>): string {
  const said = (content[type] ?? {}) as Record<string, unknown>
  const inner = ['button_reply', 'list_reply', 'body'].map((name) => said[name])
  const found = [
    ...[said.body, said.caption, said.filename, said.text, said.name],
    ...inner.flatMap((one) => Object.values((typeof one === 'object' && one) || {})),
  ].find((one) => typeof one === 'string' && one !== '')
  return typeof found === 'string' ? found : type
}
