// What was written here and the gateway does not have yet: on its way, waiting for the connection, or refused.
import { useQueryClient } from '@tanstack/react-query'
import type { MessageInList } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { Refusal } from '../composer/refusal.tsx'
import type { Unsent } from '../composer/sending.ts'
import { Content } from './content.tsx'
import { recordIn, textIn } from './json.ts'
import type { Messages } from './merge.ts'
import { Quote } from './message.tsx'
import { keyOfMessages } from './messages.ts'
import { type Shown, useThread } from './shown.ts'
import { threadWords } from './words.ts'

export function UnsentMessage({ unsent }: { unsent: Unsent }) {
  const words = useWords(threadWords)
  const format = useFormat()
  const { name, sending } = useThread()
  const quoted = useQuoted(unsent)
  const { problem, waitsFor } = unsent
  const isRefused = problem !== undefined
  return (
    <article className={`thread-message is-out is-unsent ${isRefused ? 'is-failed' : ''}`}>
      {quoted && <Quote of={quoted} />}
      <Content shown={shownOf(unsent)} />
      <span className="thread-foot num">
        {!isRefused && !waitsFor && <span>{words.unsentTrying}</span>}
        <time dateTime={unsent.writtenAt}>{format.time(unsent.writtenAt)}</time>
        <Icon
          name={isRefused ? 'alert' : 'clock'}
          className={`thread-tick ${isRefused ? 'failed' : ''}`}
          label={isRefused ? words.unsentFailed : words.status.queued}
        />
      </span>
      {waitsFor && <Kept unsent={unsent} />}
      {isRefused && <Refusal unsent={unsent} sending={sending} name={name} />}
    </article>
  )
}

/** The message that it answers or reacts to, where the page has it. */
function useQuoted({ draft }: Unsent): MessageInList | undefined {
  const queries = useQueryClient()
  const { conversation } = useThread()
  const wamid =
    textIn(recordIn(draft.context).message_id) ?? textIn(recordIn(draft.reaction).message_id)
  if (wamid === undefined) return undefined
  const held = queries.getQueryData<Messages>(keyOfMessages(conversation.id))
  return held?.data.find((one) => one.wamid === wamid)
}

/** Above the field it says for what it waits; here, what can be done meanwhile. */
function Kept({ unsent }: { unsent: Unsent }) {
  const words = useWords(threadWords)
  const { sending } = useThread()
  return (
    <div className="thread-waiting">
      {unsent.waitsFor === 'connection' && <p>{words.unsentWaiting}</p>}
      <div className="row wrap">
        <Button small icon="again" onClick={() => sending.retry(unsent.key)}>
          {words.retry}
        </Button>
        {/* Where only the answer was lost, the gateway has it: that cannot be taken back here. */}
        {unsent.waitsFor !== 'connection' && (
          <Button small icon="trash" onClick={() => sending.discard(unsent.key)}>
            {words.discard}
          </Button>
        )}
      </div>
    </div>
  )
}

/** A draft is a message without its fate; a file of ours is here, since it was uploaded from here. */
function shownOf({ draft }: Unsent): Shown {
  const fileId = textIn(recordIn(draft[draft.type]).id)
  const isOurs = fileId?.startsWith('med_') ?? false
  return {
    type: draft.type,
    content: draft,
    direction: 'outbound',
    rendered: null,
    media: isOurs ? 'stored' : null,
    media_id: isOurs ? (fileId ?? null) : null,
    media_error: null,
    media_bytes: null,
  }
}
