// What can be done with one message. Shown while the pointer is over it, or while it is selected.
import type { MessageInList } from '../../../api/types.ts'
import { IconButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Menu, MenuItem } from '../../../parts/menu.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { useWords } from '../../../words/language.tsx'
import { spokenText } from './json.ts'
import { useThread } from './shown.ts'
import { threadWords } from './words.ts'

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/** Undefined where the message says nothing in words. */
export function useCopyText(): (message: MessageInList) => (() => void) | undefined {
  const words = useWords(threadWords)
  const toasts = useToasts()
  return ({ type, content, rendered }) => {
    const text = spokenText(type, content, rendered)
    if (text === undefined) return undefined
    return () =>
      void navigator.clipboard.writeText(text).then(
        () => toasts.say(words.copied),
        () => undefined,
      )
  }
}

export function Actions({ message }: { message: MessageInList }) {
  const words = useWords(threadWords)
  const { sending, canWrite, onReply, onDetails } = useThread()
  const copy = useCopyText()(message)
  const own = message.reactions.find(({ from }) => from === 'business')
  const react = (emoji: string) =>
    sending.send({ type: 'reaction', reaction: { message_id: message.wamid, emoji } })
  return (
    <div className="thread-actions" role="group" aria-label={words.actions}>
      {/* Meta knows nothing of a message without its id: it can neither be answered nor reacted to. */}
      {message.wamid && canWrite && (
        <>
          <IconButton icon="reply" label={words.reply} onClick={() => onReply(message.id)} />
          <Menu
            label={words.react}
            button={(press) => <IconButton icon="smile" label={words.react} {...press} />}
          >
            {(close) => (
              <div className="thread-emojis">
                {emojis.map((emoji) => (
                  <MenuItem
                    key={emoji}
                    aria-label={words.reactWith(emoji)}
                    onClick={() => {
                      react(emoji)
                      close()
                    }}
                  >
                    {emoji}
                  </MenuItem>
                ))}
                {own && (
                  <MenuItem
                    aria-label={words.takeBack}
                    title={words.takeBack}
                    onClick={() => {
                      react('')
                      close()
                    }}
                  >
                    <Icon name="x" />
                  </MenuItem>
                )}
              </div>
            )}
          </Menu>
        </>
      )}
      {copy && <IconButton icon="copy" label={words.copyText} onClick={copy} />}
      <IconButton icon="info" label={words.details} onClick={() => onDetails(message.id)} />
    </div>
  )
}
